/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that change what is counted, and searches (screen.h). */
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

static void toggle_module(struct screen *screen)
{
	struct report_request *request = &screen->state.request;
	const struct function *function = screen_selected(screen);

	if (request->module[0] != '\0')
		request->module[0] = '\0';
	else if (function && function->module[0] != '\0')
		snprintf(request->module, REPORT_TEXT_MAX, "%s", function->module);
	else
		screen_say(screen, ROLE_WARN, "select a function first");
}

static void toggle_thread(struct screen *screen)
{
	struct report_request *request = &screen->state.request;

	if (request->n_tids > 0)
		request->n_tids = 0;
	else if (screen->state.tid != 0) {
		request->tids[0] = screen->state.tid;
		request->n_tids = 1;
	} else
		screen_say(
			screen, ROLE_WARN, "select a thread in the threads view first");
}

/* Undo one restriction: the last zoom, else the filter, else the thread. */
static bool pop(struct screen *screen)
{
	struct report_request *request = &screen->state.request;

	if (view_zoom_pop(&screen->state))
		return true;
	if (request->filter[0] != '\0')
		request->filter[0] = '\0';
	else if (request->module[0] != '\0')
		request->module[0] = '\0';
	else if (request->n_tids > 0)
		request->n_tids = 0;
	else if (request->thread_pattern[0] != '\0')
		request->thread_pattern[0] = '\0';
	else if (screen->state.search.text[0] != '\0')
		screen_search(screen, "");
	else
		return false;
	return true;
}

void screen_zoom(const struct screen *screen, struct report_request *request)
{
	const struct zoom *zoom = view_zoom(&screen->state);
	const struct report *report = screen->report;

	if (!zoom || zoom->length == 0 || zoom->length > REPORT_ZOOM_MAX || !report ||
		report->difference || screen->baseline.shown ||
		!naming_rules_same(&report->request.naming, &request->naming))
		return;
	request->zoom.names = report->profile;
	request->zoom.length = (uint32_t)zoom->length;
	memcpy(request->zoom.path, zoom->path, zoom->length * sizeof(zoom->path[0]));
}

void screen_search(struct screen *screen, const char *text)
{
	search_set(&screen->state.search, text);
	if (screen->report)
		search_update(&screen->state.search, screen->report);
}

bool screen_find(struct screen *screen, enum view_find from)
{
	const struct view_ops *view = screen_view(screen);

	if (!screen->report || !view->find || screen->state.search.text[0] == '\0')
		return false;
	screen_prepare(screen);
	return view->find(
		screen->view_data[screen->shown], &screen->state, screen->report, from);
}

static void find_again(struct screen *screen, enum view_find from)
{
	if (screen->state.search.text[0] == '\0')
		screen_say(screen, ROLE_WARN, "nothing to search: / starts");
	else if (!screen_view(screen)->find)
		screen_say(screen, ROLE_WARN, "this view cannot be searched");
	else if (!screen_find(screen, from))
		screen_say(screen, ROLE_WARN, "nothing matches /%s",
			screen->state.search.text);
}

static void search_selected(struct screen *screen)
{
	const struct function *function = screen_selected(screen);
	char text[REPORT_TEXT_MAX];

	if (!function)
		return;
	if (search_exact_pattern(function->name, text, sizeof(text)))
		screen_search(screen, text);
	else
		screen_say(screen, ROLE_WARN, "this name cannot be searched for");
}

static void start_prompt(struct screen *screen, enum screen_purpose purpose)
{
	screen->purpose = purpose;
	screen->mode = MODE_PROMPT;
	if (purpose == PURPOSE_SEARCH) {
		snprintf(screen->search_before, sizeof(screen->search_before), "%s",
			screen->state.search.text);
		prompt_start(&screen->prompt, "Search: ", "");
	} else
		prompt_start(&screen->prompt,
			"Filter stacks (!: without): ", screen->state.request.filter);
}

void screen_act_narrow(struct screen *screen, enum action action)
{
	switch (action) {
	case ACTION_SEARCH:
		start_prompt(screen, PURPOSE_SEARCH);
		break;
	case ACTION_SEARCH_NEXT:
		find_again(screen, FIND_NEXT);
		break;
	case ACTION_SEARCH_PREVIOUS:
		find_again(screen, FIND_PREVIOUS);
		break;
	case ACTION_SEARCH_THIS:
		search_selected(screen);
		break;
	case ACTION_FILTER:
		start_prompt(screen, PURPOSE_FILTER);
		break;
	case ACTION_MODULE:
		toggle_module(screen);
		break;
	case ACTION_THREAD:
		toggle_thread(screen);
		break;
	case ACTION_POP:
		if (!pop(screen))
			screen_say(screen, ROLE_STATUS, "nothing to undo (q quits)");
		break;
	case ACTION_RESET:
		while (pop(screen))
			;
		screen->state.min_share = 0;
		break;
	default:
		break;
	}
}
