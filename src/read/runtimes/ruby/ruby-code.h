/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby-code: what an instruction sequence or a method of C is called, where it is written, and
 * which line an instruction belongs to.
 *
 * They are read some milliseconds after the sample, from memory that the program may have used for
 * something else meanwhile; but nothing is freed that a thread runs, until the next collection of
 * garbage. So the recipe copies the number of collections. If it is still the same, what is read is
 * what was there in the sample. Else a function is named only if it was known before, and is still
 * the same, word by word.
 *
 * A method's name has its class before it, as in backtraces of Ruby since 3.4, if a method entry
 * says so that leads to the same instruction sequence: "Class#method", "block in Class.method".
 *
 * The process may be hostile: all that is read is bounded, and texts are cleaned. One thread.
 */
#ifndef CPROFTOP_RUBY_CODE_H
#define CPROFTOP_RUBY_CODE_H

#include "src/facts/snapshot.h"
#include "src/read/runtimes/ruby/ruby-objects.h"
#include "src/read/runtimes/ruby/ruby-stack.h"
#include "src/read/runtimes/runtime.h"

#include <stddef.h>
#include <stdint.h>

struct ruby_codes;

/* Both are borrowed, and must outlive it. */
struct ruby_codes *ruby_codes_create(
	const struct ruby_objects *objects, const struct ruby_place *place);
void ruby_codes_destroy(struct ruby_codes *codes); /* NULL is fine */

/* The function of FRAME, of the sample SNAPSHOT, as struct runtime has it. */
enum script_kind ruby_codes_find(struct ruby_codes *codes,
	const struct snapshot *snapshot, const struct script_frame *frame,
	struct script_function *out);

/* The entry, of a table of lines, of the instruction at WORD, from 0: what BYTES say, as CRuby's
   succ_index_table. COUNT if they do not say it. */
size_t ruby_line_entry(
	const unsigned char *bytes, size_t length, uint64_t word, size_t count);

#endif
