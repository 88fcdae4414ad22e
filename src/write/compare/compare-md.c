/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A difference as Markdown, for the comment of a pull request: what is more than noise, and
   nothing else. */
#include "src/write/compare/compare-formats.h"

#include "src/facts/text/quantity.h"
#include "src/write/compare/compare-rows.h"
#include "src/write/compare/compare.h"
#include "src/write/file-metric.h"
#include "src/write/listing.h"

enum {
	ROWS_MAX = 20,
};

static void put_share(const struct difference *difference, double value, FILE *out)
{
	fprintf(out, "%.2f%%",
		difference->whole > 0 ? 100 * value / difference->whole : 0);
}

static void put_change(
	const struct difference *difference, const struct change *change, FILE *out)
{
	const char *mark = change->real ? "**" : "";
	fprintf(out, "| %s%s", mark, change_of(change) > 0 ? "+" : "");
	put_share(difference, change_of(change), out);
	fprintf(out, "%s | ", mark);
	put_share(difference, change->before, out);
	fputs(" | ", out);
	put_share(difference, change->after, out);
	fputc(' ', out);
}

static void put_side(const struct report *report, const char *name, FILE *out)
{
	const struct file_metric metric = file_metric_of(report);
	listing_put_md(name, out);
	fprintf(out, " (%s, %s samples)",
		quantity_say(metric.kind, metric.of(&report->everything)).text,
		quantity_say(VALUE_COUNT, report->everything.samples).text);
}

bool compare_md(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err)
{
	const struct difference *difference = both->difference;
	struct compare_rows rows = compare_functions(
		both, facts->order, facts->most ? facts->most : ROWS_MAX);
	(void)err;
	fprintf(out, "**%zu of %zu functions changed by more than noise**, from ",
		difference->n_real, both->n_functions);
	put_side(difference->before, facts->before, out);
	fputs(" to ", out);
	put_side(difference->after, facts->after, out);
	fputs(".\n\n", out);
	if (difference->n_real)
		fputs("| self | old | new | total | old | new | function | module |\n"
		      "|---:|---:|---:|---:|---:|---:|---|---|\n",
			out);
	for (size_t i = 0; i < rows.len; i++) {
		uint32_t row = rows.data[i];
		const struct function *function =
			profile_function(both->profile, both->functions[row].function);
		if (!difference->self[row].real && !difference->total[row].real)
			continue;
		put_change(difference, &difference->self[row], out);
		put_change(difference, &difference->total[row], out);
		fputs("| ", out);
		listing_put_md(function->name, out);
		fputs(" | ", out);
		if (function->module[0])
			listing_put_md(function->module, out);
		fputs(" |\n", out);
	}
	fputs(difference->n_real ? "\n" : "", out);
	compare_noise(difference, out);
	compare_rows_finish(&rows);
	return true;
}
