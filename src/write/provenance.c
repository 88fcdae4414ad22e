/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "src/write/provenance.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ZOOM_NAMES = 4 /* of the functions of a zoom, so many are named */
};

/* "; rules: hide ^std::, thread s/a/b/". */
static void put_rules(const char *rules, FILE *out)
{
	fputs("; rules: ", out);
	for (; *rules; rules++)
		if (*rules == '\n')
			fputs(", ", out);
		else
			fputc(*rules, out);
}

/* "; below main > parse"; of a long path the inner end. */
static void put_zoom(const struct report *report, FILE *out)
{
	const struct report_zoom *zoom = &report->request.zoom;
	uint32_t first = zoom->length > ZOOM_NAMES ? zoom->length - ZOOM_NAMES : 0;
	if (zoom->length > 0)
		fputs(first > 0 ? "; below ... > " : "; below ", out);
	for (uint32_t i = first; i < zoom->length; i++)
		fprintf(out, "%s%s", i > first ? " > " : "",
			profile_function(report->profile, zoom->path[i])->name);
}

char *provenance_what(const struct report *report)
{
	const struct report_request *request = &report->request;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return mem_strdup("?");
	fprintf(out, "%.1f s", (double)(report->end_ns - report->start_ns) / NS_PER_SEC);
	put_zoom(report, out);
	if (request->filter[0] == '!')
		fprintf(out, "; stacks without /%s/", request->filter + 1);
	else if (request->filter[0])
		fprintf(out, "; stacks with /%s/", request->filter);
	if (request->ignore[0])
		fprintf(out, "; stacks without /%s/", request->ignore);
	if (request->module[0])
		fprintf(out, "; module %s", request->module);
	if (request->thread_pattern[0])
		fprintf(out, "; threads /%s/", request->thread_pattern);
	for (uint32_t i = 0; i < request->n_tids; i++)
		fprintf(out, "%s %d", i ? "," : "; thread", (int)request->tids[i]);
	if (request->naming.granularity != NAMING_FUNCTION)
		fprintf(out, "; by %s",
			naming_granularity_name(request->naming.granularity));
	if (request->naming.fold_inlines)
		fputs("; inlined functions folded", out);
	if (request->naming.edits[0])
		put_rules(request->naming.edits, out);
	if (report->total.samples < report->everything.samples)
		fprintf(out, "; %" PRIu64 " of %" PRIu64 " samples",
			report->total.samples, report->everything.samples);
	if (fclose(out) != 0) {
		free(text);
		return mem_strdup("?");
	}
	return text;
}

static bool leaves_out(const struct report_request *request)
{
	return request->window_ns || request->zoom.length || request->filter[0] ||
	       request->ignore[0] || request->module[0] || request->thread_pattern[0] ||
	       request->n_tids || request->naming.granularity != NAMING_FUNCTION ||
	       request->naming.edits[0] || request->naming.fold_inlines;
}

static void add_what_is_counted(
	struct provenance *provenance, const struct report *report)
{
	if (!leaves_out(&report->request))
		return;
	char *what = provenance_what(report);
	vec_push(&provenance->lines, mem_printf("shown: %s", what));
	free(what);
}

/* Whoever names a machine may have named it with anything. */
static char *host_comment(const char *host)
{
	char clean[4 * HOST_NAME_MAX + 1];
	clean_text(clean, sizeof(clean), host, strlen(host));
	return mem_printf(PROVENANCE_HOST "%s", clean);
}

void provenance_init(struct provenance *provenance, const struct report *report,
	const struct summary *summary, const char *host)
{
	char how[512];
	summary_print_line(summary, how, sizeof(how));
	*provenance = (struct provenance){0};
	if (report->origin) { /* how it was taken, it says itself */
		add_what_is_counted(provenance, report);
		return;
	}
	vec_push(&provenance->lines,
		mem_printf("made by %s, %s", PACKAGE_STRING,
			report_counts_event(report)
				? report->event.name
				: "CPU time from the kernel's schedstat"));
	if (host)
		vec_push(&provenance->lines, host_comment(host));
	vec_push(&provenance->lines, mem_printf("sampling: %s", how));
	add_what_is_counted(provenance, report);
	for (size_t i = 0; i < report->n_time_marks; i++) {
		const struct time_mark *mark = &report->time_marks[i];
		vec_push(&provenance->lines,
			time_mark_comment(
				mark, report->start_wall_ns +
					      (mark->time_ns - report->start_ns)));
	}
}

void provenance_finish(struct provenance *provenance)
{
	vec_each (&provenance->lines, line)
		free(*line);
	vec_free(&provenance->lines);
}

void provenance_comment(const struct provenance *provenance, struct export_facts *facts)
{
	facts->comments = (const char *const *)provenance->lines.data;
	facts->n_comments = provenance->lines.len;
}
