/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strip below the header: what it shows, and the mouse on it (screen.h). */
#include "src/base/clock.h"
#include "ui/screen/screen.h"

struct strip_input screen_strip(const struct screen *screen)
{
	const struct origin *origin = screen->source->facts.origin;
	const struct report *report = screen->report;
	const struct grip *grip = &screen->grip;
	struct strip_input input = {
		.timeline = screen->state.timeline,
		.has_no_times = origin && !origin->moments.len,
	};

	if (!report)
		return input;
	input.kind = report_value_kind(report);
	input.from_ns = grip->kind ? grip->from_ns : report->start_ns;
	input.to_ns = grip->kind ? grip->to_ns : report->end_ns;
	return input;
}

/* At least a cell, and within what is kept. */
static void clamp(const struct timeline *timeline, uint64_t *from_ns, uint64_t *to_ns)
{
	if (*to_ns > timeline->end_ns)
		*to_ns = timeline->end_ns;
	if (*from_ns < timeline->start_ns)
		*from_ns = timeline->start_ns;
	if (*to_ns < timeline->start_ns + timeline->cell_ns)
		*to_ns = timeline->start_ns + timeline->cell_ns;
	if (*from_ns + timeline->cell_ns > *to_ns)
		*from_ns = *to_ns - timeline->cell_ns;
}

/* Move what is shown so that it ends at TO_NS at the latest, with the same length. */
static void move_to(struct screen *screen, uint64_t from_ns, uint64_t length_ns)
{
	const struct timeline *timeline = screen->state.timeline;
	uint64_t last_ns =
		timeline->end_ns > length_ns ? timeline->end_ns - length_ns : 0;

	from_ns = from_ns > last_ns ? last_ns : from_ns;
	from_ns = from_ns < timeline->start_ns ? timeline->start_ns : from_ns;
	screen->grip.from_ns = from_ns;
	screen->grip.to_ns = from_ns + length_ns;
	clamp(timeline, &screen->grip.from_ns, &screen->grip.to_ns);
}

/* Which part of the bracket is at COLUMN? */
static enum grip_kind grip_at(
	const struct screen *screen, const struct time_scale *scale, int column)
{
	const struct report *report = screen->report;
	int left = time_scale_column(scale, report->start_ns);
	int right = time_scale_column(scale, report->end_ns - 1);

	if (column == left && left < right)
		return GRIP_BEGIN;
	if (column == right && left < right)
		return GRIP_END;
	return column > left && column < right ? GRIP_WHOLE : GRIP_NEW;
}

static void press(struct screen *screen, const struct time_scale *scale, int column)
{
	const struct report *report = screen->report;
	struct grip *grip = &screen->grip;

	*grip = (struct grip){
		.kind = grip_at(screen, scale, column),
		.column = column,
		.from_ns = report->start_ns,
		.to_ns = report->end_ns,
	};
	grip->held_ns = grip->kind == GRIP_NEW	 ? time_scale_time(scale, column)
			: grip->kind == GRIP_END ? report->start_ns
			: grip->kind == GRIP_BEGIN
				? report->end_ns
				: time_scale_time(scale, column) - report->start_ns;
}

/* The bracket while the button is held: between the held end and the column, or moved. */
static void drag(struct screen *screen, const struct time_scale *scale, int column)
{
	struct grip *grip = &screen->grip;
	uint64_t begin_ns = time_scale_time(scale, column);
	uint64_t end_ns = begin_ns + scale->column_ns;

	if (column == grip->column && !grip->has_moved)
		return;
	grip->has_moved = true;
	if (grip->kind == GRIP_WHOLE) {
		move_to(screen, begin_ns > grip->held_ns ? begin_ns - grip->held_ns : 0,
			grip->to_ns - grip->from_ns);
		return;
	}
	if (begin_ns >= grip->held_ns) {
		grip->from_ns = grip->held_ns;
		grip->to_ns = end_ns;
	} else {
		grip->from_ns = begin_ns;
		grip->to_ns = grip->held_ns;
		if (grip->kind == GRIP_NEW) /* the column where it began is in it */
			grip->to_ns += scale->column_ns;
	}
	clamp(screen->state.timeline, &grip->from_ns, &grip->to_ns);
}

/* A click beside the bracket moves it there. */
static void click(struct screen *screen, const struct time_scale *scale, int column)
{
	struct grip *grip = &screen->grip;
	uint64_t length_ns = screen->report->end_ns - screen->report->start_ns;
	uint64_t middle_ns = time_scale_time(scale, column) + scale->column_ns / 2;

	if (grip->kind != GRIP_NEW)
		return;
	move_to(screen, middle_ns > length_ns / 2 ? middle_ns - length_ns / 2 : 0,
		length_ns);
	screen_choose_range(screen, grip->from_ns, grip->to_ns);
}

static void release(struct screen *screen, const struct time_scale *scale, int column)
{
	struct grip *grip = &screen->grip;

	drag(screen, scale, column);
	if (!grip->has_moved)
		click(screen, scale, column);
	else if (grip->kind == GRIP_BEGIN && !screen->state.frozen &&
		 grip->from_ns < grip->held_ns)
		screen_change_window(screen, grip->held_ns - grip->from_ns);
	else
		screen_choose_range(screen, grip->from_ns, grip->to_ns);
	grip->kind = GRIP_NONE;
}

bool screen_strip_mouse(struct screen *screen, const struct term_event *event)
{
	const struct screen_layout *layout = &screen->layout;
	bool is_here = event->row >= layout->header_rows &&
		       event->row < layout->header_rows + layout->strip_rows;

	if (event->mouse == MOUSE_LEFT)
		screen->grip.kind = GRIP_NONE;
	if (!screen->state.timeline || !screen->report ||
		(!is_here && !screen->grip.kind) ||
		screen->report->end_ns <= screen->report->start_ns)
		return false;
	struct time_scale scale =
		strip_scale(screen->state.timeline, screen->grid.columns);
	int column = event->column < scale.left	      ? scale.left
		     : event->column >= scale.columns ? scale.columns - 1
						      : event->column;
	switch (event->mouse) {
	case MOUSE_LEFT:
		press(screen, &scale, column);
		return true;
	case MOUSE_DRAG:
	case MOUSE_RELEASE:
		if (!screen->grip.kind)
			return false;
		if (event->mouse == MOUSE_DRAG)
			drag(screen, &scale, column);
		else
			release(screen, &scale, column);
		return true;
	case MOUSE_WHEEL_UP:
	case MOUSE_WHEEL_DOWN:
		if (!is_here)
			return false;
		screen_act(screen,
			event->mouse == MOUSE_WHEEL_UP ? ACTION_SHORTER : ACTION_LONGER);
		return true;
	default:
		return is_here;
	}
}
