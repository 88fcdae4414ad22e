/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/asking.h"

#include "src/base/clock.h"
#include "src/count/difference/difference.h"

#define PATIENCE_NS   (10 * NS_PER_SEC)
#define LATE_NAMES_NS (60 * NS_PER_SEC) /* after the end */

/* The request for what should be on the screen now. If the target has ended, its last
   window stays. */
static struct report_request wanted(
	const struct asking *asking, const struct screen *screen)
{
	struct report_request request = screen->state.request;

	request.serial = asking->asked.serial;
	request.until_ns = screen->state.frozen
				   ? screen->frozen_ns
				   : meter_get(&screen_meter(screen)->ended_ns);
	request.thread_states = screen_view(screen)->thread_states;
	request.moments = screen_view(screen)->moments;
	screen_name_threads(screen, &request);
	screen_zoom(screen, &request);
	if (screen->baseline.shown) {
		request.blocks = DIFFERENCE_BLOCKS;
		request.since_ns = screen->baseline.end_ns; /* not the same samples */
	}
	return request;
}

/* What to ask next: for the baseline, if that must be counted first. */
static struct report_request next_question(
	const struct asking *asking, const struct screen *screen, bool *is_baseline)
{
	struct report_request request = wanted(asking, screen), baseline;

	*is_baseline = screen_baseline_wanted(screen, &request, &baseline);
	return *is_baseline ? baseline : request;
}

static bool same_question(const struct report_request *a, const struct report_request *b)
{
	return a->window_ns == b->window_ns && a->until_ns == b->until_ns &&
	       a->since_ns == b->since_ns && a->blocks == b->blocks &&
	       a->earlier == b->earlier && a->thread_states == b->thread_states &&
	       a->moments == b->moments && report_request_alike(a, b);
}

/* The timeline of ten minutes need not be made anew as often as a report: its columns are
   seconds long. */
static bool timeline_is_due(const struct asking *asking, const struct screen *screen)
{
	const struct timeline *timeline = screen->timeline;
	uint64_t every_ns = ASKING_REFRESH_NS;

	if (timeline && (timeline->end_ns - timeline->start_ns) / 600 > ASKING_REFRESH_NS)
		every_ns = NS_PER_SEC;
	return !timeline || screen->state.now_ns - asking->timeline_ns >= every_ns;
}

static void ask(struct asking *asking, struct screen *screen,
	const struct report_request *question, bool is_baseline)
{
	/* A question that replaces one that was not answered is for what that was for. */
	bool is_open =
		!asking_is_answered(asking) && asking->asked.timeline != TIMELINE_NONE;
	bool is_new = is_open || !same_question(question, &asking->asked);

	asking->asked = *question;
	asking->asked.timeline = TIMELINE_NONE;
	if (!is_baseline && (is_new || timeline_is_due(asking, screen))) {
		asking->asked.timeline = TIMELINE_TOO;
		asking->timeline_ns = screen->state.now_ns;
	}
	asking->asked.serial++;
	asking->asks_baseline = is_baseline;
	asking->asked_ns = screen->state.now_ns;
	screen->source->request(screen->source->context, &asking->asked);
}

/* While what is shown is held, only the timeline goes on, and names that come late. In a file
   nothing does, and soon after the end nothing does any more: later, what is kept would only
   get less. */
static void ask_for_timeline(struct asking *asking, struct screen *screen)
{
	const struct report *shown = screen->report;
	uint64_t now_ns = screen->state.now_ns;
	uint64_t ended_ns = meter_get(&screen_meter(screen)->ended_ns);
	bool is_over = ended_ns && now_ns > ended_ns && now_ns - ended_ns > LATE_NAMES_NS;

	if ((shown && shown->origin) || is_over || !timeline_is_due(asking, screen))
		return;
	asking->asked.timeline = TIMELINE_ONLY;
	asking->asked.serial++;
	asking->timeline_ns = screen->state.now_ns;
	screen->source->request(screen->source->context, &asking->asked);
}

void asking_step(struct asking *asking, struct screen *screen, bool must)
{
	bool is_baseline;
	struct report_request request = next_question(asking, screen, &is_baseline);
	bool answered = asking_is_answered(asking);
	bool is_due = answered && request.until_ns == 0 &&
		      screen->state.now_ns - asking->asked_ns >= ASKING_REFRESH_NS;

	if (must || is_due || asking->asked.serial == 0 ||
		(answered && asking->is_outdated) ||
		!same_question(&request, &asking->asked))
		ask(asking, screen, &request, is_baseline);
	else if (answered && request.until_ns != 0 && !is_baseline)
		ask_for_timeline(asking, screen);
}

/* The screen keeps the newest: not every report has one. */
static void take_timeline(struct screen *screen, struct report *report)
{
	if (!report->kept)
		return;
	timeline_destroy(screen->timeline);
	screen->state.timeline = screen->timeline = report->kept;
	report->kept = NULL;
	screen->state.timeline_serial++;
}

void asking_take(struct asking *asking, struct screen *screen)
{
	struct report *report = screen->source->take(screen->source->context);

	if (!report)
		return;
	asking->answered = report->request.serial;
	take_timeline(screen, report);
	/* Not if samples of the range are forgotten by now: they would be missing. */
	asking->is_outdated = report->renamings != asking->renamings && screen->report &&
			      report->oldest_ns <= screen->report->start_ns;
	if (report->request.timeline == TIMELINE_ONLY) {
		report_destroy(report);
		return;
	}
	if (asking->asks_baseline && asking_is_answered(asking)) {
		screen_baseline_take(screen, report);
		return;
	}
	asking->renamings = report->renamings;
	asking->is_outdated = false;
	screen_replace(screen, screen_compare(screen, report));
}

void asking_note_silence(struct asking *asking, struct screen *screen)
{
	uint64_t now_ns = screen->state.now_ns;

	if (asking_is_answered(asking) || !asking->silent_since_ns)
		asking->silent_since_ns = now_ns;
	if (now_ns - asking->silent_since_ns < PATIENCE_NS)
		return;
	asking->silent_since_ns = now_ns;
	screen_say(screen, ROLE_WARN, "no answer for 10 s: q ends");
}
