/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/settings/rc-file.h"

#include "src/base/clean.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The LENGTH bytes of TEXT without blanks at both ends; the caller frees them. */
static char *trimmed(const char *text, size_t length)
{
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	while (length > 0 && is_blank(*text)) {
		text++;
		length--;
	}
	return mem_printf("%.*s", (int)length, text);
}

/* Tabs are blanks here, and control nothing. */
static bool is_clean(const char *text, size_t length)
{
	char *copy = mem_printf("%.*s", (int)length, text);
	char *cleaned = mem_alloc(4 * length + 1);

	for (char *c = copy; *c; c++)
		*c = is_blank(*c) ? ' ' : *c;
	size_t kept = clean_text(cleaned, 4 * length + 1, copy, length);
	bool same = kept == length && strcmp(copy, cleaned) == 0;
	free(copy);
	free(cleaned);
	return same;
}

static struct rc_line line_of(const char *text, size_t length)
{
	struct rc_line line = {.text = mem_printf("%.*s", (int)length, text)};
	const char *equals = memchr(text, '=', length);
	size_t begin = strspn(line.text, " \t\r");

	if (begin == strlen(line.text) || line.text[begin] == '#')
		return line;
	line.is_bad = !equals || equals == text + begin || strlen(line.text) != length ||
		      !is_clean(text, length);
	if (line.is_bad)
		return line;
	line.name = trimmed(text, (size_t)(equals - text));
	line.value = trimmed(equals + 1, length - (size_t)(equals + 1 - text));
	return line;
}

static void finish_line(struct rc_line *line)
{
	free(line->text);
	free(line->name);
	free(line->value);
}

void rc_file_parse(struct rc_file *file, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);
		vec_push(&file->lines, line_of(text, length));
		text += length + (stop != NULL);
	}
}

void rc_file_finish(struct rc_file *file)
{
	vec_each (&file->lines, line)
		finish_line(line);
	vec_free(&file->lines);
}

void rc_file_set(struct rc_file *file, const char *name, const char *const *values,
	size_t n_values)
{
	struct rc_file changed = {0};
	bool placed = false;

	for (size_t i = 0; i <= file->lines.len; i++) {
		bool is_end = i == file->lines.len;
		struct rc_line *line = is_end ? NULL : &file->lines.data[i];
		bool is_this = line && line->name && strcmp(line->name, name) == 0;
		for (size_t v = 0; v < n_values && !placed && (is_this || is_end); v++) {
			char *text = mem_printf("%s = %s", name, values[v]);
			vec_push(&changed.lines, line_of(text, strlen(text)));
			free(text);
		}
		placed |= is_this;
		if (is_this)
			finish_line(line);
		else if (line)
			vec_push(&changed.lines, *line);
	}
	vec_free(&file->lines);
	*file = changed;
}

char *rc_file_text(const struct rc_file *file)
{
	size_t size = 1;

	vec_each (&file->lines, line)
		size += strlen(line->text) + 1;
	char *text = mem_alloc(size), *at = text;
	*text = '\0';
	vec_each (&file->lines, line) {
		at = stpcpy(at, line->text);
		at = stpcpy(at, "\n");
	}
	return text;
}
