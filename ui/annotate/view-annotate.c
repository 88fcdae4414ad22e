/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source view: a function's lines with the instructions of each, and what they cost.
 *
 * What is known at once is drawn at once: the cost of each line that was sampled. The source,
 * the instructions and their lines come later, and are put in when they do.
 */
#include "ui/annotate/annotate-draw.h"
#include "ui/annotate/annotate-state.h"
#include "ui/view/notice.h"

#include <string.h>

enum {
	TRAIL_MAX = 64,
};

static void annotate_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct annotate_view *view = data;
	bool is_new = seen_change(&view->seen, report) || !view->rows.annotation;
	bool is_same = view->has_function && view->function == state->reveal;
	if (state->reveal != PROFILE_NONE && !is_same) {
		view->trail.len = 0;
		annotate_begin(view, state->reveal);
		is_new = true;
	} else if (!view->has_function && report->n_functions > 0) {
		annotate_begin(view, report->functions[0].function);
		is_new = true;
	}
	state->reveal = PROFILE_NONE;
	if (!view->has_function)
		return;
	is_new |= annotate_take_code(view, state) || view->awaits_sources;
	if (is_new)
		annotate_rebuild(view, state, report);
	else if (view->least != state->min_share)
		annotate_choose(view, state, report);
	if (view->was_rows != state->rows && !view->has_moved)
		annotate_go_to(view, state, view->list.cursor);
	view->was_rows = state->rows;
	list_reveal(&view->list, view->rows.list.len, annotate_page(state));
	annotate_find_arrows(view, state);
	state->function = view->function;
	state->tid = 0;
}

static void annotate_rename(void *data, const struct renamed *renamed)
{
	struct annotate_view *view = data;
	size_t kept = 0;
	vec_each (&view->trail, step) {
		step->function = renamed_function(renamed, step->function);
		if (step->function != PROFILE_NONE)
			view->trail.data[kept++] = *step;
	}
	view->trail.len = kept;
	if (!view->has_function)
		return;
	view->function = renamed_function(renamed, view->function);
	view->has_function = view->function != PROFILE_NONE;
	if (renamed->before || !view->has_function)
		annotate_forget_code(view); /* mappings have other numbers, too */
}

static void annotate_finish(void *data)
{
	struct annotate_view *view = data;
	parts_finish(&view->parts);
	shown_rows_finish(&view->rows);
	vec_free(&view->arrows.list);
	vec_free(&view->trail);
}

/* --- drawing ---------------------------------------------------------------------------- */

static struct annotate_frame frame_of(const struct annotate_view *view,
	const struct view_state *state, const struct report *report)
{
	return (struct annotate_frame){.parts = &view->parts,
		.rows = &view->rows,
		.arrows = &view->arrows,
		.report = report,
		.search = &state->search,
		.syntax = view->syntax,
		.bytes = view->bytes,
		.left = view->left};
}

static void annotate_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct annotate_view *view = data;
	const struct annotate_frame frame = frame_of(view, state, report);
	static const char *const no_code[] = {"This row has no code of its own.", "",
		"Choose a function in another view, and press a.", NULL};
	int row = annotate_head(state);
	if (notice_draw_empty(grid, row, report))
		return;
	if (!view->has_function || view->parts.cost.function == PROFILE_NONE) {
		notice_draw(grid, row, no_code);
		return;
	}
	if (row > 1)
		annotate_draw_function(&frame, grid, 0);
	annotate_draw_titles(&frame, grid, row - 1);
	annotate_draw_rows(&frame, grid, row, view->list.top, view->list.cursor);
}

/* --- what it does ------------------------------------------------------------------------ */

static void remember(struct annotate_view *view)
{
	if (view->trail.len == TRAIL_MAX) {
		memmove(view->trail.data, view->trail.data + 1,
			(TRAIL_MAX - 1) * sizeof(struct step));
		view->trail.len--;
	}
	vec_push(&view->trail, annotate_step(view));
}

/* "memcpy@plt" and "main+0x10" are of memcpy and main. */
static uint32_t function_called(const struct report *report, const char *target)
{
	size_t length = strcspn(target, "@+");
	for (size_t i = 0; length > 0 && i < report->n_functions; i++) {
		const struct function *function =
			profile_function(report->profile, report->functions[i].function);
		const char *names[] = {function->name, function->system_name};
		for (size_t k = 0; k < 2; k++)
			if (strcmp(names[k], target) == 0 ||
				(strncmp(names[k], target, length) == 0 &&
					names[k][length] == '\0'))
				return report->functions[i].function;
	}
	return PROFILE_NONE;
}

static void follow(struct annotate_view *view, struct view_state *state,
	const struct report *report, const struct instruction *code)
{
	if (code->has_target && code->to != ASSEMBLY_NONE) {
		uint32_t row = view->parts.annotation.row_of.data[code->to];
		if (row == ANNOTATION_NONE)
			return;
		remember(view);
		shown_rows_unfold(&view->rows, &view->parts.annotation.rows.data[row]);
		annotate_choose(view, state, report);
		annotate_go_to(view, state, view->rows.place_of.data[row]);
		return;
	}
	uint32_t function = code->has_target ? function_called(report, code->target_name)
					     : PROFILE_NONE;
	if (function == PROFILE_NONE) {
		view_say(state, "%s",
			code->has_target && code->target_name[0]
				? "What this leads to has no samples here."
				: "It is not known where this leads.");
		return;
	}
	remember(view);
	annotate_begin(view, function);
	annotate_rebuild(view, state, report);
}

static void enter(
	struct annotate_view *view, struct view_state *state, const struct report *report)
{
	const struct annotation_row *row = annotate_row(view);
	const struct instruction *code = annotate_code(view, row);
	if (code && (code->kind == INSTRUCTION_JUMP || code->kind == INSTRUCTION_BRANCH ||
			    code->kind == INSTRUCTION_CALL)) {
		follow(view, state, report, code);
		return;
	}
	if (!row)
		return;
	shown_rows_flip(&view->rows, row);
	annotate_choose(view, state, report);
}

/* From now on the cursor is where a person has put it. */
static void move(struct annotate_view *view)
{
	view->has_moved = true;
	view->awaits_step = false;
}

/* One step back; from the first one to the view in which this began. */
static bool step_back(
	struct annotate_view *view, struct view_state *state, const struct report *report)
{
	if (view->trail.len > 0) {
		struct step step = view->trail.data[--view->trail.len];
		annotate_begin(view, step.function);
		view->has_moved = view->awaits_step = true;
		view->awaited = step;
		annotate_rebuild(view, state, report);
		return true;
	}
	return view_return(state);
}

static void change_look(struct annotate_view *view, struct view_state *state,
	const struct report *report, enum action action)
{
	if (action == ACTION_SYNTAX) { /* all four, one after the other */
		view->bytes ^= view->syntax == ASSEMBLY_INTEL;
		view->syntax =
			view->syntax == ASSEMBLY_ATT ? ASSEMBLY_INTEL : ASSEMBLY_ATT;
		view_say(state, "instructions as %s writes them%s",
			view->syntax == ASSEMBLY_ATT ? "AT&T" : "Intel",
			view->bytes ? ", with their bytes" : "");
		return;
	}
	bool was_by_address = view->by_address;
	view->by_address = !was_by_address && view->rows.unfolded;
	view->rows.unfolded = !was_by_address;
	idmap_clear(&view->rows.flipped);
	annotate_rebuild(view, state, report);
	view_say(state, "%s",
		view->by_address      ? "in the order of addresses"
		: view->rows.unfolded ? "lines with all their instructions"
				      : "lines");
}

static bool annotate_act(void *data, struct view_state *state,
	const struct report *report, enum action action)
{
	struct annotate_view *view = data;
	enum metric metric = view_metric(report);
	if (list_move(&view->list, action, view->rows.list.len, annotate_page(state))) {
		move(view);
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		list_scroll(&view->left, action);
		return true;
	case ACTION_HOT_UP:
	case ACTION_HOT_DOWN:
		move(view);
		annotate_go_to(view, state,
			action == ACTION_HOT_UP ? shown_rows_hottest(&view->rows, metric)
						: shown_rows_next_hot(&view->rows, metric,
							  view->list.cursor));
		return true;
	case ACTION_ZOOM:
		move(view);
		enter(view, state, report);
		return true;
	case ACTION_POP:
		return step_back(view, state, report);
	case ACTION_FOLD:
	case ACTION_SYNTAX:
		change_look(view, state, report, action);
		return true;
	default:
		return action == ACTION_ANNOTATE; /* it is shown */
	}
}

static bool annotate_click(void *data, struct view_state *state,
	const struct report *report, int row, int column, enum view_click click)
{
	struct annotate_view *view = data;
	int head = annotate_head(state);
	(void)column;
	if (row < head || view->list.top + (size_t)(row - head) >= view->rows.list.len)
		return false;
	view->list.cursor = view->list.top + (size_t)(row - head);
	move(view);
	if (click == CLICK_ZOOM)
		enter(view, state, report);
	return true;
}

/* In the words of the rows: what is searched for here is source and instructions. */
static bool annotate_find(void *data, struct view_state *state,
	const struct report *report, enum view_find from)
{
	struct annotate_view *view = data;
	const struct annotate_frame frame = frame_of(view, state, report);
	size_t count = view->rows.list.len;
	for (size_t step = from == FIND_FROM_HERE ? 0 : 1; step <= count && count;
		step++) {
		size_t place =
			(view->list.cursor +
				(from == FIND_PREVIOUS ? count - step % count : step)) %
			count;
		if (!state->search.pattern || !pattern_matches(state->search.pattern,
						      annotate_words(&frame, place)))
			continue;
		move(view);
		annotate_go_to(view, state, place);
		return true;
	}
	return false;
}

static void annotate_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct annotate_view *view = data;
	const struct annotate_frame frame = frame_of(view, state, report);
	annotate_describe(&frame, view->list.cursor, text, size);
}

static const struct view_key annotate_keys[] = {
	{ACTION_HOT_DOWN, "Next hot", "to the next hot line; to the hottest"},
	{ACTION_FOLD, "Code", "lines; all instructions, too; in the order of addresses"},
	{ACTION_ZOOM, "Follow", "a line: its instructions; a jump or call: go there"},
	{ACTION_POP, "Return", "return to where the jump or call was"},
	{ACTION_SYNTAX, "Syntax", NULL},
	{ACTION_MIN_MORE, "Fewer", NULL},
	{ACTION_EDIT, "Edit", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_annotate = {
	.name = "source",
	.title = "Source",
	.keys = annotate_keys,
	.data_size = sizeof(struct annotate_view),
	.hides_small = true,
	.finish = annotate_finish,
	.prepare = annotate_prepare,
	.rename = annotate_rename,
	.draw = annotate_draw,
	.act = annotate_act,
	.click = annotate_click,
	.find = annotate_find,
	.status = annotate_status,
};
