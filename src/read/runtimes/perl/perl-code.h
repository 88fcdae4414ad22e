/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl-code: what the functions of a Perl program are called, and which file and line a
 * statement is.
 *
 * They are read some milliseconds after the sample, from memory that the program may have used
 * for something else meanwhile. A statement (COP) has a number, which grows while code is compiled,
 * and the recipe copies the next one: so a statement that is there was there in the stop if it
 * has a lower one. It lies in the tree of ops of its function, whose root the function's value (CV)
 * has, too. So what is at the CV's address is the function of the sample if it has the root
 * of the statement. Closures share a root and a name; one that was freed is named by another.
 *
 * The process may be hostile: all that is read is bounded, and texts are cleaned. One thread.
 */
#ifndef CPROFTOP_PERL_CODE_H
#define CPROFTOP_PERL_CODE_H

#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/perl/perl-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stddef.h>
#include <stdint.h>

struct perl_codes;

struct perl_codes *perl_codes_create(
	const struct perl_layout *layout, const struct target_memory *memory);
void perl_codes_destroy(struct perl_codes *codes); /* NULL is fine */

/* The function of FRAME (perl-stack.h), of the sample SNAPSHOT. What OUT has is valid until the
   next call. A line that is not certain is 0. INTERPRETER is that of the thread. */
enum script_kind perl_codes_find(struct perl_codes *codes,
	const struct snapshot *snapshot, uint64_t interpreter,
	const struct script_frame *frame, struct script_function *out);

#endif
