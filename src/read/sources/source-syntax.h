/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-syntax: comments, strings and keywords in a line of source.
 *
 * Enough to read by, not a parser: no macros, no interpolation, no nested templates. The
 * languages are those of programs that people profile. A line is judged by its text and
 * by what goes on from the line before, such as a comment. Pure; any thread.
 */
#ifndef CPROFTOP_SOURCE_SYNTAX_H
#define CPROFTOP_SOURCE_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

enum syntax_language {
	SYNTAX_NONE, /* nothing is coloured */
	SYNTAX_C,    /* C, C++, Objective-C, Java, C# */
	SYNTAX_RUST,
	SYNTAX_GO,
	SYNTAX_PYTHON,
	SYNTAX_JS, /* JavaScript, TypeScript */
};

enum syntax_class {
	SYNTAX_PLAIN,
	SYNTAX_COMMENT,
	SYNTAX_STRING,
	SYNTAX_KEYWORD,
};

/* What a line begins inside of. Zeroed: nothing. */
struct syntax_state {
	uint8_t inside; /* private to source-syntax.c */
	uint8_t depth;	/* of comments, in Rust, and of the #s of a raw string */
};

/* By the suffix of PATH. */
enum syntax_language syntax_language_of(const char *path);

/* The next part of TEXT that is of one class: *AT is its start before the call and its end
   after it; STATE goes along. TEXT must be given again until *AT is at its NUL. */
enum syntax_class syntax_next(enum syntax_language language, struct syntax_state *state,
	const char *text, size_t *at);

/* STATE at the end of the line TEXT. */
void syntax_go_on(
	enum syntax_language language, struct syntax_state *state, const char *text);

#endif
