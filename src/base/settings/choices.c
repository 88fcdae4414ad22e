/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/settings/choices.h"

#include <stdio.h>
#include <string.h>

const char *const column_choices[COLUMN_CHOICES] = {
	[CHOICE_SELF_SHARE] = "self%",
	[CHOICE_TOTAL_SHARE] = "total%",
	[CHOICE_BAR] = "bar",
	[CHOICE_SELF_TIME] = "self",
	[CHOICE_TOTAL_TIME] = "total",
	[CHOICE_SAMPLES] = "samples",
	[CHOICE_MODULE] = "module",
};

const char *const view_choices[] = {"table", "flame", "threads", "callers", "source",
	"locks", "time", "output", NULL};

/* The names into OUT, to be read: "a, b and c". */
static void list_names(const char *const *names, size_t count, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
			i == 0		 ? ""
			: i + 1 == count ? " and "
					 : ", ",
			names[i]);
}

static int find(const char *const *names, size_t count, const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
			return (int)i;
	return -1;
}

bool choices_columns(const char *text, unsigned *hidden, struct error *err)
{
	unsigned result = (1u << COLUMN_CHOICES) - 1;
	char known[128];

	if (strcmp(text, "all") == 0) {
		*hidden = 0;
		return true;
	}
	for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
		size_t length = strcspn(text, ", ");
		int column = find(column_choices, COLUMN_CHOICES, text, length);
		if (column < 0) {
			list_names(column_choices, COLUMN_CHOICES, known, sizeof(known));
			return error_set(err,
				"there is no column '%.*s': there are %s, or all",
				(int)(length < 40 ? length : 40), text, known);
		}
		result &= ~(1u << column);
		text += length;
	}
	*hidden = result;
	return true;
}

void choices_write_columns(unsigned hidden, char *out, size_t size)
{
	size_t used = 0;

	snprintf(out, size, "%s", hidden ? "" : "all");
	for (int i = 0; i < COLUMN_CHOICES && hidden && used < size; i++)
		if (!(hidden & 1u << i))
			used += (size_t)snprintf(out + used, size - used, "%s%s",
				used ? "," : "", column_choices[i]);
}

bool choices_view(const char *text, struct error *err)
{
	char known[128];
	size_t count = sizeof(view_choices) / sizeof(view_choices[0]) - 1;

	if (find(view_choices, count, text, strlen(text)) >= 0)
		return true;
	list_names(view_choices, count, known, sizeof(known));
	return error_set(err, "there is no view '%.40s': there are %s", text, known);
}
