/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/annotate/annotate-state.h"

enum {
	HEAD_FROM_ROWS = 5, /* a lower view has no line about the function */
	LANES_FROM_COLUMNS = 60,
};

int annotate_head(const struct view_state *state)
{
	return state->rows >= HEAD_FROM_ROWS ? 2 : 1;
}

size_t annotate_page(const struct view_state *state)
{
	int rows = state->rows - annotate_head(state);
	return rows > 1 ? (size_t)rows : 1;
}

const struct annotation_row *annotate_row(const struct annotate_view *view)
{
	return shown_row(&view->rows, view->list.cursor);
}

const struct instruction *annotate_code(
	const struct annotate_view *view, const struct annotation_row *row)
{
	return row && row->kind == ANNOTATION_CODE
		       ? &view->parts.assembly->instructions[row->instruction]
		       : NULL;
}

/* --- the parts -------------------------------------------------------------------------- */

/* Is any of the function's places in the instructions that there are, or were asked for? */
static bool has_its_code(const struct annotate_view *view, const struct report *report)
{
	const struct assembly *assembly = view->parts.assembly;
	vec_each (&view->parts.cost.places, place) {
		uint64_t address;
		if (annotation_address_in(
			    report->profile, view->parts.mapping, place, &address) &&
			(address == view->asked_address ||
				(address >= assembly->start &&
					address < assembly->limit)))
			return true;
	}
	return false;
}

/* Ask for the instructions around the hottest place, if that was not done yet. */
static void ask_for_code(
	struct annotate_view *view, struct view_state *state, const struct report *report)
{
	enum metric metric = view_metric(report);
	const struct cost_place *hottest = NULL;
	if (!state->code.has_assembly || view->asked)
		return;
	vec_each (&view->parts.cost.places, place)
		if (!hottest ||
			metric_of(metric, &place->self) >
				metric_of(metric, &hottest->self) ||
			(metric_of(metric, &place->self) ==
					metric_of(metric, &hottest->self) &&
				metric_of(metric, &place->total) >
					metric_of(metric, &hottest->total)))
			hottest = place;
	if (!hottest)
		return;
	view->parts.mapping = hottest->mapping;
	view->asked = ++state->code.asked.serial;
	view->asked_address = hottest->address;
	state->code.asked.profile = report->profile;
	state->code.asked.mapping = hottest->mapping;
	state->code.asked.address = hottest->address;
}

/* Take what has come for the last question. */
bool annotate_take_code(struct annotate_view *view, struct view_state *state)
{
	struct code_desk *code = &state->code;
	bool taken = false;
	if (code->assembly && view->asked && code->assembly->serial == view->asked) {
		assembly_destroy(view->parts.assembly);
		view->parts.assembly = code->assembly;
		code->assembly = NULL;
		taken = true;
	}
	if (code->lines && view->asked && code->lines->serial == view->asked) {
		code_lines_destroy(view->parts.lines);
		view->parts.lines = code->lines;
		code->lines = NULL;
		taken = true;
	}
	return taken;
}

void annotate_forget_code(struct annotate_view *view)
{
	if (view->has_moved && view->rows.list.len > 0) {
		view->awaited = annotate_step(view);
		view->awaits_step = true;
	}
	view->rows.list.len = 0;		    /* they refer to the instructions, */
	annotation_finish(&view->parts.annotation); /* and so does what they are from */
	assembly_destroy(view->parts.assembly);
	code_lines_destroy(view->parts.lines);
	view->parts.assembly = NULL;
	view->parts.lines = NULL;
	view->asked = 0;
}

/* --- rows ------------------------------------------------------------------------------- */

static uint64_t least_weight(const struct view_state *state, const struct report *report)
{
	uint64_t whole = metric_of(view_metric(report), &report->total);
	double least = state->min_share * (double)whole;
	return least < 1 ? state->min_share > 0 : (uint64_t)least;
}

/* Where the cursor is, so that it is found again among other rows. */
struct step annotate_step(const struct annotate_view *view)
{
	const struct annotation_row *row = annotate_row(view);
	const struct instruction *code = annotate_code(view, row);
	return (struct step){.function = view->function,
		.address = code ? code->address : 0,
		.line = row ? row->line : 0};
}

void annotate_go_to_step(struct annotate_view *view, const struct step *step)
{
	size_t by_line = view->rows.list.len;
	for (size_t i = 0; i < view->rows.list.len; i++) {
		const struct annotation_row *row = shown_row(&view->rows, i);
		const struct instruction *code = annotate_code(view, row);
		if (step->address && code && code->address == step->address) {
			view->list.cursor = i;
			return;
		}
		if (row->kind == ANNOTATION_LINE && row->line == step->line &&
			by_line == view->rows.list.len)
			by_line = i;
	}
	if (by_line < view->rows.list.len)
		view->list.cursor = by_line;
}

void annotate_go_to(
	struct annotate_view *view, const struct view_state *state, size_t place)
{
	size_t page = annotate_page(state);
	if (place >= view->rows.list.len)
		return;
	view->list.cursor = place;
	if (place < view->list.top || place >= view->list.top + page)
		view->list.top = place > page / 2 ? place - page / 2 : 0;
}

void annotate_choose(struct annotate_view *view, const struct view_state *state,
	const struct report *report)
{
	struct step was = annotate_step(view);
	enum metric metric = view_metric(report);
	view->least = state->min_share;
	shown_rows_choose(&view->rows, &view->parts.annotation, metric,
		least_weight(state, report));
	if (view->has_moved)
		annotate_go_to_step(view, &was);
	else
		annotate_go_to(view, state, shown_rows_hottest(&view->rows, metric));
}

/* Jumps whose row and target are both on the list; a target that is folded is its line. */
void annotate_find_arrows(struct annotate_view *view, const struct view_state *state)
{
	const struct assembly *assembly = view->parts.assembly;
	const struct annotation *annotation = &view->parts.annotation;
	view->arrows.list.len = 0;
	for (size_t i = 0; assembly && i < view->rows.list.len; i++) {
		const struct instruction *code =
			annotate_code(view, shown_row(&view->rows, i));
		if (!code || code->to == ASSEMBLY_NONE || code->kind == INSTRUCTION_CALL)
			continue;
		uint32_t row = annotation->row_of.data[code->to];
		if (row != ANNOTATION_NONE)
			vec_push(&view->arrows.list,
				(struct arrow){.from = i,
					.to = view->rows.place_of.data[row],
					.is_chosen = i == view->list.cursor});
	}
	arrows_arrange(&view->arrows, view->list.top,
		view->list.top + annotate_page(state),
		state->columns >= LANES_FROM_COLUMNS ? ARROW_LANES : 1);
}

static void go_where_awaited(struct annotate_view *view, const struct view_state *state,
	const struct report *report)
{
	const struct assembly *assembly = view->parts.assembly;
	const struct annotation *annotation = &view->parts.annotation;
	uint32_t code = assembly && view->awaited.address
				? assembly_find(assembly, view->awaited.address)
				: ASSEMBLY_NONE;
	if (code != ASSEMBLY_NONE && annotation->row_of.data[code] != ANNOTATION_NONE) {
		shown_rows_unfold(&view->rows,
			&annotation->rows.data[annotation->row_of.data[code]]);
		annotate_choose(view, state, report);
	}
	annotate_go_to_step(view, &view->awaited);
	/* The lines of the instructions come behind them, and order them anew. */
	view->awaits_step =
		view->awaited.address != 0 && (!assembly || !view->parts.lines);
}

void annotate_rebuild(
	struct annotate_view *view, struct view_state *state, const struct report *report)
{
	bool had_rows = view->rows.list.len > 0;
	struct step was = annotate_step(view);
	if (!cost_count(&view->parts.cost, report, view->function)) {
		annotate_forget_code(view);
		view->awaits_sources = false;
		return;
	}
	if (view->parts.assembly && !has_its_code(view, report))
		annotate_forget_code(view);
	ask_for_code(view, state, report);
	view->awaits_sources =
		parts_ask_sources(&view->parts, report, state->code.sources);
	parts_annotate(&view->parts, report, view->by_address);
	view->rows.list.len = 0;
	annotate_choose(view, state, report);
	if (view->awaits_step)
		go_where_awaited(view, state, report);
	else if (view->has_moved && had_rows)
		annotate_go_to_step(view, &was);
}

void annotate_begin(struct annotate_view *view, uint32_t function)
{
	if (view->has_function && view->function == function)
		return;
	annotate_forget_code(view);
	view->function = function;
	view->has_function = true;
	view->has_moved = view->awaits_step = false;
	view->list = (struct list){0};
	view->left = 0;
	idmap_clear(&view->rows.flipped);
}
