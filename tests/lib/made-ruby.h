/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-ruby: the memory of a process that runs Ruby, made up, as a version that is known lays it
 * out.
 *
 * One thread, with calls of the interpreter one below the other, and one method in each, or
 * several. Its memory is RUBY_BYTES from RUBY_MEMORY on, and all of it is in the sample. Method I
 * is "Made#method<I>", is in "/made.rb", and begins at line 10 * (I + 1); the first word of its
 * code is on that line, the second on the next one, and so on; it has run three of them.
 */
#ifndef CPROFTOP_TESTS_MADE_RUBY_H
#define CPROFTOP_TESTS_MADE_RUBY_H

#include "src/facts/snapshot.h"
#include "src/read/runtimes/ruby/ruby-code.h"
#include "src/read/runtimes/ruby/ruby-layout.h"
#include "src/read/runtimes/ruby/ruby-objects.h"
#include "src/read/runtimes/ruby/ruby-stack.h"

#include <stddef.h>
#include <stdint.h>

#define RUBY_MEMORY UINT64_C(0x7f0000000000)

enum {
	RUBY_BLOCKS = 18,
	RUBY_BYTES = RUBY_BLOCKS * RECIPE_BLOCK,
	RUBY_METHODS = 8, /* at most */
	RUBY_WORDS = 16,  /* of code */
	/* from RUBY_MEMORY on: */
	RUBY_THREAD = 0,	 /* what the thread pointer points to */
	RUBY_CONTEXT = 0x100,	 /* rb_execution_context_t */
	RUBY_ENVS = 0x1000,	 /* 0x40 for each method; the control frames end at */
	RUBY_STACK_END = 0x3000, /* and go down from there */
	RUBY_TAGS = 0x3000,	 /* the stack of C, with a mark each 0x100 */
	RUBY_ISEQS = 0x5000,	 /* 0x40 for each method */
	RUBY_BODIES = 0x6000,	 /* 0x100 */
	RUBY_CODE = 0x7000,	 /* 0x100 */
	RUBY_LABELS = 0x8000,	 /* 0x40 */
	RUBY_TEXTS = 0x9000,	 /* 0x20 */
	RUBY_TABLES = 0xa000,	 /* 0x100 */
	RUBY_POSITIONS = 0xb000, /* 0x40 */
	RUBY_PATH = 0xc000,
	RUBY_ENTRIES = 0xc100,	   /* method entries, 0x40 */
	RUBY_DEFINITIONS = 0xc800, /* 0x40 */
	RUBY_CLASS = 0xd000,
	RUBY_OBJSPACE = 0xe000,
	RUBY_RACTOR = 0xe400,
	RUBY_NAMES = 0xf000,
	RUBY_LOOP = 0x11000, /* nothing is there */
};

struct made_ruby {
	const struct ruby_layout *layout;
	struct ruby_place place;
	struct ruby_objects objects;	 /* of a process that runs on: BYTES */
	unsigned char bytes[RUBY_BYTES]; /* may be changed after made_ruby_sample */
	struct snapshot *snapshot;
	unsigned methods; /* 0 is the innermost one */
};

/* Which one the next are: of those that ruby_layout_of knows; 3.1 at first. */
extern unsigned made_ruby_version;

/* CALLS: how many methods each call of the interpreter runs, the innermost first; 0 ends them. */
void made_ruby_init(struct made_ruby *made, const unsigned *calls);
void made_ruby_finish(struct made_ruby *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_ruby_sample(struct made_ruby *made);

void made_ruby_put(struct made_ruby *made, size_t at, uint64_t word);
uint64_t made_ruby_word(const struct made_ruby *made, size_t at);
void made_ruby_put_text(struct made_ruby *made, size_t at, const char *text);

/* Where the control frame and the environment's flags of method I are, and the tag of call I. */
size_t made_ruby_frame(const struct made_ruby *made, unsigned method);
size_t made_ruby_env(unsigned method);
size_t made_ruby_tag(unsigned call);

#endif
