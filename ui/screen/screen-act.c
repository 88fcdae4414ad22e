/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that concern all views (screen.h). */
#include "src/base/clock.h"
#include "src/export/export.h"
#include "ui/draw/format.h"
#include "ui/screen/function-sheet.h"
#include "ui/screen/health-sheet.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

static const double min_shares[] = {0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};

enum {
	N_MIN_SHARES = sizeof(min_shares) / sizeof(min_shares[0])
};

static void change_min_share(struct screen *screen, bool more)
{
	double *share = &screen->state.min_share;
	int i = 0;

	while (i < N_MIN_SHARES - 1 && min_shares[i] < *share)
		i++;
	if (more && i < N_MIN_SHARES - 1)
		i++;
	else if (!more && i > 0)
		i--;
	*share = min_shares[i];
	if (*share > 0)
		screen_say(
			screen, ROLE_STATUS, "hiding what is below %g%%", *share * 100);
	else
		screen_say(screen, ROLE_STATUS, "hiding nothing");
}

static void toggle_follow(struct screen *screen)
{
	screen->state.follow = !screen->state.follow;
	screen_say(screen, ROLE_STATUS, "the cursor stays on its %s",
		screen->state.follow ? "function" : "row");
}

/* The next of the types that a file has values of. */
static void next_type(struct screen *screen, const struct origin *origin)
{
	uint32_t *type = &screen->state.request.sample_type;

	if (origin->types.len < 2) {
		screen_say(screen, ROLE_WARN, "the file has values of one type only: %s",
			origin->types.data[*type].type);
		return;
	}
	*type = (*type + 1) % (uint32_t)origin->types.len;
	screen_say(screen, ROLE_STATUS, "%s, in %s", origin->types.data[*type].type,
		origin->types.data[*type].unit);
}

static void toggle_metric(struct screen *screen)
{
	bool wall = !screen->state.request.wall;

	if (screen->source->facts.origin) {
		next_type(screen, screen->source->facts.origin);
		return;
	}
	if (!screen->source->set_wall) {
		screen_say(screen, ROLE_WARN, "there is nothing else to count here");
		return;
	}
	screen->source->set_wall(screen->source->context, wall);
	screen->state.request.wall = wall;
	screen_say(screen, ROLE_STATUS,
		wall ? "wall clock of every thread, waiting included"
		     : "CPU time: only what runs");
}

static const struct function *selected(const struct screen *screen)
{
	if (!screen->report || screen->state.function == PROFILE_NONE)
		return NULL;
	return profile_function(screen->report->profile, screen->state.function);
}

static void toggle_module(struct screen *screen)
{
	struct report_request *request = &screen->state.request;
	const struct function *function = selected(screen);

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

/* The selected function's name, as a pattern that matches nothing else. */
static void search_selected(struct screen *screen)
{
	const struct function *function = selected(screen);
	char text[REPORT_TEXT_MAX];

	if (!function || strstr(function->name, "\\E"))
		return;
	if (strlen(function->name) + sizeof("^\\Q\\E$") > sizeof(text))
		screen_say(screen, ROLE_WARN, "the name is too long to search for");
	else {
		snprintf(text, sizeof(text), "^\\Q%s\\E$", function->name);
		screen_search(screen, text);
	}
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

void screen_show_view(struct screen *screen, size_t index)
{
	screen->shown = index;
	screen->state.function = PROFILE_NONE;
	screen->state.tid = 0;
}

static void step_view(struct screen *screen, bool forward)
{
	size_t count = 0, index = screen->shown;

	while (view_list[count])
		count++;
	do
		index = (index + (forward ? 1 : count - 1)) % count;
	while (view_list[index]->available &&
		!view_list[index]->available(&screen->state));
	screen_show_view(screen, index);
}

static void go_to(struct screen *screen)
{
	for (size_t i = 0; view_list[i] && screen->state.go_to; i++)
		if (strcmp(view_list[i]->name, screen->state.go_to) == 0)
			screen->shown = i;
	screen->state.go_to = NULL;
}

/* Ctrl-Z. The target runs on meanwhile: none of its threads may stay stopped while this
   process is. */
void screen_suspend(struct screen *screen)
{
	struct source *source = screen->source;

	if (source->hold)
		source->hold(source->context, true);
	screen->term->ops->suspend(screen->term);
	if (source->hold)
		source->hold(source->context, false);
}

static void show_detail(struct screen *screen)
{
	if (!selected(screen)) {
		screen_say(screen, ROLE_WARN, "select a function first");
		return;
	}
	sheet_function(&screen->sheet, screen->report, screen->state.function);
	screen->mode = MODE_SHEET;
}

/* Actions that change how things look. */
static void look(struct screen *screen, enum action action)
{
	struct view_state *state = &screen->state;

	switch (action) {
	case ACTION_NEXT_VIEW:
	case ACTION_PREVIOUS_VIEW:
		step_view(screen, action == ACTION_NEXT_VIEW);
		break;
	case ACTION_METRIC:
		toggle_metric(screen);
		break;
	case ACTION_FLIP:
		state->flipped = !state->flipped;
		break;
	case ACTION_GRANULARITY:
	case ACTION_INLINES:
	case ACTION_DEMANGLE:
		screen_change_names(screen, action);
		break;
	case ACTION_POOLS:
		state->pools = !state->pools;
		break;
	case ACTION_MIN_MORE:
	case ACTION_MIN_LESS:
		change_min_share(screen, action == ACTION_MIN_MORE);
		break;
	case ACTION_HEALTH:
		if (screen->report) {
			sheet_health(&screen->sheet, screen->report);
			screen->mode = MODE_SHEET;
		}
		break;
	case ACTION_DETAIL:
		show_detail(screen);
		break;
	default:
		break;
	}
}

/* Actions that change what is counted, and searches. */
static void narrow(struct screen *screen, enum action action)
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
	case ACTION_RULES:
		screen_rules_menu(screen);
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

static void write_out(struct screen *screen, enum action action)
{
	if (action == ACTION_EXPORT)
		screen_export_menu(screen);
	else if (action == ACTION_EXPORT_PPROF)
		screen_export(screen, export_format_by_name("pprof"), NULL);
}

static void program(struct screen *screen, enum action action)
{
	switch (action) {
	case ACTION_HELP:
		sheet_help(&screen->sheet);
		screen->mode = MODE_SHEET;
		break;
	case ACTION_REDRAW:
		screen->term->ops->redraw(screen->term);
		break;
	case ACTION_SUSPEND:
		screen_suspend(screen);
		break;
	case ACTION_QUIT:
		screen->quit = true;
		break;
	default:
		break;
	}
}

static void act_for_all(struct screen *screen, enum action action)
{
	switch (action_rows[action].group) {
	case GROUP_MOVE:
		if (action == ACTION_FOLLOW)
			toggle_follow(screen);
		break;
	case GROUP_LOOK:
		look(screen, action);
		break;
	case GROUP_NARROW:
		narrow(screen, action);
		break;
	case GROUP_TIME:
		screen_act_time(screen, action);
		break;
	case GROUP_OUTPUT:
		write_out(screen, action);
		break;
	case GROUP_PROGRAM:
		program(screen, action);
		break;
	case GROUP_COUNT:
		break;
	}
}

void screen_act(struct screen *screen, enum action action)
{
	const struct view_ops *view = screen_view(screen);

	if (action == ACTION_NONE)
		return;
	screen_prepare(screen);
	if (!(screen->report && view->act &&
		    view->act(screen->view_data[screen->shown], &screen->state,
			    screen->report, action)))
		act_for_all(screen, action);
	go_to(screen);
	if (screen->state.message[0] != '\0')
		screen_say(screen, ROLE_STATUS, "%s", screen->state.message);
	screen->state.message[0] = '\0';
}
