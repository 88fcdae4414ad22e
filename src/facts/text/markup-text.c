/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/markup-text.h"

void markup_put_text(const char *text, size_t length, FILE *out)
{
	for (size_t i = 0; i < length && text[i]; i++) {
		switch (text[i]) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(text[i], out);
		}
	}
}
