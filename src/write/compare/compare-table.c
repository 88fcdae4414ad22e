/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A difference for programs: comma-separated values, and JSON. */
#include "src/facts/text/json-text.h"
#include "src/write/compare/compare-formats.h"
#include "src/write/compare/compare-rows.h"
#include "src/write/compare/compare.h"
#include "src/write/file-metric.h"

#include <inttypes.h>

static void put_csv_change(const struct change *change, FILE *out)
{
	fprintf(out, "%.12g,%.12g,%.12g,%.4g,%d,", change->before, change->after,
		change_of(change), change->chance, change->real);
}

bool compare_csv(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err)
{
	struct compare_rows rows = compare_functions(both, facts->order, facts->most);
	(void)err;
	fputs("self_before,self_after,self_change,self_chance,self_real,total_before,"
	      "total_after,total_change,total_chance,total_real," LISTING_FUNCTION_CSV
	      "\n",
		out);
	for (size_t i = 0; i < rows.len; i++) {
		uint32_t row = rows.data[i];
		const struct function *function =
			profile_function(both->profile, both->functions[row].function);
		put_csv_change(&both->difference->self[row], out);
		put_csv_change(&both->difference->total[row], out);
		listing_put_function_csv(function, out);
	}
	compare_rows_finish(&rows);
	return true;
}

static void put_change(const char *key, const struct change *change, FILE *out)
{
	fprintf(out,
		"\"%s\": {\"before\": %.12g, \"after\": %.12g, \"chance\": %.4g, "
		"\"real\": %s}",
		key, change->before, change->after, change->chance,
		change->real ? "true" : "false");
}

static void put_frame(const char *name, size_t index, FILE *out)
{
	fputs(index ? ", " : "", out);
	json_text_put(name, out);
}

static void put_paths(
	const struct report *both, const struct compare_facts *facts, FILE *out)
{
	struct compare_rows rows = compare_paths(both, facts->most);
	fputs("  \"paths\": [", out);
	for (size_t i = 0; i < rows.len; i++) {
		fprintf(out, "%s\n    {", i ? "," : "");
		put_change("self", &both->difference->node_self[rows.data[i]], out);
		fputs(", ", out);
		put_change("total", &both->difference->node[rows.data[i]], out);
		fputs(", \"path\": [", out);
		compare_path(both, rows.data[i], put_frame, out);
		fputs("]}", out);
	}
	fputs("\n  ]\n", out);
	compare_rows_finish(&rows);
}

bool compare_json(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err)
{
	const struct difference *difference = both->difference;
	const struct file_metric metric = file_metric_of(difference->after);
	struct compare_rows rows = compare_functions(both, facts->order, facts->most);
	(void)err;
	fputs("{\n  ", out);
	json_text_put_pair("before", facts->before, ",\n  ", out);
	json_text_put_pair("after", facts->after, ",\n  ", out);
	json_text_put_pair("type", metric.type, ",\n  ", out);
	json_text_put_pair("unit", metric.unit, ",\n  ", out);
	json_text_put_pair(
		"normalize", normalization_name(difference->normalization), ",\n  ", out);
	json_text_put_pair(
		"noise", difference->by_blocks ? "blocks" : "counts", ",\n  ", out);
	if (difference->hidden_of_half > 0)
		fprintf(out,
			"\"hidden\": {\"of_5_percent\": %.4g, \"of_50_percent\": "
			"%.4g},\n  \"times_needed_for_2_points\": {\"of_5_percent\": "
			"%.4g, \"of_50_percent\": %.4g},\n  ",
			difference->hidden_of_few, difference->hidden_of_half,
			difference->needed_of_few.times,
			difference->needed_of_half.times);
	fprintf(out, "\"factor\": %.12g,\n  \"whole\": %.12g,\n  ", difference->factor,
		difference->whole);
	put_change("counted", &difference->all, out);
	fputs(",\n  \"functions\": [", out);
	for (size_t i = 0; i < rows.len; i++) {
		const struct function *function = profile_function(
			both->profile, both->functions[rows.data[i]].function);
		fprintf(out, "%s\n    {", i ? "," : "");
		put_change("self", &difference->self[rows.data[i]], out);
		fputs(", ", out);
		put_change("total", &difference->total[rows.data[i]], out);
		fputs(", ", out);
		listing_put_function_json(function, out);
	}
	fputs("\n  ],\n", out);
	compare_rows_finish(&rows);
	put_paths(both, facts, out);
	fputs("}\n", out);
	return true;
}
