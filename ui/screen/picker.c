/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/picker.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/vec.h"
#include "src/process/list/command-line.h"
#include "src/process/list/process-list.h"
#include "ui/draw/format.h"
#include "ui/keys/key.h"
#include "ui/widget/key-bar.h"
#include "ui/widget/prompt.h"

#include <stdio.h>
#include <string.h>

#define REFRESH_NS NS_PER_SEC

enum {
	HEAD_ROWS = 2, /* prompt, headings */
	PID_COLUMNS = 8,
	USER_COLUMNS = 10,
	CPU_COLUMNS = FORMAT_PERCENT_WIDTH,
	LEAST_COMMAND = 8,
	BAR_LEAST_ROWS = 8,
};

struct picker {
	struct term *term;
	const struct picker_options *options;
	struct grid grid;
	struct prompt prompt;
	struct process_list list;
	/* the processes of the list that match the filter */
	VEC(const struct process *) shown;
	size_t known; /* of the list, which may be chosen from */
	pid_t cursor; /* 0: the first */
	int top;
	uint64_t now_ns;
	bool used; /* a key was pressed */
	bool done;
	pid_t chosen;
};

static int bar_rows(const struct picker *picker)
{
	return picker->grid.rows >= BAR_LEAST_ROWS ? 1 : 0;
}

static int body_rows(const struct picker *picker)
{
	int rows = picker->grid.rows - HEAD_ROWS - 1 - bar_rows(picker);

	return rows > 0 ? rows : 0;
}

/* The row of the cursor's process; 0 if it is not shown. */
static int cursor_row(const struct picker *picker)
{
	for (size_t i = 0; i < picker->shown.len; i++)
		if (picker->shown.data[i]->pid == picker->cursor)
			return (int)i;
	return 0;
}

/* This one or another one, with all its processes. */
static bool is_cproftop(const struct process *process)
{
	return strncmp(process->name, "cproftop", strlen("cproftop")) == 0;
}

static bool is_ours(const struct picker *picker, const struct process *process)
{
	return picker->options->uid == 0 || process->uid == picker->options->uid;
}

/* Those that can be profiled come first; of each kind the busiest. */
static void select_shown(struct picker *picker)
{
	picker->shown.len = picker->known = 0;
	vec_each (&picker->list, process)
		picker->known += !is_cproftop(process);
	for (int ours = 1; ours >= 0; ours--)
		vec_each (&picker->list, process)
			if (!is_cproftop(process) &&
				is_ours(picker, process) == (bool)ours &&
				process_contains(process, picker->prompt.text))
				vec_push(&picker->shown, process);
}

static void refresh(struct picker *picker)
{
	const char *proc = picker->options->proc;

	process_list_read(&picker->list, proc ? proc : "/proc", picker->now_ns);
	select_shown(picker);
}

static void move(struct picker *picker, int64_t rows)
{
	int64_t row = cursor_row(picker) + rows, last = (int64_t)picker->shown.len - 1;

	row = row < last ? row : last;
	row = row > 0 ? row : 0;
	picker->cursor = last >= 0 ? picker->shown.data[row]->pid : 0;
}

static void choose(struct picker *picker)
{
	if (picker->shown.len == 0)
		return;
	picker->chosen = picker->shown.data[cursor_row(picker)]->pid;
	picker->done = true;
}

static void draw_process(struct grid *grid, int row, const struct process *process,
	bool is_ours, bool is_cursor)
{
	struct style style = STYLE(is_ours ? ROLE_NORMAL : ROLE_DIM);
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)process->pid);
	int at = grid_put_field(grid, row, 0, PID_COLUMNS, ALIGN_RIGHT, style, pid) + 1;
	at = grid_put_field(
		     grid, row, at, USER_COLUMNS, ALIGN_LEFT, style, process->user) +
	     1;
	at = grid_put_field(grid, row, at, CPU_COLUMNS, ALIGN_RIGHT, style,
		     format_share(process->cpu_share).text) +
	     1;
	int room = grid->columns - at;
	char command[CLEAN_MAX];
	/* A long one without the folder of its program, or with its files only. */
	if (grid_text_width(process->command) <= room || room < LEAST_COMMAND)
		snprintf(command, sizeof(command), "%s", process->command);
	else
		command_line_shorten(process->command, command, (size_t)room + 1);
	grid_put_field(grid, row, at, room, ALIGN_LEFT, style, command);
	if (is_cursor)
		grid_restyle(grid, row, 0, 1, grid->columns, STYLE(ROLE_CURSOR));
}

static void draw_headings(struct grid *grid)
{
	struct style style = STYLE(ROLE_COLUMN);
	int at = grid_put_field(grid, 0, 0, PID_COLUMNS, ALIGN_RIGHT, style, "PID");

	grid_fill(grid, 0, at, 1, grid->columns, style);
	at = grid_put_field(grid, 0, at + 1, USER_COLUMNS, ALIGN_LEFT, style, "User") + 1;
	at = grid_put_field(grid, 0, at, CPU_COLUMNS, ALIGN_RIGHT,
		     STYLE(ROLE_COLUMN_SORTED), "CPU%") +
	     1;
	grid_put(grid, 0, at, style, "Command");
}

static struct key_bar bar_of(void)
{
	struct key_bar bar = {0};

	key_bar_add(&bar, K_ENTER, "Attach");
	key_bar_add(&bar, K_UP, "Above");
	key_bar_add(&bar, K_DOWN, "Below");
	key_bar_add(&bar, K_CTRL('U'), "Clear");
	key_bar_end(&bar, K_ESC, "Leave");
	return bar;
}

/* Why the last choice was refused; else what can be done. */
static void draw_last_rows(const struct picker *picker, const struct grid *whole)
{
	const char *refusal = picker->options->refusal;
	int bar_row = whole->rows - bar_rows(picker);
	struct grid bottom = grid_part(whole, bar_row, 0, 1, whole->columns);
	struct grid line = grid_part(whole, 0, 0, bar_row, whole->columns), *grid = &line;
	struct key_bar bar = bar_of();

	if (refusal && !picker->used)
		grid_put_field(grid, grid->rows - 1, 0, grid->columns, ALIGN_LEFT,
			STYLE(ROLE_BAD), refusal);
	else
		grid_printf(grid, grid->rows - 1, 0, STYLE(ROLE_STATUS),
			"%zu of %zu processes%s", picker->shown.len, picker->known,
			picker->options->uid ? "; grey: another user's, not for you"
					     : "");
	if (bottom.rows > 0)
		key_bar_draw(&bar, &bottom);
}

static void draw(struct picker *picker)
{
	struct grid *grid = &picker->grid;
	int rows = body_rows(picker), cursor = cursor_row(picker);

	grid_fill(grid, 0, 0, grid->rows, grid->columns, STYLE(ROLE_NORMAL));
	struct grid line = grid_part(grid, 0, 0, 1, grid->columns);
	int column = prompt_draw(&picker->prompt, &line);
	line = grid_part(grid, 1, 0, 1, grid->columns);
	draw_headings(&line);

	if (cursor < picker->top)
		picker->top = cursor;
	if (cursor >= picker->top + rows)
		picker->top = cursor - rows + 1;
	struct grid body = grid_part(grid, HEAD_ROWS, 0, rows, grid->columns);
	for (int row = 0; row < rows; row++) {
		size_t i = (size_t)(row + picker->top);
		if (i >= picker->shown.len)
			break;
		const struct process *process = picker->shown.data[i];
		draw_process(
			&body, row, process, is_ours(picker, process), (int)i == cursor);
	}
	if (picker->shown.len == 0)
		grid_put(&body, 0, 1, STYLE(ROLE_DIM), "No process contains that.");
	if (grid->rows > HEAD_ROWS)
		draw_last_rows(picker, grid);
	picker->term->ops->blit(picker->term, grid, 0, column);
}

/* Characters go to the filter; other keys move the cursor. */
static void key_pressed(struct picker *picker, uint32_t key)
{
	int page = body_rows(picker) > 1 ? body_rows(picker) - 1 : 1;

	switch (key) {
	case K_UP:
		move(picker, -1);
		return;
	case K_DOWN:
		move(picker, 1);
		return;
	case K_PAGE_UP:
		move(picker, -page);
		return;
	case K_PAGE_DOWN:
		move(picker, page);
		return;
	case K_CTRL('Z'):
		picker->term->ops->suspend(picker->term);
		return;
	case K_CTRL('L'):
		picker->term->ops->redraw(picker->term);
		return;
	case K_F1 + 9:
		picker->done = true;
		return;
	default:
		break;
	}
	switch (prompt_key(&picker->prompt, key)) {
	case PROMPT_CHANGED:
		select_shown(picker);
		picker->cursor = 0;
		break;
	case PROMPT_DONE:
		choose(picker);
		break;
	case PROMPT_CANCELLED:
		picker->done = true;
		break;
	case PROMPT_SAME:
		break;
	}
}

static void mouse_used(struct picker *picker, const struct term_event *event)
{
	int row = event->row - HEAD_ROWS + picker->top;

	if (event->mouse == MOUSE_DRAG || event->mouse == MOUSE_RELEASE)
		return;
	if (event->mouse == MOUSE_WHEEL_UP || event->mouse == MOUSE_WHEEL_DOWN)
		move(picker, event->mouse == MOUSE_WHEEL_UP ? -3 : 3);
	else if (event->row >= HEAD_ROWS && event->row < HEAD_ROWS + body_rows(picker) &&
		 row < (int)picker->shown.len) {
		picker->cursor = picker->shown.data[row]->pid;
		if (event->mouse != MOUSE_LEFT)
			choose(picker);
	} else if (bar_rows(picker) && event->row == picker->grid.rows - 1) {
		struct key_bar bar = bar_of();
		key_pressed(
			picker, key_bar_at(&bar, picker->grid.columns, event->column));
	}
}

static void wait_and_handle(struct picker *picker)
{
	struct term_event event = picker->term->ops->event(
		picker->term, (int)(REFRESH_NS / NS_PER_MS / 4), NULL, 0);
	int rows, columns;

	picker->now_ns = picker->options->clock_ns ? picker->options->clock_ns()
						   : clock_monotonic_ns();
	switch (event.kind) {
	case EVENT_KEY:
		picker->used = true;
		key_pressed(picker, event.key);
		break;
	case EVENT_MOUSE:
		mouse_used(picker, &event);
		break;
	case EVENT_SUSPEND:
		picker->term->ops->suspend(picker->term);
		break;
	case EVENT_QUIT:
		picker->done = true;
		break;
	case EVENT_RESIZE:
		picker->term->ops->size(picker->term, &rows, &columns);
		grid_resize(&picker->grid, rows, columns);
		break;
	case EVENT_NONE:
		if (picker->now_ns - picker->list.read_ns >= REFRESH_NS)
			refresh(picker);
		break;
	}
}

bool picker_run(struct term *term, const struct picker_options *options, pid_t *pid,
	struct error *err)
{
	struct picker picker = {.term = term, .options = options};
	int rows, columns;
	bool ok = true;

	picker.now_ns = options->clock_ns ? options->clock_ns() : clock_monotonic_ns();
	prompt_start(&picker.prompt, "Process: ", options->filter ? options->filter : "");
	term->ops->size(term, &rows, &columns);
	grid_init(&picker.grid, rows, columns, term->ascii);
	picker.cursor = *pid;
	refresh(&picker);
	while (!picker.done) {
		draw(&picker);
		const struct script_shown shown = {.now_ns = picker.now_ns};
		enum script_step step =
			options->script ? script_step(options->script, term, &shown, err)
					: SCRIPT_WAIT;
		ok = step != SCRIPT_FAILED;
		if (step == SCRIPT_END || step == SCRIPT_FAILED)
			break;
		wait_and_handle(&picker);
	}
	*pid = picker.chosen;
	vec_free(&picker.shown);
	process_list_finish(&picker.list);
	grid_finish(&picker.grid);
	return ok;
}
