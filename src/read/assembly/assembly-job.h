/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly-job: make the assembly of one function, in two steps.
 *
 * The first finds the function and its bytes, and gives these to the disassembler, which
 * takes some milliseconds. When that is done (disassembler_advance), the second makes the
 * assembly of its answer, and names what the instructions lead to. Between the two the
 * process may have ended, so each is given the source anew. The reader's only
 * thread.
 */
#ifndef CPROFTOP_ASSEMBLY_JOB_H
#define CPROFTOP_ASSEMBLY_JOB_H

#include "src/read/assembly/assembly.h"
#include "src/read/assembly/code-source.h"
#include "src/read/assembly/disassembler.h"
#include "src/read/assembly/function-code.h"

struct assembly_job {
	struct assembly *assembly; /* being made */
	struct function_code code;
};

/* DISASSEMBLER is borrowed; NULL: there is none. */
void assembly_job_begin(struct assembly_job *job, struct disassembler *disassembler,
	const struct code_source *source, const struct assembly_request *request);

/* The assembly: the caller's. JOB is empty afterwards. */
struct assembly *assembly_job_end(struct assembly_job *job,
	struct disassembler *disassembler, const struct code_source *source);

/* Give the job up. An empty one is fine. */
void assembly_job_drop(struct assembly_job *job);

#endif
