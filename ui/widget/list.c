/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/list.h"

#include "src/base/clean.h"

enum {
	SCROLL_COLUMNS = 8
};

static size_t add_clipped(size_t value, size_t step, size_t limit)
{
	return limit - value < step ? limit : value + step;
}

static size_t subtract_clipped(size_t value, size_t step)
{
	return value < step ? 0 : value - step;
}

bool list_move(struct list *list, enum action action, size_t count, size_t page)
{
	size_t last = count > 0 ? count - 1 : 0;
	/* one line of the old page stays visible */
	size_t leap = page > 1 ? page - 1 : 1;
	size_t half = page > 1 ? page / 2 : 1;

	switch (action) {
	case ACTION_UP:
		list->cursor = subtract_clipped(list->cursor, 1);
		break;
	case ACTION_DOWN:
		list->cursor = add_clipped(list->cursor, 1, last);
		break;
	case ACTION_PAGE_UP:
		list->cursor = subtract_clipped(list->cursor, leap);
		list->top = subtract_clipped(list->top, leap);
		break;
	case ACTION_PAGE_DOWN:
		list->cursor = add_clipped(list->cursor, leap, last);
		list->top = add_clipped(list->top, leap, last);
		break;
	case ACTION_HALF_UP:
		list->cursor = subtract_clipped(list->cursor, half);
		list->top = subtract_clipped(list->top, half);
		break;
	case ACTION_HALF_DOWN:
		list->cursor = add_clipped(list->cursor, half, last);
		list->top = add_clipped(list->top, half, last);
		break;
	case ACTION_FIRST:
		list->cursor = 0;
		break;
	case ACTION_LAST:
		list->cursor = last;
		break;
	default:
		return false;
	}
	list_reveal(list, count, page);
	return true;
}

void list_reveal(struct list *list, size_t count, size_t page)
{
	if (page == 0)
		page = 1;
	if (list->cursor >= count)
		list->cursor = count > 0 ? count - 1 : 0;
	if (list->top > list->cursor)
		list->top = list->cursor;
	if (list->cursor - list->top >= page)
		list->top = list->cursor - page + 1;
	if (list->top + page > count)
		list->top = count > page ? count - page : 0;
}

void list_scroll(int *left, enum action action)
{
	if (action == ACTION_RIGHT)
		*left += *left < CLEAN_MAX ? SCROLL_COLUMNS : 0;
	else
		*left -= *left < SCROLL_COLUMNS ? *left : SCROLL_COLUMNS;
}
