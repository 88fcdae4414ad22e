/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/record-file.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/output-file.h"
#include "src/write/provenance.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	NAME_BYTES = 64,
	SAME_NAMES = 100, /* files of one second, as after the clock was set back */
};

/* The last component of the first word of TEXT, only with characters that are safe in a
   file name. */
static void short_name(const char *text, char out[NAME_BYTES])
{
	size_t length = 0, word = strcspn(text, " ");
	for (size_t i = 0; i < word; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '/')
			length = 0;
		else if (c != ':' && length + 1 < NAME_BYTES) /* "nginx: worker" */
			out[length++] = isalnum(c) || strchr("._+-", c) ? (char)c : '_';
	}
	out[length] = '\0';
	if (!length || out[0] == '.')
		snprintf(out, NAME_BYTES, "process");
}

static const char *slash_after(const char *folder)
{
	size_t length = strlen(folder);
	return length && folder[length - 1] == '/' ? "" : "/";
}

static void program_name(const struct session *session, char out[NAME_BYTES])
{
	const struct target *target = session_target(session);
	short_name(target->path && target->path[0] ? target->path : target->command, out);
}

void record_file_prune(const struct options *options, const struct session *session,
	const struct export_format *format)
{
	const struct spool_limit *keep = &options->keep;
	if (!keep->files && !keep->bytes && !keep->age_s)
		return;
	char name[NAME_BYTES];
	program_name(session, name);
	int folder = open(options->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return;
	spool_prune(folder, format->suffix, name, keep, (int64_t)time(NULL));
	close(folder);
}

/* By the folder's descriptor: the folder may be closed to the user that we are. */
static bool is_there(const char *folder, const char *name)
{
	struct stat status;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = fd >= 0 && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (fd >= 0)
		close(fd);
	return found;
}

char *record_file_path(const char *folder, const struct session *session,
	const struct export_format *format, uint64_t start_ns)
{
	char name[NAME_BYTES], when[32];
	time_t seconds = (time_t)(start_ns / NS_PER_SEC);
	struct tm utc;
	gmtime_r(&seconds, &utc);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	program_name(session, name);
	for (int i = 0;; i++) {
		char again[16] = "";
		if (i)
			snprintf(again, sizeof(again), "-%d", i);
		char *path = mem_printf("%s%s%s-%d-%s%s%s", folder, slash_after(folder),
			name, (int)session_target(session)->pid, when, again,
			format->suffix);
		if (i == SAME_NAMES || !is_there(folder, strrchr(path, '/') + 1))
			return path;
		free(path);
	}
}

bool record_file_check_folder(const char *option, const char *folder,
	const struct export_format *format, struct error *err)
{
	struct stat status;
	if (stat(folder, &status) != 0 && errno == ENOENT)
		return error_set(err, "%s: there is no folder %s: mkdir -p %s", option,
			folder, folder);
	if (stat(folder, &status) != 0)
		return error_errno(err, errno, "%s: folder %s", option, folder);
	if (!S_ISDIR(status.st_mode))
		return error_set(err, "%s: %s is not a folder", option, folder);
	char *path =
		mem_printf("%s%scproftop%s", folder, slash_after(folder), format->suffix);
	bool good = output_file_check(path, err);
	free(path);
	return good;
}

bool record_file_keep_older(const struct options *options, struct error *err)
{
	struct stat status;
	const char *path = options->output;
	if (path != options->default_output || lstat(path, &status) != 0 ||
		!S_ISREG(status.st_mode))
		return true;
	char *old = mem_printf("%s.old", path);
	bool done = rename(path, old) == 0;
	if (!done)
		error_errno(err, errno, "%s: cannot be kept as %s", path, old);
	else if (!options->quiet)
		fprintf(stderr, "cproftop: the %s that was here is now %s\n", path, old);
	free(old);
	return done;
}

struct summary record_file_summary(const struct options *options,
	const struct report *report, const struct meter *before,
	const struct meter *after, uint64_t own_ns)
{
	struct meter between;
	meter_between(before, after, &between);
	meter_set(&between.began_ns, report->start_ns);
	meter_set(&between.ended_ns, report->end_ns);
	meter_set(&between.paused_ns, meter_paused_ns(after, report->end_ns) -
					      meter_paused_ns(before, report->start_ns));
	meter_set(&between.paused_from_ns, 0);
	struct summary summary = summary_of(&between, report, report->end_ns, own_ns);
	summary.cpu_kernel_ns = report_charged_ns(report);
	summary.samples = report->total.samples;
	if (report_counts_event(report) && report_value_kind(report) == VALUE_COUNT)
		summary.event_sampled = report->total.cpu_ns;
	else if (!report_counts_event(report) && !options->wall)
		summary.cpu_sampled_ns = report->total.cpu_ns;
	return summary;
}

struct report_request record_file_request(
	const struct options *options, uint64_t until_ns)
{
	struct report_request request = {
		.until_ns = until_ns,
		.wall = options->wall,
		.moments = !options->no_times,
		.naming = options->naming,
	};
	if (options->focus)
		snprintf(request.filter, sizeof(request.filter), "%s", options->focus);
	if (options->threads)
		snprintf(request.thread_pattern, sizeof(request.thread_pattern), "%s",
			options->threads);
	return request;
}

bool record_file_write(const struct options *options, const struct session *session,
	const struct export_format *format, const struct report *report,
	const struct summary *summary, const char *path, uint64_t *bytes,
	struct error *err)
{
	struct provenance provenance;
	provenance_init(&provenance, report, summary, session_host(session));
	struct export_facts facts = {
		.frequency_hz = report->event.period ? 0 : options->frequency_hz,
		.period_ns = summary_held_period_ns(summary),
		.command = session_command(session),
		.pid = session->several ? 0 : session_target(session)->pid,
		.weigh_cpu = options->weigh_cpu,
		.weigh_wall = options->weigh_wall,
		.split_inlines = options->split_inlines,
		.labels = options->labels,
		.n_labels = options->n_labels,
		.no_thread_labels = options->no_thread_labels,
	};
	provenance_comment(&provenance, &facts);
	bool done = export_to_file(format, report, &facts, path, bytes, err);
	provenance_finish(&provenance);
	return done;
}
