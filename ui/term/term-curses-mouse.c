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
	if (mouse->is_used)
		(void)!write(STDOUT_FILENO, end, sizeof(end) - 1);
}

static enum term_mouse press(struct curses_mouse *mouse, const MEVENT *at)
{
	uint64_t now_ns = clock_monotonic_ns();
	bool again = now_ns - mouse->last_click.time_ns < DOUBLE_CLICK_NS &&
		     mouse->last_click.row == at->y && mouse->last_click.column == at->x;

	mouse->last_click.time_ns = again ? 0 : now_ns;
	mouse->last_click.row = at->y;
	mouse->last_click.column = at->x;
	mouse->is_held = true;
	mouse->row = at->y;
	mouse->column = at->x;
	return again ? MOUSE_DOUBLE : MOUSE_LEFT;
}

/* The mouse was moved, or the left button let go. False: that is no event. */
static bool follow(struct curses_mouse *mouse, const MEVENT *at, enum term_mouse *event)
{
	bool is_over = (at->bstate & BUTTON1_RELEASED) != 0;

	if (!mouse->is_held ||
		(!is_over && at->y == mouse->row && at->x == mouse->column))
		return false;
	*event = is_over ? MOUSE_RELEASE : MOUSE_DRAG;
	mouse->is_held = !is_over;
	mouse->row = at->y;
	mouse->column = at->x;
	return true;
}

struct term_event curses_mouse_event(struct curses_mouse *mouse)
{
	struct term_event event = {.kind = EVENT_MOUSE};
	MEVENT at;

	if (!mouse->is_used || getmouse(&at) != OK)
		return (struct term_event){.kind = EVENT_NONE};
	event.row = at.y;
	event.column = at.x;
	if (at.bstate & BUTTON1_PRESSED)
		event.mouse = press(mouse, &at);
	else if (at.bstate & BUTTON3_PRESSED)
		event.mouse = MOUSE_RIGHT;
	else if (at.bstate & BUTTON4_PRESSED)
		event.mouse = MOUSE_WHEEL_UP;
	else if (at.bstate & BUTTON5_PRESSED)
		event.mouse = MOUSE_WHEEL_DOWN;
	else if (!follow(mouse, &at, &event.mouse))
		event.kind = EVENT_NONE;
	return event;
}
