/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A difference to be read by a person. */
#include "src/write/compare/compare-formats.h"

#include "src/base/clock.h"
#include "src/facts/text/quantity.h"
#include "src/write/compare/compare-rows.h"
#include "src/write/compare/compare.h"
#include "src/write/file-metric.h"

#include <math.h>
#include <string.h>

enum {
	PATHS_MAX = 30,
};

struct cell {
	char text[40];
};

/* A value in percent of the whole; or per second; or as it is. */
static struct cell say(const struct report *both, double value)
{
	const struct difference *difference = both->difference;
	struct cell cell;
	if (difference->per[1] > 0)
		snprintf(cell.text, sizeof(cell.text), "%.36s%s",
			quantity_say(file_metric_of(both).kind,
				(uint64_t)(value / difference->per[1] + 0.5))
				.text,
			difference->normalization == NORMALIZE_TIME ? "/s" : "");
	else
		snprintf(cell.text, sizeof(cell.text), "%.2f%%",
			difference->whole > 0 ? 100 * value / difference->whole : 0);
	return cell;
}

/* "+1.20% *": the star says that it is more than noise. */
static struct cell say_change(const struct report *both, const struct change *change)
{
	struct cell size = say(both, fabs(change_of(change))), cell;
	double by = change_of(change);
	snprintf(cell.text, sizeof(cell.text), "%s%.32s %c",
		by > 0	 ? "+"
		: by < 0 ? "-"
			 : "",
		size.text, change->real ? '*' : ' ');
	return cell;
}

static void write_side(const struct report *both, int side, const char *label,
	const char *name, FILE *out)
{
	const struct difference *difference = both->difference;
	const struct report *report = side ? difference->after : difference->before;
	const struct file_metric metric = file_metric_of(report);
	fprintf(out, "%-10s%s: %s, %s samples\n", label, name,
		quantity_say(metric.kind, metric.of(&report->everything)).text,
		quantity_say(VALUE_COUNT, report->everything.samples).text);
}

/* How long to record, or how often to sample, until a function with SHARE is sure to show it. */
static void write_needed(const struct needed *needed, double share, FILE *out)
{
	fprintf(out, " %.0f %% ", 100 * share);
	if (needed->ns >= NS_PER_SEC)
		fputs(quantity_say(VALUE_TIME, needed->ns).text, out);
	else
		fprintf(out, "%.1f times the samples", needed->times);
	if (needed->hz > 0)
		fprintf(out, " or -F %.0f", needed->hz);
}

static void write_hidden(const struct difference *difference, FILE *out)
{
	if (!(difference->hidden_of_half > 0))
		return;
	fprintf(out,
		"Hidden:   changes below %.1f points of a function with %.0f %%, below "
		"%.1f "
		"of one with 50 %%\n",
		100 * difference->hidden_of_few, 100 * DIFFERENCE_FEW,
		100 * difference->hidden_of_half);
	if (difference->needed_of_half.times <= 1)
		return;
	fprintf(out, "Needed:   to find %.0f points: of", 100 * DIFFERENCE_GOAL);
	if (difference->needed_of_few.times > 1) {
		write_needed(&difference->needed_of_few, DIFFERENCE_FEW, out);
		fputs(", of", out);
	}
	write_needed(&difference->needed_of_half, 0.5, out);
	fputs("\n", out);
}

/* A single sample has a time, and still is no block. */
static bool has_times(const struct report *report)
{
	return report->n_blocks || (report->origin && report->origin->moments.len > 0);
}

void compare_noise(const struct difference *difference, FILE *out)
{
	const struct report *after = difference->after;
	if (!difference->by_blocks && has_times(after) && has_times(difference->before)) {
		const struct report *before = difference->before;
		uint64_t ns[2] = {before->end_ns - before->start_ns,
			after->end_ns - after->start_ns};
		fprintf(out,
			"Noise:    by counts, as %s are too short for its test over "
			"time: "
			"phases of the program look like changes\n",
			quantity_say(VALUE_TIME, ns[0] < ns[1] ? ns[0] : ns[1]).text);
		return;
	}
	if (!difference->by_blocks) {
		fputs("Noise:    by counts, as the samples have no times: phases of the "
		      "program look like changes\n",
			out);
		return;
	}
	uint64_t length_ns = (after->end_ns - after->start_ns) / after->n_blocks;
	fprintf(out,
		"Noise:    by %u blocks of time, each of %s; longer phases look like "
		"changes\n",
		after->n_blocks, quantity_say(VALUE_TIME, length_ns).text);
}

static void write_heading(
	const struct report *both, const struct compare_facts *facts, FILE *out)
{
	const struct difference *difference = both->difference;
	enum normalization how = difference->normalization;
	write_side(both, 0, "Before:", facts->before, out);
	write_side(both, 1, "After:", facts->after, out);
	fprintf(out, "Compared: %s%s%s\n", how == NORMALIZE_CPU ? "shares of " : "",
		file_metric_of(difference->after).name,
		how == NORMALIZE_TIME	? " per second"
		: how == NORMALIZE_NONE ? " as it is, not shares of it"
					: "");
	compare_noise(difference, out);
	write_hidden(difference, out);
	fprintf(out, "Changed:  %zu of %zu functions by more than noise (*)\n\n",
		difference->n_real, both->n_functions);
}

static const char *word_for(const struct change *total)
{
	return total->before > 0 ? total->after > 0 ? "" : "  [gone]" : "  [new]";
}

static void write_functions(
	const struct report *both, const struct compare_facts *facts, FILE *out)
{
	const struct difference *difference = both->difference;
	struct compare_rows rows = compare_functions(both, facts->order, facts->most);
	fprintf(out, "%9s %9s %11s  %9s %9s %11s  %s\n", "self old", "self new",
		"change  ", "total old", "total new", "change  ", "function (module)");
	for (size_t i = 0; i < rows.len; i++) {
		uint32_t row = rows.data[i];
		const struct change *self = &difference->self[row],
				    *total = &difference->total[row];
		const struct function *function =
			profile_function(both->profile, both->functions[row].function);
		fprintf(out, "%9s %9s %11s  %9s %9s %11s  %s",
			say(both, self->before).text, say(both, self->after).text,
			say_change(both, self).text, say(both, total->before).text,
			say(both, total->after).text, say_change(both, total).text,
			function->name);
		if (function->module[0] && strcmp(function->module, function->name) != 0)
			fprintf(out, " (%s)", function->module);
		fprintf(out, "%s\n", word_for(total));
	}
	compare_rows_finish(&rows);
}

static void write_frame(const char *name, size_t index, FILE *out)
{
	fprintf(out, "%s%s", index ? " > " : "", name);
}

/* The paths whose own part, without what they call, has changed: those are the places. */
static void write_paths(
	const struct report *both, const struct compare_facts *facts, FILE *out)
{
	const struct change *own = both->difference->node_self;
	struct compare_rows rows =
		compare_paths(both, facts->most ? facts->most : PATHS_MAX);
	if (!rows.len || !own[rows.data[0]].real) {
		fputs("\nNo path has changed by more than noise.\n", out);
		compare_rows_finish(&rows);
		return;
	}
	fprintf(out, "\n%9s %9s %11s  %s\n", "self old", "self new", "change  ", "path");
	for (size_t i = 0; i < rows.len && own[rows.data[i]].real; i++) {
		const struct change *change = &own[rows.data[i]];
		fprintf(out, "%9s %9s %11s  ", say(both, change->before).text,
			say(both, change->after).text, say_change(both, change).text);
		compare_path(both, rows.data[i], write_frame, out);
		fprintf(out, "%s\n", word_for(change));
	}
	compare_rows_finish(&rows);
}

bool compare_text(const struct report *both, const struct compare_facts *facts, FILE *out,
	struct error *err)
{
	(void)err;
	write_heading(both, facts, out);
	write_functions(both, facts, out);
	write_paths(both, facts, out);
	return true;
}
