/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assemblies: the instructions of functions, and their lines, as they are asked for.
 *
 * The code is looked for in the processes that are sampled; if none has it any more, in the file.
 * The lines are an answer of their own, which comes later. The reader's only thread.
 */
#ifndef CPROFTOP_ASSEMBLIES_H
#define CPROFTOP_ASSEMBLIES_H

#include "src/read/assembly/decoder.h"
#include "src/read/names/line-resolver.h"
#include "src/read/reader/intakes.h"
#include "src/read/tell/teller.h"

#include <stddef.h>

/* What it needs, all borrowed. */
struct assemblies {
	struct teller *teller;
	const struct intakes *intakes;
	struct decoder *decoder;     /* NULL: every answer is that there is none */
	struct line_resolver *lines; /* NULL: no lines */
	const char *debug_dirs;
};

/* Answer the question (src/read/tell/code-question.h) of LENGTH bytes. */
void assemblies_answer(
	struct assemblies *assemblies, const void *question, size_t length);

/* Tell the lines that have come meanwhile. */
void assemblies_tell_lines(struct assemblies *assemblies);

#endif
