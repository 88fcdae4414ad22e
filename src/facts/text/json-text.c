/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/json-text.h"

void json_text_put(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

void json_text_put_pair(const char *key, const char *text, const char *end, FILE *out)
{
	fprintf(out, "\"%s\": ", key);
	json_text_put(text, out);
	fputs(end, out);
}
