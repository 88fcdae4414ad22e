/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/locks/lock-details.h"

#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/view/view.h"

#include <stdio.h>

enum {
	SECTIONS = 4,
	TITLE_COLUMNS = 10,
	STACK_BYTES = 1024,
};

/* A kind of parts of the time, with its name. */
struct section {
	const char *title;
	const struct lock_parts *parts;
	size_t rows; /* given to it */
};

/* Share ROWS among the sections: one for each that has any, then by turns. */
static void give_rows(struct section sections[SECTIONS], size_t rows)
{
	bool given = true;
	while (rows > 0 && given) {
		given = false;
		for (size_t i = 0; i < SECTIONS && rows > 0; i++) {
			if (sections[i].rows == sections[i].parts->len)
				continue;
			sections[i].rows++;
			rows--;
			given = true;
		}
	}
}

static void say_part(const struct lock *lock, const struct lock_parts *parts,
	const struct lock_part *part, const struct report *report, int columns,
	const char *ellipsis, char *text, size_t size)
{
	struct stack_frames frames = {0};
	if (parts == &lock->stacks) {
		locks_say_stack(report, (uint32_t)part->id, &frames, text, size);
		vec_free(&frames);
	} else if (parts == &lock->codes) {
		elide_name(text, size,
			profile_function(report->profile, (uint32_t)part->id)->name,
			columns, ellipsis);
	} else {
		snprintf(text, size, "%s (%u)",
			part->name && part->name[0] ? part->name : "?",
			(unsigned)part->id);
	}
}

static void draw_part(const struct section *section, size_t i, const struct lock *lock,
	const struct report *report, struct grid *grid, int row)
{
	const struct lock_part *part = &section->parts->data[i];
	char text[STACK_BYTES];
	int at = 1;
	size_t left = section->parts->len - section->rows;
	at = grid_put_field(grid, row, at, TITLE_COLUMNS, ALIGN_LEFT, STYLE(ROLE_LABEL),
		i ? "" : section->title);
	at = grid_put_field(grid, row, at + 1, FORMAT_PERCENT_WIDTH, ALIGN_RIGHT,
		STYLE(ROLE_NORMAL), format_percent(part->ns, lock->ns).text);
	if (grid->columns >= 60) {
		struct weight weight = {.cpu_ns = part->ns, .wall_ns = part->ns};
		at = grid_put_field(grid, row, at + 1, FORMAT_SECONDS_WIDTH, ALIGN_RIGHT,
			STYLE(ROLE_DIM), view_value(report, &weight).text);
	}
	int width = grid->columns - at - 1;
	if (i + 1 == section->rows && left > 0)
		width -= 10; /* "  123 more" */
	if (width < 4)
		return;
	say_part(lock, section->parts, part, report, width,
		grid_glyph(grid, GLYPH_ELLIPSIS), text, sizeof(text));
	grid_put_field(grid, row, at + 1, width, ALIGN_LEFT,
		STYLE(section->parts == &lock->holders ? ROLE_VALUE : ROLE_NORMAL), text);
	if (i + 1 == section->rows && left > 0)
		grid_printf(grid, row, grid->columns - 9, STYLE(ROLE_DIM), "%4zu more",
			left < 9999 ? left : 9999);
}

void lock_details_draw(const struct lock *lock, const struct locks *locks,
	const struct report *report, struct grid *grid)
{
	struct section sections[SECTIONS] = {
		{"held by", &lock->holders, 0},
		{"holder in", &lock->stacks, 0},
		{"waits in", &lock->codes, 0},
		{"waiting", &lock->waiters, 0},
	};
	struct weight weight = {.cpu_ns = lock->ns, .wall_ns = lock->ns};
	int row = 0;

	grid_fill(grid, row, 0, 1, grid->columns, STYLE(ROLE_COLUMN));
	grid_printf(grid, row++, 0, STYLE(ROLE_COLUMN), " %s %s: %s of all waiting, %s",
		wait_kind_names[lock->kind], lock->object,
		format_percent(lock->ns, locks->ns).text,
		view_value(report, &weight).text);
	give_rows(sections, (size_t)(grid->rows > row ? grid->rows - row : 0));
	for (size_t s = 0; s < SECTIONS; s++)
		for (size_t i = 0; i < sections[s].rows && row < grid->rows; i++)
			draw_part(&sections[s], i, lock, report, grid, row++);
}
