/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/list/command-line.h"

#include "src/base/clean.h"
#include "src/base/small-file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	SUFFIX_MAX = 5,	   /* letters: ".cpp", ".class" */
	SETTLED_WORDS = 2, /* fewer say too little: "nginx:" */
};

size_t command_line_read(int proc_fd, char *out, size_t size)
{
	char text[CLEAN_MAX];
	size_t length = small_file_read(proc_fd, "cmdline", text, sizeof(text));
	while (length > 0 && (text[length - 1] == '\0' || text[length - 1] == ' '))
		length--;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return clean_text(out, size, text, length);
}

/* The last component of the path that TEXT begins with. *LENGTH is of the path, then of
   that component. */
static const char *base_of(const char *text, size_t *length)
{
	size_t start = *length;
	while (start > 0 && text[start - 1] != '/')
		start--;
	*length -= start;
	return text + start;
}

/* Does the path end with a name that has a suffix? */
static bool is_file(const char *word, size_t length)
{
	const char *name = base_of(word, &length);
	size_t suffix = 0;
	if (word[0] == '-' || memchr(name, '=', length))
		return false;
	while (suffix < length && isalnum((unsigned char)name[length - 1 - suffix]))
		suffix++;
	return suffix > 0 && suffix <= SUFFIX_MAX && suffix + 1 < length &&
	       name[length - 1 - suffix] == '.' &&
	       isalpha((unsigned char)name[length - suffix]);
}

struct words {
	char *out;
	size_t length, size;
};

/* Is this word among those that were added? */
static bool has_word(const struct words *words, const char *word, size_t length)
{
	for (const char *at = words->out; *at;) {
		size_t known = strcspn(at, " ");
		if (known == length && strncmp(at, word, length) == 0)
			return true;
		at += known;
		at += strspn(at, " ");
	}
	return false;
}

static void add_word(struct words *words, const char *word, size_t length)
{
	size_t blank = words->length > 0;
	if (words->length + blank + length >= words->size ||
		has_word(words, word, length))
		return;
	if (blank)
		words->out[words->length++] = ' ';
	memcpy(words->out + words->length, word, length);
	words->length += length;
	words->out[words->length] = '\0';
}

/* The program and its files; false if there are no files. */
static bool keep_files(const char *command, size_t first, char *out, size_t size)
{
	struct words words = {.out = out, .size = size};
	size_t length = first, program;
	bool is_output = false;
	const char *name = base_of(command, &length);
	out[0] = '\0';
	add_word(&words, name, length);
	program = words.length;
	for (const char *at = command + first; *at; at += length) {
		at += strspn(at, " ");
		length = strcspn(at, " ");
		size_t base = length;
		const char *file = base_of(at, &base);
		if (!is_output && is_file(at, length))
			add_word(&words, file, base);
		is_output = length == 2 && strncmp(at, "-o", 2) == 0;
	}
	return words.length > program;
}

void command_line_shorten(const char *command, char *out, size_t size)
{
	size_t first = strcspn(command, " "), length = first;
	const char *rest = base_of(command, &length);
	if (strlen(rest) < size)
		snprintf(out, size, "%s", rest);
	else if (!keep_files(command, first, out, size))
		clean_text(out, size, rest, strlen(rest));
}

void command_line_settle(char *title, size_t size, const char *now)
{
	size_t same = 0, words = 0;
	for (size_t i = 0;; i++) {
		bool ends = (title[i] == '\0' || title[i] == ' ') &&
			    (now[i] == '\0' || now[i] == ' ');
		if (ends && i > same) {
			same = i;
			words++;
		}
		if (title[i] != now[i] || title[i] == '\0')
			break;
	}
	if (words >= SETTLED_WORDS)
		title[same] = '\0';
	else
		snprintf(title, size, "%s", now);
}
