/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/osc52.h"

#include "src/facts/text/base64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCREEN_PIECE = 512 /* screen drops a string that is longer than 768 bytes */
};

enum osc52_through osc52_through(const char *tmux, const char *sty, const char *term)
{
	if ((tmux && tmux[0]) || (term && strncmp(term, "tmux", 4) == 0))
		return OSC52_TMUX;
	/* tmux, too, may call itself screen, but then it says TMUX. */
	if ((sty && sty[0]) || (term && strncmp(term, "screen", 6) == 0))
		return OSC52_SCREEN;
	return OSC52_DIRECT;
}

/* As screen wants it: each piece in a string of its own. */
static void put_pieces(const char *sequence, size_t length, FILE *out)
{
	for (size_t n; length > 0; sequence += n, length -= n) {
		n = length < SCREEN_PIECE ? length : SCREEN_PIECE;
		fprintf(out, "\033P%.*s\033\\", (int)n, sequence);
	}
}

/* The sequence, with a NUL behind it; NULL if there is no memory. */
static char *make_plain(const char *text, size_t length, size_t *size)
{
	char *plain = NULL;
	FILE *out = open_memstream(&plain, size);

	if (!out)
		return NULL;
	fputs("\033]52;c;", out);
	base64_put(text, length, out);
	putc('\a', out);
	fclose(out);
	return plain;
}

char *osc52_make(enum osc52_through through, const char *text, size_t *size)
{
	size_t length = strnlen(text, OSC52_TEXT_MAX), plain_size = 0;
	char *bytes = NULL;

	/* Not the first bytes of a character without the others. */
	while (length > 0 && text[length] != '\0' &&
		((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	char *plain = make_plain(text, length, &plain_size);
	FILE *out = plain ? open_memstream(&bytes, size) : NULL;
	if (out) {
		if (through == OSC52_SCREEN)
			put_pieces(plain, plain_size, out);
		else
			fputs(plain, out);
		/* Each ESC of what is handed on is doubled; there is one. */
		if (through == OSC52_TMUX)
			fprintf(out, "\033Ptmux;\033%s\033\\", plain);
		fclose(out);
	}
	free(plain);
	return bytes;
}
