/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dlang-parts: a D name while it is read.
 *
 * Functions that read return false if what is there is not what they read; where they were
 * and what they had written by then is then for the caller to put right. Each step costs; when
 * all are spent nothing can be written any more, so everything fails. Private to the room.
 */
#ifndef CPROFTOP_DLANG_PARTS_H
#define CPROFTOP_DLANG_PARTS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	DLANG_STEPS_MAX = 100000,
	DLANG_DEPTH_MAX = 256,
};

struct dlang {
	const char *symbol, *at;
	size_t reference; /* the place of the reference that is followed */
	char *out;
	size_t length, room;
	size_t base; /* where the text begins that a "vtable for" comes before */
	unsigned steps, depth;
};

/* Take COUNT steps. */
bool dlang_spend(struct dlang *name, size_t count);
bool dlang_is_spent(const struct dlang *name);

/* One step, one level deeper; DEPTH is to be lowered when it is left. */
bool dlang_enter(struct dlang *name);

/* Write. False if there is no room. */
bool dlang_append(struct dlang *name, const char *bytes, size_t length);
bool dlang_put(struct dlang *name, const char *text);

/* Go past TOKEN, if it is next. */
bool dlang_take(struct dlang *name, const char *token);

/* A decimal number, which must not be the last of the name. */
bool dlang_number(struct dlang *name, unsigned long *number);

/* "Q": an earlier place of the name. */
bool dlang_reference(struct dlang *name, const char **target);

/* Is there an identifier at AT? One of a template, with its arguments? */
bool dlang_is_name(const struct dlang *name, const char *at);
bool dlang_is_template(const char *at);

/* Move the FIRST of the LENGTH bytes that were written last behind the others of these. */
void dlang_move_behind(struct dlang *name, size_t first, size_t length);

/* src/facts/mangled/dlang-words.c: of functions, and of types. */
bool dlang_is_convention(char c);
bool dlang_convention(struct dlang *name);
bool dlang_attributes(struct dlang *name);
bool dlang_modifiers(struct dlang *name);
bool dlang_basic_type(struct dlang *name);

/* An identifier of LENGTH bytes; one that stands at an earlier place. */
bool dlang_word(struct dlang *name, unsigned long length);
bool dlang_word_again(struct dlang *name);
bool dlang_foreign(struct dlang *name); /* of another language */
bool dlang_is_added_parent(const char *at, unsigned long length);

/* src/facts/mangled/dlang-value.c: an argument of TYPE, the letter that its type begins with. READ
   reads a function without a name in it. */
typedef bool dlang_reader(struct dlang *name);
bool dlang_value(struct dlang *name, char type, dlang_reader *read);

#endif
