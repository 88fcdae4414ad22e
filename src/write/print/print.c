/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/print.h"

#include "src/base/clock.h"
#include "src/base/pattern.h"
#include "src/facts/text/json-text.h"
#include "src/write/call-listing.h"
#include "src/write/print/contention.h"
#include "src/write/print/groups.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static bool is_format(const struct print_how *how, const char *name)
{
	return strcmp(how->format, name) == 0;
}

static size_t shown(const struct listing *listing, const struct print_how *how)
{
	return how->most < listing->rows.len ? how->most : listing->rows.len;
}

/* --- what stands above a text ---------------------------------------------------------- */

static void write_time(uint64_t start_wall_ns, uint64_t duration_ns, FILE *out)
{
	time_t start = (time_t)(start_wall_ns / NS_PER_SEC);
	struct tm utc;
	char date[32] = "";
	if (!gmtime_r(&start, &utc))
		return;
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &utc);
	fprintf(out, "Time:     %s UTC", date);
	if (duration_ns)
		fprintf(out, ", for %s", quantity_say(VALUE_TIME, duration_ns).text);
	fputc('\n', out);
}

static void write_origin(
	const struct report *report, const struct file_metric *metric, FILE *out)
{
	const struct origin *origin = report->origin;
	fprintf(out, "Values:   %s in %s; %s in all\n", metric->type,
		origin->types.data[report->shown_type].unit,
		quantity_say(metric->kind, metric->of(&report->everything)).text);
	if (origin->types.len > 1) {
		fputs("Types:   ", out);
		vec_each (&origin->types, type)
			fprintf(out, " %s", type->type);
		fputs(" (--type chooses)\n", out);
	}
	if (origin->time_ns > 0)
		write_time((uint64_t)origin->time_ns,
			origin->duration_ns > 0 ? (uint64_t)origin->duration_ns : 0, out);
}

static void write_process(const struct report *report, const struct file_metric *metric,
	const struct print_how *how, FILE *out)
{
	fprintf(out, "Process:  %s\n", how->command ? how->command : "");
	fprintf(out, "Values:   %s; %s in all, %" PRIu64 " samples\n", metric->name,
		quantity_say(metric->kind, metric->of(&report->everything)).text,
		report->everything.samples);
	write_time(report->start_wall_ns, report->end_ns - report->start_ns, out);
}

/* As pprof's -top begins. */
static void write_header(
	const struct listing *listing, const struct print_how *how, FILE *out)
{
	const struct report *report = listing->report;
	const struct file_metric *metric = &listing->metric;
	uint64_t all = listing->whole, counted = metric->of(&report->total);
	if (report->origin)
		write_origin(report, metric, out);
	else
		write_process(report, metric, how, out);
	if (counted != all)
		fprintf(out, "Counted:  %s, %.2f%% of all\n",
			quantity_say(metric->kind, counted).text,
			file_metric_percent(counted, all));
}

static void write_shown(
	const struct listing *listing, const struct print_how *how, FILE *out)
{
	write_header(listing, how, out);
	fprintf(out, "Shown:    %zu of %zu rows\n\n", shown(listing, how),
		listing->rows.len);
}

/* --- functions ------------------------------------------------------------------------- */

static void print_functions(
	const struct listing *listing, const struct print_how *how, FILE *out)
{
	if (is_format(how, "text"))
		write_shown(listing, how, out);
	listing_format_by_name(how->format)->write(listing, shown(listing, how), out);
}

/* --- call graph ------------------------------------------------------------------------ */

/* Keep the rows whose name matches. */
static void keep_matching(struct listing *listing, const char *text)
{
	struct pattern *pattern = pattern_create(text, NULL, NULL, 0);
	size_t kept = 0;
	if (!pattern)
		return;
	vec_each (&listing->rows, row) {
		const char *name =
			profile_function(listing->report->profile, (*row)->function)
				->name;
		if (pattern_matches(pattern, name) != pattern_is_inverted(pattern))
			listing->rows.data[kept++] = *row;
	}
	listing->rows.len = kept;
	pattern_destroy(pattern);
}

static void print_graph(struct listing *listing, const struct print_how *how, FILE *out)
{
	struct call_listing graph;
	if (how->peek)
		keep_matching(listing, how->peek);
	call_listing_init(&graph, listing, how->peek != NULL);
	size_t most = shown(listing, how);
	if (is_format(how, "csv")) {
		call_listing_write_csv(&graph, most, out);
	} else if (is_format(how, "json")) {
		call_listing_write_json(&graph, most, out);
	} else if (is_format(how, "md")) {
		call_listing_write_md(&graph, most, out);
	} else {
		write_shown(listing, how, out);
		call_listing_write_text(&graph, most, 1, out);
	}
	call_listing_finish(&graph);
}

/* --- groups ---------------------------------------------------------------------------- */

/* "worker", or what stands for no name. */
static const char *title_of(const struct group *group)
{
	return group->name[0] ? group->name : "(none)";
}

static void print_group(struct listing *rows, const struct group *group,
	const struct print_how *how, FILE *out)
{
	const struct file_metric *metric = &rows->metric;
	uint64_t weight = metric->of(&group->weight);
	if (is_format(how, "csv")) {
		listing_put_rows_csv(rows, shown(rows, how), group->name, out);
		return;
	}
	if (is_format(how, "md")) {
		fputs("\n### ", out);
		listing_put_md(title_of(group), out);
		fprintf(out, ": %s, %.2f%%\n\n", quantity_say(metric->kind, weight).text,
			file_metric_percent(weight, rows->whole));
		listing_write_md(rows, shown(rows, how), out);
		return;
	}
	fprintf(out, "\n%s: %s, %.2f%%\n", title_of(group),
		quantity_say(metric->kind, weight).text,
		file_metric_percent(weight, rows->whole));
	listing_write_text(rows, shown(rows, how), 0, out);
}

static void print_group_json(const struct listing *rows, const struct group *group,
	const struct print_how *how, const char *before, FILE *out)
{
	fprintf(out, "%s\n    {\"name\": ", before);
	json_text_put(group->name, out);
	fprintf(out, ", \"weight\": %" PRIu64 ", ", rows->metric.of(&group->weight));
	listing_put_rows_json(rows, shown(rows, how), "    ", out);
	fputc('}', out);
}

static void print_groups(
	const struct listing *listing, const struct print_how *how, FILE *out)
{
	struct groups groups;
	groups_init(&groups, listing->report, how->by);
	if (is_format(how, "csv")) {
		fputs("group,self,self_percent,total,total_percent,function,module,file,"
		      "line\n",
			out);
	} else if (is_format(how, "json")) {
		listing_begin_json(listing, out);
		fputs("  \"groups\": [", out);
	} else if (is_format(how, "text")) {
		write_header(listing, how, out);
	}
	vec_each (&groups.list, group) {
		struct listing rows;
		listing_init_rows(&rows, listing->report, group->rows.data,
			group->rows.len, how->order);
		rows.whole = listing->whole;
		if (is_format(how, "json"))
			print_group_json(&rows, group, how,
				group == groups.list.data ? "" : ",", out);
		else
			print_group(&rows, group, how, out);
		listing_finish(&rows);
	}
	if (is_format(how, "json"))
		fputs("\n  ]\n}\n", out);
	groups_finish(&groups);
}

/* --- locks ----------------------------------------------------------------------------- */

static void print_locks(
	const struct listing *listing, const struct print_how *how, FILE *out)
{
	write_header(listing, how, out);
	contention_write(listing->report, how->most, out);
}

/* --- functions as source --------------------------------------------------------------- */

static void print_annotated(
	struct listing *listing, const struct print_how *how, FILE *out)
{
	annotated_select(listing, how->annotate);
	if (is_format(how, "json")) {
		annotated_write_json(listing, shown(listing, how), how->means, out);
		return;
	}
	if (is_format(how, "html")) {
		annotated_write_html(
			listing, shown(listing, how), how->annotate, how->means, out);
		return;
	}
	write_header(listing, how, out);
	if (listing->rows.len == 0)
		fprintf(out, "No function is called '%s', or matches it.\n",
			how->annotate);
	annotated_write_text(listing, shown(listing, how), how->means, out);
}

void print_report(const struct report *report, const struct print_how *how, FILE *out)
{
	struct listing listing;
	listing_init(&listing, report, how->order);
	listing.whole = listing.metric.of(&report->everything); /* as pprof has it */
	if (how->what == PRINT_GRAPH)
		print_graph(&listing, how, out);
	else if (how->what == PRINT_GROUPS)
		print_groups(&listing, how, out);
	else if (how->what == PRINT_ANNOTATED)
		print_annotated(&listing, how, out);
	else if (how->what == PRINT_LOCKS)
		print_locks(&listing, how, out);
	else
		print_functions(&listing, how, out);
	listing_finish(&listing);
}
