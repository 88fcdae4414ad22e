/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assemblies: the instructions of functions, and their lines, as they are asked for.
 *
 * One at a time: a new question replaces the one before it. The code is looked for in the
 * processes that are sampled; if none has it any more, in the file. The lines are an answer
 * of their own, which comes later. The reader's only thread.
 */
#ifndef CPROFTOP_ASSEMBLIES_H
#define CPROFTOP_ASSEMBLIES_H

#include "src/read/assembly/assembly-job.h"
#include "src/read/names/line-resolver.h"
#include "src/read/reader/intakes.h"
#include "src/read/tell/teller.h"

#include <stdbool.h>
#include <stddef.h>

struct assemblies {
	/* Borrowed: */
	struct teller *teller;
	const struct intakes *intakes;
	struct disassembler *disassembler; /* NULL: every answer is that there is none */
	struct line_resolver *lines;	   /* NULL: no lines */
	const char *debug_dirs;

	/* Private: */
	bool is_busy;
	struct assembly_request request; /* with a reference of its profile */
	struct assembly_job job;
};

/* Begin with the question (src/read/tell/code-question.h) of LENGTH bytes. */
void assemblies_ask(struct assemblies *assemblies, const void *question, size_t length);

/* Go on with the one there is, and tell its answer. */
void assemblies_advance(struct assemblies *assemblies);

/* To be polled; -1: nothing is awaited. */
int assemblies_fd(const struct assemblies *assemblies);

#endif
