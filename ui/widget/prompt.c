/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/prompt.h"

#include "ui/draw/utf8.h"
#include "ui/keys/key.h"

#include <stdio.h>
#include <string.h>

void prompt_start(struct prompt *prompt, const char *label, const char *text)
{
	*prompt = (struct prompt){0};
	snprintf(prompt->label, sizeof(prompt->label), "%s", label);
	for (struct utf8 c; (c = utf8_decode(text, strlen(text))).length > 0;
		text += c.length) {
		if (prompt->length + c.length >= PROMPT_MAX)
			break;
		memcpy(prompt->text + prompt->length, text, c.length);
		prompt->length += c.length;
	}
	prompt->cursor = prompt->length;
}

static size_t before(const struct prompt *prompt, size_t at)
{
	while (at > 0 && ((unsigned char)prompt->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t after(const struct prompt *prompt, size_t at)
{
	return at + utf8_decode(prompt->text + at, prompt->length - at).length;
}

static void erase(struct prompt *prompt, size_t start, size_t end)
{
	memmove(prompt->text + start, prompt->text + end, prompt->length - end + 1);
	prompt->length -= end - start;
	prompt->cursor = start;
}

static void insert(struct prompt *prompt, uint32_t key)
{
	char bytes[4];
	size_t length = utf8_write(key, bytes);

	if (prompt->length + length >= PROMPT_MAX)
		return;
	memmove(prompt->text + prompt->cursor + length, prompt->text + prompt->cursor,
		prompt->length - prompt->cursor + 1);
	memcpy(prompt->text + prompt->cursor, bytes, length);
	prompt->length += length;
	prompt->cursor += length;
}

static size_t word_start(const struct prompt *prompt)
{
	size_t at = prompt->cursor;

	while (at > 0 && prompt->text[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->text[at - 1] != ' ')
		at--;
	return at;
}

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key)
{
	size_t length = prompt->length;
	size_t cursor = prompt->cursor;

	switch (key) {
	case K_ENTER:
		return PROMPT_DONE;
	case K_ESC:
	case K_CTRL('C'):
	case K_CTRL('G'):
		return PROMPT_CANCELLED;
	case K_LEFT:
	case K_CTRL('B'):
		prompt->cursor = before(prompt, cursor);
		return PROMPT_SAME;
	case K_RIGHT:
	case K_CTRL('F'):
		prompt->cursor = after(prompt, cursor);
		return PROMPT_SAME;
	case K_HOME:
	case K_CTRL('A'):
		prompt->cursor = 0;
		return PROMPT_SAME;
	case K_END:
	case K_CTRL('E'):
		prompt->cursor = length;
		return PROMPT_SAME;
	case K_BACKSPACE:
		erase(prompt, before(prompt, cursor), cursor);
		break;
	case K_DELETE:
	case K_CTRL('D'):
		erase(prompt, cursor, after(prompt, cursor));
		break;
	case K_CTRL('U'):
		erase(prompt, 0, cursor);
		break;
	case K_CTRL('K'):
		erase(prompt, cursor, length);
		break;
	case K_CTRL('W'):
		erase(prompt, word_start(prompt), cursor);
		break;
	default:
		if (key >= ' ' && key < K_FIRST_SPECIAL && utf8_columns(key) >= 0)
			insert(prompt, key);
	}
	if (prompt->length == length)
		return PROMPT_SAME;
	prompt->error[0] = '\0';
	return PROMPT_CHANGED;
}

int prompt_draw(const struct prompt *prompt, struct grid *grid)
{
	char head[PROMPT_MAX];
	struct style style = STYLE(ROLE_PROMPT);

	memcpy(head, prompt->text, prompt->cursor);
	head[prompt->cursor] = '\0';
	grid_fill(grid, 0, 0, 1, grid->columns, style);

	/* A long text scrolls, so that the cursor stays visible. */
	int start = grid_put(grid, 0, 0, STYLE(ROLE_LABEL), prompt->label);
	if (start > grid->columns / 2)
		start = 0;
	struct grid field = grid_part(grid, 0, start, 1, grid->columns - start);
	int at = grid_text_width(head);
	int scroll = at >= field.columns ? at - field.columns + 1 : 0;
	grid_fill(&field, 0, 0, 1, field.columns, style);
	int end = grid_put(&field, 0, -scroll, style, prompt->text);
	if (prompt->error[0] != '\0')
		grid_printf(&field, 0, end + 2, STYLE(ROLE_BAD), "%s", prompt->error);
	return start + at - scroll;
}
