/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal in memory (term.h). */
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "ui/term/term.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct headless {
	struct term term;
	int rows, columns;
	struct grid screen;
	VEC(struct term_event) queue;
	size_t taken; /* events taken from the queue */
	char *sent;   /* or NULL */
};

static void headless_size(struct term *term, int *rows, int *columns)
{
	const struct headless *headless = (const struct headless *)term;

	*rows = headless->rows;
	*columns = headless->columns;
}

static struct term_event headless_event(
	struct term *term, int timeout_ms, const int *fds, size_t n_fds)
{
	struct headless *headless = (struct headless *)term;
	struct pollfd polled[8];
	nfds_t n = 0;

	if (headless->taken < headless->queue.len)
		return headless->queue.data[headless->taken++];
	headless->queue.len = headless->taken = 0;
	for (size_t i = 0; i < n_fds && n < 8; i++)
		polled[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	poll(polled, n, timeout_ms);
	return (struct term_event){.kind = EVENT_NONE};
}

static void headless_blit(struct term *term, const struct grid *grid, int row, int column)
{
	struct headless *headless = (struct headless *)term;

	grid_resize(&headless->screen, grid->rows, grid->columns);
	for (int r = 0; r < grid->rows; r++)
		memcpy(&headless->screen.cells[(ptrdiff_t)r * headless->screen.stride],
			&grid->cells[(ptrdiff_t)r * grid->stride],
			(size_t)grid->columns * sizeof(grid->cells[0]));
	(void)row;
	(void)column;
}

static void headless_nothing(struct term *term)
{
	(void)term;
}

static void headless_send(struct term *term, const char *bytes, size_t size)
{
	struct headless *headless = (struct headless *)term;

	free(headless->sent);
	headless->sent = mem_printf("%.*s", (int)size, bytes);
}

static void headless_destroy(struct term *term)
{
	struct headless *headless = (struct headless *)term;

	grid_finish(&headless->screen);
	vec_free(&headless->queue);
	free(headless->sent);
	free(headless);
}

static const struct term_ops headless_ops = {
	.size = headless_size,
	.event = headless_event,
	.blit = headless_blit,
	.redraw = headless_nothing,
	.suspend = headless_nothing,
	.send = headless_send,
	.destroy = headless_destroy,
};

struct term *term_headless_create(
	int rows, int columns, const struct term_options *options)
{
	struct headless *headless = mem_zalloc(sizeof(*headless));

	headless->term.ops = &headless_ops;
	headless->term.ascii = options->ascii;
	headless->rows = rows;
	headless->columns = columns;
	grid_init(&headless->screen, rows, columns, options->ascii);
	return &headless->term;
}

void term_headless_push(struct term *term, const struct term_event *event)
{
	struct headless *headless = (struct headless *)term;

	vec_push(&headless->queue, *event);
}

void term_headless_resize(struct term *term, int rows, int columns)
{
	struct headless *headless = (struct headless *)term;

	headless->rows = rows;
	headless->columns = columns;
	term_headless_push(term, &(struct term_event){.kind = EVENT_RESIZE});
}

bool term_headless_idle(const struct term *term)
{
	const struct headless *headless = (const struct headless *)term;

	return headless->taken == headless->queue.len;
}

const char *term_headless_sent(const struct term *term)
{
	const struct headless *headless = (const struct headless *)term;

	return headless->sent ? headless->sent : "";
}

const struct grid *term_headless_screen(const struct term *term)
{
	return &((const struct headless *)term)->screen;
}

bool term_restoration(const struct term *term, struct term_restoration *out)
{
	if (!term->ops->restoration)
		return false;
	term->ops->restoration(term, out);
	return true;
}

void term_destroy(struct term *term)
{
	if (term)
		term->ops->destroy(term);
}
