/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing what is shown to a file (screen.h). */
#include "src/base/clock.h"
#include "src/write/export.h"
#include "src/write/provenance.h"
#include "ui/draw/format.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "cproftop-nginx-4711-20260102-030415.pb.gz": program, target, and end of the range. */
static void default_name(const struct screen *screen, const struct export_format *format,
	char *out, size_t size)
{
	const struct source_facts *facts = &screen->source->facts;
	const struct report *report = screen->report;
	uint64_t end_wall_ns =
		report->start_wall_ns + (report->end_ns - report->start_ns);
	time_t end = (time_t)(end_wall_ns / NS_PER_SEC);
	char command[32], when[32];
	struct tm local;
	size_t n = 0;

	/* The last component of the first word, without characters that a shell
	   interprets. */
	const char *text = facts->command;
	size_t length = strcspn(text, " :");
	for (size_t i = 0; i < length && n < sizeof(command) - 1; i++) {
		char c = text[i];
		if (c == '/')
			n = 0;
		else
			command[n++] = strchr("-_.", c) || (c >= '0' && c <= '9') ||
						       (c >= 'A' && c <= 'Z') ||
						       (c >= 'a' && c <= 'z')
					       ? c
					       : '_';
	}
	command[n] = '\0';
	localtime_r(&end, &local);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &local);
	if (facts->origin)
		snprintf(out, size, "cproftop-%s%s", command, format->suffix);
	else
		snprintf(out, size, "cproftop-%s%s%d-%s%s", command, n > 0 ? "-" : "",
			(int)facts->pid, when, format->suffix);
}

static bool have_report(struct screen *screen)
{
	if (!screen->report)
		screen_say(screen, ROLE_WARN, "there is nothing to write yet");
	return screen->report != NULL;
}

void screen_export_menu(struct screen *screen)
{
	if (!have_report(screen))
		return;
	screen->menu = (struct menu){.title = "Write what is shown as"};
	for (size_t i = 0; export_formats[i]; i++)
		menu_add(&screen->menu, export_formats[i]->name,
			export_formats[i]->description);
	screen->mode = MODE_MENU;
}

void screen_export_describe(const struct screen *screen, char *text, size_t size)
{
	const struct report *report = screen->report;
	const struct difference *difference = report->difference;
	const struct zoom *zoom = view_zoom(&screen->state);
	char *what = provenance_what(difference ? difference->after : report);

	snprintf(text, size, "writes %s%s%s%s", difference ? "both sides of " : "", what,
		zoom && zoom->length > 0 && report->request.zoom.length == 0
			? "; not only the zoom"
			: "",
		screen->state.min_share > 0 ? "; small rows, too" : "");
	free(what);
}

void screen_export_prompt(struct screen *screen, const struct export_format *format)
{
	char name[PROMPT_MAX];

	default_name(screen, format, name, sizeof(name));
	screen->format = format;
	screen->purpose = PURPOSE_EXPORT;
	screen->mode = MODE_PROMPT;
	prompt_start(&screen->prompt, "Write to: ", name);
}

/* Replace the "%s" in OPEN_WITH by PATH. Not by printf, because it is not a constant
   format. */
static void describe_open(const char *open_with, const char *path, char *out, size_t size)
{
	const char *hole = open_with ? strstr(open_with, "%s") : NULL;

	if (hole)
		snprintf(out, size, ": %.*s%s%s", (int)(hole - open_with), open_with,
			path, hole + 2);
	else
		out[0] = '\0';
}

/* Write the file, with the same comments as `record` and the restrictions of the view. */
static bool write_file(const struct screen *screen, const struct report *report,
	const struct export_format *format, const char *path, uint64_t *bytes,
	struct error *err)
{
	const struct source_facts *source = &screen->source->facts;
	struct summary summary = summary_of(
		screen_meter(screen), report, screen->state.now_ns, screen->own_cpu_ns());
	struct export_facts facts = {
		.period_ns = summary_held_period_ns(&summary),
		.frequency_hz = screen->gauges.asked_hz ? screen->gauges.asked_hz
							: source->frequency_hz,
		.command = source->command,
		.pid = source->several ? 0 : source->pid,
	};
	struct provenance provenance;

	provenance_init(&provenance, report, &summary, source->host);
	provenance_comment(&provenance, &facts);
	bool written = export_to_file(format, report, &facts, path, bytes, err);
	provenance_finish(&provenance);
	return written;
}

/* Both sides of a difference, and the command that compares them: "x.pb.gz" and
   "x-before.pb.gz". */
static void export_both(
	struct screen *screen, const struct export_format *format, const char *path)
{
	const struct difference *difference = screen->report->difference;
	char before[PROMPT_MAX + 16];
	struct error err = {0};
	uint64_t bytes;
	const char *slash = strrchr(path, '/');
	const char *dot = strchr(slash ? slash + 1 : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);

	snprintf(before, sizeof(before), "%.*s-before%s", (int)stem, path, path + stem);
	if (write_file(screen, difference->before, format, before, &bytes, &err) &&
		write_file(screen, difference->after, format, path, &bytes, &err)) {
		screen_say(screen, ROLE_GOOD, "wrote both: cproftop diff %s %s", before,
			path);
		screen->status_until_ns = UINT64_MAX; /* until the next key */
	} else
		screen_say(screen, ROLE_BAD, "%s", err.text);
}

void screen_export(
	struct screen *screen, const struct export_format *format, const char *path)
{
	char name[PROMPT_MAX], open[2 * PROMPT_MAX];
	struct error err = {0};
	uint64_t bytes = 0;

	if (!have_report(screen) || !format)
		return;
	if (!path) {
		default_name(screen, format, name, sizeof(name));
		path = name;
	}
	if (strcmp(path, "-") == 0)
		screen_say(screen, ROLE_BAD, "the screen is on standard output");
	else if (screen->report->difference && format->reads_back)
		export_both(screen, format, path);
	else if (write_file(screen, screen->report, format, path, &bytes, &err)) {
		describe_open(format->open_with, path, open, sizeof(open));
		screen_say(screen, ROLE_GOOD, "wrote %s (%s)%s", path,
			format_bytes(bytes).text, open);
		screen->status_until_ns = UINT64_MAX; /* until the next key */
	} else
		screen_say(screen, ROLE_BAD, "%s", err.text);
}
