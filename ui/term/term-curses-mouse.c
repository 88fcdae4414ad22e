/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-mouse.h"

#include "src/base/clock.h"

#include <curses.h>
#include <stdio.h>
#include <unistd.h>

/* Two presses on one cell within this time are a double click. */
#define DOUBLE_CLICK_NS (400 * NS_PER_MS)

void curses_mouse_begin(struct curses_mouse *mouse)
{
	mouse->is_used = mouse->asks_for_drags = true;
	mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON3_PRESSED | BUTTON4_PRESSED |
			  BUTTON5_PRESSED | REPORT_MOUSE_POSITION,
		NULL);
	mouseinterval(0);
}

void curses_mouse_ask(struct curses_mouse *mouse)
{
	static const char ask[] = "\033[?1002h";

	if (!mouse->is_used || !mouse->asks_for_drags)
		return;
	mouse->asks_for_drags = false;
	fflush(stdout);
	(void)!write(STDOUT_FILENO, ask, sizeof(ask) - 1);
}

void curses_mouse_end(struct curses_mouse *mouse)
{
	static const char end[] = "\033[?1002l";

	mouse->asks_for_drags = true;
	mouse->is_held = false;
	mouse->n_waiting = 0;
	if (mouse->is_used)
		(void)!write(STDOUT_FILENO, end, sizeof(end) - 1);
}

static enum term_mouse press(
	struct curses_mouse *mouse, const struct curses_mouse_report *at)
{
	uint64_t now_ns = clock_monotonic_ns();
	bool again = now_ns - mouse->last_click.time_ns < DOUBLE_CLICK_NS &&
		     mouse->last_click.row == at->row &&
		     mouse->last_click.column == at->column;

	mouse->last_click.time_ns = again ? 0 : now_ns;
	mouse->last_click.row = at->row;
	mouse->last_click.column = at->column;
	mouse->is_held = true;
	mouse->row = at->row;
	mouse->column = at->column;
	return again ? MOUSE_DOUBLE : MOUSE_LEFT;
}

/* The mouse was moved, or the left button let go. False: that is no event. */
static bool follow(struct curses_mouse *mouse, const struct curses_mouse_report *at,
	enum term_mouse *event)
{
	bool is_over = (at->state & BUTTON1_RELEASED) != 0;

	if (!mouse->is_held ||
		(!is_over && at->row == mouse->row && at->column == mouse->column))
		return false;
	*event = is_over ? MOUSE_RELEASE : MOUSE_DRAG;
	mouse->is_held = !is_over;
	mouse->row = at->row;
	mouse->column = at->column;
	return true;
}

/* curses gives out what it has read at once, such as a press and its release, the newest
   first: so all is taken before the first one is looked at. */
static void take_reports(struct curses_mouse *mouse)
{
	MEVENT at;

	while (mouse->n_waiting < CURSES_MOUSE_MOST && getmouse(&at) == OK)
		mouse->waiting[mouse->n_waiting++] =
			(struct curses_mouse_report){at.bstate, at.y, at.x};
}

static struct term_event event_of(
	struct curses_mouse *mouse, const struct curses_mouse_report *at)
{
	struct term_event event = {
		.kind = EVENT_MOUSE, .row = at->row, .column = at->column};

	if (at->state & BUTTON1_PRESSED)
		event.mouse = press(mouse, at);
	else if (at->state & BUTTON3_PRESSED)
		event.mouse = MOUSE_RIGHT;
	else if (at->state & BUTTON4_PRESSED)
		event.mouse = MOUSE_WHEEL_UP;
	else if (at->state & BUTTON5_PRESSED)
		event.mouse = MOUSE_WHEEL_DOWN;
	else if (!follow(mouse, at, &event.mouse))
		event.kind = EVENT_NONE;
	return event;
}

struct term_event curses_mouse_event(struct curses_mouse *mouse)
{
	struct term_event event = {.kind = EVENT_NONE};

	if (mouse->is_used && mouse->n_waiting == 0)
		take_reports(mouse);
	while (mouse->n_waiting > 0 && event.kind == EVENT_NONE)
		event = event_of(mouse, &mouse->waiting[--mouse->n_waiting]);
	return event;
}
