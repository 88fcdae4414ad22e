/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range of time that is shown (its length, its end, frozen or live), and the sampling
   rate (screen.h). */
#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/screen/screen.h"

#include <stdio.h>

static const uint64_t windows_s[] = {1, 2, 5, 10, 30, 60, 120, 300, 600};
/* Slightly below round numbers, so that they do not coincide with timers. */
static const unsigned rates_hz[] = {9, 19, 49, 99, 199, 499, 999, 1999, 4999, 9999};

enum {
	N_WINDOWS = sizeof(windows_s) / sizeof(windows_s[0]),
	N_RATES = sizeof(rates_hz) / sizeof(rates_hz[0])
};

/* Back to now, with the window that was there before. */
static void unfreeze(struct screen *screen)
{
	if (screen->is_chosen)
		screen->state.request.window_ns = screen->live_window_ns;
	screen->is_chosen = screen->state.frozen = false;
}

void screen_change_window(struct screen *screen, uint64_t window_ns)
{
	screen->state.request.window_ns = window_ns;
	screen->is_chosen = false;
	if (window_ns > 0)
		screen_say(screen, ROLE_STATUS, "window: the last %s",
			format_duration(window_ns).text);
	else
		screen_say(screen, ROLE_STATUS, "window: all samples kept");
}

static void change_window(struct screen *screen, bool longer)
{
	const uint64_t *window_ns = &screen->state.request.window_ns;
	const struct report *report = screen->report;
	uint64_t kept_ns = report ? report->end_ns - report->oldest_ns : UINT64_MAX;
	uint64_t length_ns = *window_ns ? *window_ns : kept_ns;
	uint64_t next_ns = 0; /* after the longest window: all the history */

	if (!longer)
		next_ns = windows_s[0] * NS_PER_SEC;
	for (int k = 0; k < N_WINDOWS && (!longer || *window_ns > 0); k++) {
		uint64_t at_ns = windows_s[longer ? N_WINDOWS - 1 - k : k] * NS_PER_SEC;
		if (longer ? at_ns > *window_ns : at_ns < length_ns)
			next_ns = at_ns;
	}
	screen_change_window(screen, next_ns);
}

static void toggle_freeze(struct screen *screen)
{
	if (!screen->report)
		return;
	if (screen->state.frozen) {
		unfreeze(screen);
		return;
	}
	screen->state.frozen = true;
	screen->frozen_ns = screen->report->end_ns;
	screen_say(screen, ROLE_STATUS, "the picture is held; sampling goes on");
}

/* The end of what is shown when it is live: now, or when the target ended. */
static uint64_t live_end_ns(const struct screen *screen)
{
	uint64_t ended_ns = meter_get(&screen_meter(screen)->ended_ns);

	return ended_ns ? ended_ns : screen->state.now_ns;
}

static void show_until(struct screen *screen, uint64_t end_ns, uint64_t length_ns)
{
	screen->state.frozen = true;
	screen->frozen_ns = end_ns;
	uint64_t now_ns = live_end_ns(screen);
	uint64_t ago_ns = now_ns > end_ns ? now_ns - end_ns : 0;
	screen_say(screen, ROLE_STATUS, "%s that ended %s ago; ] later, z back to now",
		format_duration(length_ns).text,
		format_duration(ago_ns - ago_ns % NS_PER_SEC).text);
}

/* Move back by half of the range shown, at most to the oldest samples. */
static void go_earlier(struct screen *screen)
{
	const struct report *report = screen->report;

	if (!report)
		return;
	uint64_t end_ns = screen->state.frozen ? screen->frozen_ns : report->end_ns;
	uint64_t length_ns = screen->state.request.window_ns;
	uint64_t first_ns = report->oldest_ns + length_ns; /* the earliest end */
	if (length_ns == 0 || end_ns <= first_ns) {
		screen_say(screen, ROLE_WARN,
			length_ns ? "nothing earlier is kept"
				  : "all that is kept is shown: } first");
		return;
	}
	end_ns = end_ns - first_ns > length_ns / 2 ? end_ns - length_ns / 2 : first_ns;
	show_until(screen, end_ns, length_ns);
}

static void go_later(struct screen *screen)
{
	uint64_t length_ns = screen->state.request.window_ns;

	if (!screen->state.frozen) {
		screen_say(screen, ROLE_WARN, "this is now: [ goes back");
		return;
	}
	uint64_t end_ns = screen->frozen_ns + length_ns / 2;
	if (length_ns > 0 && end_ns < live_end_ns(screen)) {
		show_until(screen, end_ns, length_ns);
		return;
	}
	unfreeze(screen);
	screen_say(screen, ROLE_STATUS, "back to now");
}

void screen_choose_range(struct screen *screen, uint64_t from_ns, uint64_t to_ns)
{
	const struct timeline *timeline = screen->state.timeline;

	if (timeline && to_ns > timeline->end_ns)
		to_ns = timeline->end_ns;
	if (timeline && from_ns < timeline->start_ns)
		from_ns = timeline->start_ns;
	if (from_ns >= to_ns)
		return;
	if (!screen->is_chosen)
		screen->live_window_ns = screen->state.request.window_ns;
	screen->is_chosen = true;
	screen->state.request.window_ns = to_ns - from_ns;
	show_until(screen, to_ns, to_ns - from_ns);
}

/* Of what is held, begin earlier or later by half of its length, and end where it ends. */
static void stretch(struct screen *screen, bool longer)
{
	const struct report *report = screen->report;

	if (!screen->state.frozen || !report) {
		change_window(screen, longer);
		return;
	}
	uint64_t length_ns = report->end_ns - report->start_ns;
	uint64_t most_ns = report->end_ns - report->oldest_ns;
	uint64_t next_ns = longer ? length_ns + length_ns / 2 : length_ns / 2;
	if (longer && length_ns >= most_ns) {
		screen_say(screen, ROLE_WARN, "nothing earlier is kept");
		return;
	}
	if (next_ns < TIMELINE_CELL_NS)
		next_ns = TIMELINE_CELL_NS;
	next_ns = next_ns < most_ns ? next_ns : most_ns;
	screen_choose_range(screen, report->end_ns - next_ns, report->end_ns);
}

static void change_rate(struct screen *screen, bool higher)
{
	unsigned now_hz = screen->gauges.asked_hz, next_hz = now_hz;

	for (int i = 0; i < N_RATES; i++) {
		if (higher && rates_hz[i] > now_hz) {
			next_hz = rates_hz[i];
			break;
		}
		if (!higher && rates_hz[i] < now_hz)
			next_hz = rates_hz[i];
	}
	if (screen->gauges.sampling_ended) {
		screen_say(screen, ROLE_WARN, "sampling has ended");
		return;
	}
	screen->source->set_frequency(screen->source->context, next_hz);
	screen_say(screen, ROLE_STATUS, "sampling at %u Hz", next_hz);
}

static bool is_of_sampling(enum action action)
{
	return action == ACTION_CLEAR || action == ACTION_RATE_LOWER ||
	       action == ACTION_RATE_HIGHER;
}

/* What a file has no answer to. */
static void explain_file(struct screen *screen, enum action action)
{
	if (is_of_sampling(action))
		screen_say(screen, ROLE_WARN, "nothing is sampled: this is a file");
	else
		screen_say(screen, ROLE_WARN,
			"the samples of this file have no times: all of it is shown");
}

/* The instant is that of the key; typing a name takes a while. */
static void begin_mark(struct screen *screen)
{
	if (screen->gauges.sampling_ended) {
		screen_say(screen, ROLE_WARN, "sampling has ended");
		return;
	}
	screen->mark_ns = screen->state.now_ns;
	screen->purpose = PURPOSE_MARK;
	screen->mode = MODE_PROMPT;
	prompt_start(&screen->prompt, "mark: ", "");
}

void screen_mark_typed(struct screen *screen)
{
	struct source *source = screen->source;

	source->mark(source->context, screen->mark_ns, screen->prompt.text);
	screen_say(screen, ROLE_STATUS, "marked");
}

/* "12.0 s load test; 20.1 s end": from the begin of what is shown. */
static void list_marks(struct screen *screen)
{
	const struct report *report = screen->report;
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; report && i < report->n_time_marks && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.1f s %s",
			i ? "; " : "",
			(double)(report->time_marks[i].time_ns - report->start_ns) /
				NS_PER_SEC,
			report->time_marks[i].text);
	if (used)
		screen_say(screen, ROLE_STATUS, "marks: %s", text);
	else
		screen_say(screen, ROLE_WARN, "no marks in what is shown");
}

void screen_act_time(struct screen *screen, enum action action)
{
	const struct origin *origin = screen->source->facts.origin;
	if (action == ACTION_BASELINE || action == ACTION_DIFFERENCE ||
		action == ACTION_NORMALIZE) {
		screen_act_baseline(screen, action);
		return;
	}
	if (action == ACTION_MARK) {
		if (screen->source->mark)
			begin_mark(screen);
		else
			list_marks(screen);
		return;
	}
	if (origin && (!origin->moments.len || is_of_sampling(action))) {
		explain_file(screen, action);
		return;
	}
	switch (action) {
	case ACTION_FREEZE:
		toggle_freeze(screen);
		break;
	case ACTION_EARLIER:
		go_earlier(screen);
		break;
	case ACTION_LATER:
		go_later(screen);
		break;
	case ACTION_LONGER:
	case ACTION_SHORTER:
		stretch(screen, action == ACTION_LONGER);
		break;
	case ACTION_RATE_LOWER:
	case ACTION_RATE_HIGHER:
		change_rate(screen, action == ACTION_RATE_HIGHER);
		break;
	case ACTION_CLEAR:
		screen->source->clear(screen->source->context);
		unfreeze(screen);
		screen_say(screen, ROLE_STATUS, "samples forgotten");
		break;
	default:
		break;
	}
}
