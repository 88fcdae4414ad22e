/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Naming rules: the keys that change them, and the translation of remembered places
   (screen.h). */
#include "ui/screen/screen.h"

static void change_style(struct screen *screen)
{
	static const char *const words[DEMANGLE_STYLES] = {
		[DEMANGLE_FULL] = "in full",
		[DEMANGLE_NO_PARAMS] = "without parameters",
		[DEMANGLE_NO_TEMPLATES] = "without parameters and template arguments",
		[DEMANGLE_NONE] = "as symbols, not demangled",
	};
	struct naming_rules *naming = &screen->state.request.naming;

	naming->style = (naming->style + 1) % DEMANGLE_STYLES;
	screen_say(screen, ROLE_STATUS, "names %s", words[naming->style]);
}

/* Zooms are removed: a path of functions is not a path of lines. */
static void change_granularity(struct screen *screen)
{
	struct naming_rules *naming = &screen->state.request.naming;

	naming->granularity = (naming->granularity + 1) % NAMING_GRANULARITIES;
	while (view_zoom_pop(&screen->state))
		;
	screen_say(screen, ROLE_STATUS, "by %s",
		naming_granularity_name(naming->granularity));
}

static void toggle_inlines(struct screen *screen)
{
	struct naming_rules *naming = &screen->state.request.naming;

	naming->fold_inlines = !naming->fold_inlines;
	screen_say(screen, ROLE_STATUS,
		naming->fold_inlines ? "inlined functions folded into their caller"
				     : "inlined functions shown");
}

/* Zooms are removed: their paths may begin with another process. */
static void change_processes(struct screen *screen)
{
	static const char *const words[NAMING_PROCESSES] = {
		[PROCESSES_BY_NAME] = "processes of one name are one",
		[PROCESSES_BY_COMMAND] = "processes by command line or title",
		[PROCESSES_BY_PID] = "each process by itself",
		[PROCESSES_AS_ONE] = "all processes as one",
	};
	struct naming_rules *naming = &screen->state.request.naming;

	if (screen->report && !screen->report->several) {
		screen_say(screen, ROLE_WARN, "there is only one process");
		return;
	}
	naming->processes = (naming->processes + 1) % NAMING_PROCESSES;
	while (view_zoom_pop(&screen->state))
		;
	screen_say(screen, ROLE_STATUS, "%s (p: other)", words[naming->processes]);
}

/* Samples that were taken keep what they have. Zooms are removed: their paths may not be those of
   the samples to come. */
static void change_native(struct screen *screen)
{
	static const char *const words[] = {
		[NATIVE_MERGED] = "all but the interpreter's own",
		[NATIVE_FULL] = "all of them",
		[NATIVE_NONE] = "none",
	};
	enum native_frames next = (screen->native + 1) % 3;

	if (!screen->source->set_native ||
		(screen->report && !screen->report->languages[0])) {
		screen_say(screen, ROLE_WARN, "only native functions run here");
		return;
	}
	screen->native = next;
	screen->source->set_native(screen->source->context, next);
	while (view_zoom_pop(&screen->state))
		;
	screen_say(screen, ROLE_STATUS, "native functions from now on: %s", words[next]);
}

void screen_change_names(struct screen *screen, enum action action)
{
	if (action == ACTION_PROCESSES)
		change_processes(screen);
	else if (action == ACTION_NATIVE)
		change_native(screen);
	else if (action == ACTION_DEMANGLE)
		change_style(screen);
	else if (action == ACTION_GRANULARITY)
		change_granularity(screen);
	else
		toggle_inlines(screen);
}

/* Remove zooms to places without samples in the history, and the zooms inside them. */
static void follow_zooms(struct screen *screen, const struct renamed *renamed)
{
	struct view_state *state = &screen->state;
	size_t kept = 0;

	while (kept < state->zooms.len) {
		struct zoom *zoom = &state->zooms.data[kept];
		if (renamed_path(renamed, zoom->path, zoom->length) < zoom->length)
			break;
		kept++;
	}
	if (kept == state->zooms.len)
		return;
	while (state->zooms.len > kept)
		view_zoom_pop(state);
	screen_say(screen, ROLE_STATUS, "what was zoomed into is not kept any more");
}

void screen_follow_names(struct screen *screen, const struct report *report)
{
	struct renamed renamed;

	if (!screen->report || !renamed_differ(screen->report, report))
		return;
	renamed_init(&renamed, screen->report, report);
	follow_zooms(screen, &renamed);
	screen->state.function = renamed_function(&renamed, screen->state.function);
	screen->pointed = renamed_function(&renamed, screen->pointed);
	for (size_t i = 0; view_list[i]; i++)
		if (view_list[i]->rename)
			view_list[i]->rename(screen->view_data[i], &renamed);
	renamed_finish(&renamed);
}

void screen_replace(struct screen *screen, struct report *report)
{
	screen_follow_names(screen, report);
	report_destroy(screen->report);
	screen->report = report;
	search_update(&screen->state.search, report);
	hues_update(&screen->state.hues, report, view_metric(report));
	activity_look(&screen->activity, report);
}
