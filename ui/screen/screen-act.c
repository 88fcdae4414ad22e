/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that concern all views (screen.h). */
#include "src/write/export.h"
#include "ui/header/sampling-sheet.h"
#include "ui/screen/screen.h"
#include "ui/sheets/function-sheet.h"
#include "ui/sheets/health-sheet.h"
#include "ui/sheets/help-sheet.h"

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

static void say_nothing_else(struct screen *screen)
{
	screen_say(screen, ROLE_WARN,
		screen->gauges.engine == ENGINE_PERF
			? "waiting is not counted: that needs --engine ptrace"
			: "there is nothing else to count here");
}

static void toggle_metric(struct screen *screen)
{
	bool wall = !screen->state.request.wall;

	screen->waits_for_view = false;
	if (screen->source->facts.origin) {
		next_type(screen, screen->source->facts.origin);
		return;
	}
	if (!screen->source->set_wall) {
		say_nothing_else(screen);
		return;
	}
	screen->source->set_wall(screen->source->context, wall);
	screen->state.request.wall = wall;
	screen_say(screen, ROLE_STATUS,
		wall ? "waiting is counted, too: all the time of all threads"
		     : "CPU time: only what runs");
}

/* Locks are of waiting: as long as one looks at them, it is counted. */
static void enter_view(struct screen *screen, size_t index)
{
	bool is_of_waiting = view_list[index]->moments;
	bool may = screen->source->set_wall && !screen->source->facts.origin;
	bool is_of_one =
		view_list[index] == &view_callers || view_list[index] == &view_annotate;

	if (!screen_has_view(screen, index)) {
		screen_say(
			screen, ROLE_WARN, "there is no output: no command was started");
		return;
	}
	if (is_of_one && index != screen->shown)
		screen_carry_function(screen);
	screen_show_view(screen, index);
	if (is_of_waiting && !may && screen->gauges.engine == ENGINE_PERF)
		say_nothing_else(screen);
	if (may && is_of_waiting && !screen->state.request.wall) {
		toggle_metric(screen);
		screen->waits_for_view = true;
	} else if (may && !is_of_waiting && screen->waits_for_view) {
		toggle_metric(screen);
	}
}

static void step_view(struct screen *screen, bool forward)
{
	struct pane panes[PANES_MAX];
	size_t count = 0, index = screen->shown;

	if (forward && screen_panes(screen, panes) == 2) { /* to the other one */
		screen_show_view(screen, panes[panes[0].view == index].view);
		return;
	}
	while (view_list[count])
		count++;
	do
		index = (index + (forward ? 1 : count - 1)) % count;
	while (!screen_has_view(screen, index));
	enter_view(screen, index);
}

void screen_follow_view(struct screen *screen)
{
	for (size_t i = 0; view_list[i] && screen->state.go_to; i++)
		if (strcmp(view_list[i]->name, screen->state.go_to) == 0)
			screen->shown = i;
	screen->state.go_to = NULL;
	if (screen->state.choose.to_ns > 0)
		screen_choose_range(
			screen, screen->state.choose.from_ns, screen->state.choose.to_ns);
	screen->state.choose.from_ns = screen->state.choose.to_ns = 0;
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

/* From any view to the function between its callers and callees; from there to all that is
   known of it. */
static void show_detail(struct screen *screen)
{
	if (!screen_selected(screen)) {
		screen_say(screen, ROLE_WARN, "select a function first");
		return;
	}
	if (screen_view(screen) == &view_callers) {
		sheet_function(&screen->sheet, screen->report, screen->state.function);
		screen->mode = MODE_SHEET;
		return;
	}
	screen->state.reveal = screen->state.function;
	screen->state.came_from = screen_view(screen)->name;
	screen->state.go_to = view_callers.name;
}

/* Actions that change how things look. */
static void look(struct screen *screen, enum action action)
{
	struct view_state *state = &screen->state;

	switch (action) {
	case ACTION_FOLLOW:
		toggle_follow(screen);
		break;
	case ACTION_SIDE_BY_SIDE:
		screen_toggle_side_by_side(screen);
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
	case ACTION_PROCESSES:
	case ACTION_NATIVE:
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
	case ACTION_SAMPLING:
		sheet_sampling(&screen->sheet, &screen->gauges, &screen->source->facts,
			screen->report);
		screen->mode = MODE_SHEET;
		break;
	case ACTION_DETAIL:
		show_detail(screen);
		break;
	case ACTION_ANNOTATE:
		screen_show_code(screen);
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
	else if (action == ACTION_EDIT)
		screen_edit(screen);
	else
		screen_copy(screen, action);
}

/* Another session begins, because each process is sampled from its start to its end by one
   that knows of all. */
static void follow_children(struct screen *screen)
{
	if (!screen->may_start_again || !screen->source->offspring)
		screen_say(screen, ROLE_WARN, "there are no children to follow here");
	else if (screen->gauges.target_exited)
		screen_say(screen, ROLE_WARN, "the target has ended");
	else
		screen->quit = screen->again = true;
}

static void program(struct screen *screen, enum action action)
{
	switch (action) {
	case ACTION_HELP:
		sheet_help(&screen->sheet, screen_view(screen), &screen->state.hues);
		screen->mode = MODE_SHEET;
		break;
	case ACTION_SETTINGS:
		screen->mode = MODE_SETTINGS;
		break;
	case ACTION_PALETTE:
		prompt_start(&screen->prompt, ":", "");
		screen->palette.is_current = false;
		screen->mode = MODE_PALETTE;
		break;
	case ACTION_REDRAW:
		screen->term->ops->redraw(screen->term);
		break;
	case ACTION_SUSPEND:
		screen_suspend(screen);
		break;
	case ACTION_CHILDREN:
		follow_children(screen);
		break;
	case ACTION_QUIT:
		screen->quit = true;
		break;
	default:
		break;
	}
}

void screen_act_for_all(struct screen *screen, enum action action)
{
	switch (action_rows[action].group) {
	case GROUP_VIEW:
		if (action == ACTION_NEXT_VIEW || action == ACTION_PREVIOUS_VIEW)
			step_view(screen, action == ACTION_NEXT_VIEW);
		else
			enter_view(screen, (size_t)(action - ACTION_VIEW_1));
		break;
	case GROUP_LOOK:
	case GROUP_SOME:
		look(screen, action);
		break;
	case GROUP_NARROW:
		screen_act_narrow(screen, action);
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
	case GROUP_MOVE:
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
		screen_act_for_all(screen, action);
	screen_follow_view(screen);
	if (screen->state.message[0] != '\0')
		screen_say(screen, ROLE_STATUS, "%s", screen->state.message);
	screen->state.message[0] = '\0';
}
