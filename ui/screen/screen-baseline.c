/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baseline: what the screen compares with (screen.h). It is a report, of a range of time
   or of the earlier of two files, counted as what is shown is counted. When the filters or
   the names change, it is asked for again. */
#include "src/count/difference/difference.h"
#include "ui/draw/format.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

static bool is_pair(const struct screen *screen)
{
	return screen->source->facts.before != NULL;
}

static bool has_no_times(const struct screen *screen)
{
	const struct origin *origin = screen->source->facts.origin;
	return origin && !origin->moments.len;
}

void screen_baseline_init(struct screen *screen)
{
	struct baseline *baseline = &screen->baseline;

	baseline->exists = baseline->shown = is_pair(screen);
	baseline->normalization =
		is_pair(screen) ? screen->source->facts.normalization : NORMALIZE_TIME;
}

bool screen_baseline_wanted(const struct screen *screen,
	const struct report_request *shown, struct report_request *request)
{
	const struct baseline *baseline = &screen->baseline;

	if (!baseline->exists ||
		(baseline->report &&
			(!baseline->shown ||
				report_request_alike(&baseline->report->request, shown))))
		return false;
	*request = *shown;
	request->blocks = DIFFERENCE_BLOCKS;
	request->thread_states = request->moments = false;
	if (is_pair(screen)) {
		request->earlier = true;
		request->until_ns = request->window_ns = 0; /* all of it */
	} else {
		request->until_ns = baseline->end_ns;
		request->since_ns = 0;
		request->window_ns = baseline->end_ns - baseline->start_ns;
	}
	return true;
}

void screen_baseline_take(struct screen *screen, struct report *report)
{
	struct baseline *baseline = &screen->baseline;

	report_destroy(baseline->report);
	baseline->report = report;
	if (!is_pair(screen) && report->start_ns > baseline->start_ns) {
		baseline->exists = baseline->shown = false;
		screen_say(screen, ROLE_WARN,
			"the samples of the baseline are not kept any more: B marks "
			"another");
	}
}

struct report *screen_compare(struct screen *screen, struct report *report)
{
	struct baseline *baseline = &screen->baseline;
	struct report *both;

	if (!baseline->shown || !baseline->report ||
		!report_request_alike(&baseline->report->request, &report->request))
		return report;
	both = difference_build(
		baseline->report, report, baseline->normalization, !is_pair(screen));
	report_destroy(report);
	return both;
}

static void mark(struct screen *screen)
{
	struct baseline *baseline = &screen->baseline;
	const struct report *report = screen->report;

	if (is_pair(screen)) {
		screen_say(screen, ROLE_WARN, "the baseline is %s",
			screen->source->facts.before);
		return;
	}
	if (has_no_times(screen)) {
		screen_say(screen, ROLE_WARN,
			"a file without times is compared with another: cproftop diff "
			"OLD NEW");
		return;
	}
	if (!report || report->end_ns <= report->start_ns) {
		screen_say(screen, ROLE_WARN, "there is nothing to compare with yet");
		return;
	}
	report_destroy(baseline->report);
	*baseline = (struct baseline){
		.exists = true,
		.start_ns = report->start_ns,
		.end_ns = report->end_ns,
		.normalization = baseline->normalization,
	};
	screen_say(screen, ROLE_STATUS,
		"the baseline is these %s: D shows what has changed since",
		format_duration(report->end_ns - report->start_ns).text);
}

/* Threads of two files have only their names in common (src/count/difference/difference.h), so those
   that were selected are selected by name. */
void screen_name_threads(const struct screen *screen, struct report_request *request)
{
	const struct report *report = screen->report;
	size_t used = 0, size = sizeof(request->thread_pattern);
	char pattern[sizeof(request->thread_pattern)] = "";

	if (!is_pair(screen) || !report || request->n_tids == 0)
		return;
	for (size_t i = 0; i < report->n_threads && used < size; i++) {
		const struct thread *thread =
			profile_thread(report->profile, report->threads[i].thread);
		bool chosen = false;
		for (uint32_t k = 0; k < request->n_tids; k++)
			chosen = chosen || request->tids[k] == thread->tid;
		if (chosen && !strstr(thread->name, "\\E"))
			used += (size_t)snprintf(pattern + used, size - used,
				"%s\\Q%s\\E", used ? "$|^" : "^", thread->name);
	}
	if (used == 0 || used + 1 >= size)
		return;
	snprintf(request->thread_pattern, size, "%s$", pattern);
	request->n_tids = 0;
}

/* Show what is there anew, with or without the baseline. */
static void show_again(struct screen *screen)
{
	struct report *report = screen->report, *after;

	if (!report || !report->difference)
		return;
	after = report_share(report->difference->after);
	screen_replace(screen, screen_compare(screen, after));
}

static void toggle(struct screen *screen)
{
	struct baseline *baseline = &screen->baseline;

	if (!baseline->exists) {
		if (has_no_times(screen))
			mark(screen); /* says why not */
		else
			screen_say(screen, ROLE_WARN,
				"there is no baseline: B marks what is shown");
		return;
	}
	baseline->shown = !baseline->shown;
	if (baseline->shown) {
		screen_say(screen, ROLE_STATUS,
			"then and now; * changed by more than it varies by itself; %% "
			"other units");
	} else {
		screen_say(screen, ROLE_STATUS, "what is, without the baseline");
		show_again(screen);
	}
}

static void next_normalization(struct screen *screen)
{
	static const char *const words[NORMALIZATIONS] = {
		[NORMALIZE_CPU] = "shares of the time, or of what is counted",
		[NORMALIZE_TIME] = "time per second, or what is counted per second",
		[NORMALIZE_NONE] = "values as they are",
	};
	struct baseline *baseline = &screen->baseline;

	baseline->normalization = (baseline->normalization + 1) % NORMALIZATIONS;
	screen_say(screen, ROLE_STATUS, "differences compare %s",
		words[baseline->normalization]);
	show_again(screen);
}

void screen_act_baseline(struct screen *screen, enum action action)
{
	if (action == ACTION_BASELINE)
		mark(screen);
	else if (action == ACTION_DIFFERENCE)
		toggle(screen);
	else
		next_normalization(screen);
}
