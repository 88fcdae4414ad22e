/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/caption.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/facts/text/quantity.h"
#include "src/write/provenance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A pprof file of ours has the target in the comment after the one that names us. */
#define TARGET "pid %d: %n"
#define US     "cproftop "

/* What the file says that REPORT was read from; NULL: there is none. A report of two files is
   of both. */
static const struct origin *origin_of(const struct report *report)
{
	return report->difference ? NULL : report->origin;
}

/* *PID stays as it is if the text does not say it. */
static const char *target_of(const struct origin *origin, int *pid)
{
	size_t next = 0;
	int number, length = 0;

	if (origin->command[0]) {
		*pid = (int)origin->pid;
		return origin->command;
	}
	while (next < origin->comments.len &&
		strncmp(origin->comments.data[next], US, strlen(US)) != 0)
		next++;
	if (++next >= origin->comments.len)
		return NULL;
	const char *text = origin->comments.data[next];
	if (sscanf(text, TARGET, &number, &length) < 1 || length == 0)
		return text;
	*pid = number;
	return text + length;
}

const char *caption_command(const struct report *report, const struct export_facts *facts)
{
	const struct origin *origin = origin_of(report);
	int pid;
	const char *said = origin ? target_of(origin, &pid) : NULL;
	return said ? said : facts->command;
}

pid_t caption_pid(const struct report *report, const struct export_facts *facts)
{
	const struct origin *origin = origin_of(report);
	int pid = (int)facts->pid;
	if (origin)
		target_of(origin, &pid);
	return pid;
}

static size_t comments_read(const struct report *report)
{
	return report->origin ? report->origin->comments.len : 0;
}

size_t caption_comments(const struct report *report, const struct export_facts *facts)
{
	return comments_read(report) + facts->n_comments;
}

const char *caption_comment(
	const struct report *report, const struct export_facts *facts, size_t index)
{
	size_t n_read = comments_read(report);
	return index < n_read ? report->origin->comments.data[index]
			      : facts->comments[index - n_read];
}

struct caption_process caption_process(const struct report *report, uint32_t thread)
{
	const struct profile_process *process = report_process(report, thread);
	const struct label *pid = origin_label(report->origin, thread, "pid"),
			   *name = origin_label(report->origin, thread, "process");
	if (process)
		return (struct caption_process){process->pid, process->name};
	if (pid && pid->number > 0 && name)
		return (struct caption_process){pid->number, name->text};
	return (struct caption_process){0, ""};
}

static const char *host_of(const struct report *report, const struct export_facts *facts)
{
	size_t length = strlen(PROVENANCE_HOST);
	for (size_t i = 0; i < caption_comments(report, facts); i++) {
		const char *comment = caption_comment(report, facts, i);
		if (strncmp(comment, PROVENANCE_HOST, length) == 0)
			return comment + length;
	}
	return NULL;
}

/* A file need not say when it was made, nor how long that took. */
static void put_time(const struct report *report, FILE *out)
{
	const struct origin *origin = report->origin;
	uint64_t duration_ns = report->end_ns - report->start_ns;
	time_t start = (time_t)(report->start_wall_ns / NS_PER_SEC);
	struct tm utc;
	char date[32];

	if ((!origin || origin->time_ns > 0) && gmtime_r(&start, &utc) &&
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &utc))
		fprintf(out, "; %s UTC", date);
	if ((!origin || origin->duration_ns > 0) && duration_ns)
		fprintf(out, "; %s", quantity_say(VALUE_TIME, duration_ns).text);
}

/* Of a file of another kind objects would count as samples. */
static void put_samples(const struct report *report, FILE *out)
{
	uint32_t type;

	if (report->origin && !origin_find_type(report->origin, "samples", &type))
		return;
	fprintf(out, "; %" PRIu64 " samples; stacks %.1f%% complete",
		report->total.samples, 100 * report_complete_share(report));
}

char *caption_line(const struct report *report, const struct export_facts *facts)
{
	pid_t pid = caption_pid(report, facts);
	const char *host = host_of(report, facts);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (report->difference || !(out = open_memstream(&text, &size)))
		return mem_strdup("");
	if (pid)
		fprintf(out, "; PID %d", (int)pid);
	if (host)
		fprintf(out, "%s%s", pid ? " on " : "; on ", host);
	put_time(report, out);
	put_samples(report, out);
	if (fclose(out) != 0) {
		free(text);
		return mem_strdup("");
	}
	char *line = mem_strdup(*text ? text + strlen("; ") : "");
	free(text);
	return line;
}
