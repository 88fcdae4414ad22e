/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-record: the records that the kernel writes for the events of perf-events.h, as
 * perf_event_open(2) and include/uapi/linux/perf_event.h have them.
 *
 * Only the kernel writes them, and all lengths are looked at all the same. Pure. Any thread.
 */
#ifndef CPROFTOP_PTRACE_PERF_RECORD_H
#define CPROFTOP_PTRACE_PERF_RECORD_H

#include "src/arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum perf_kind {
	PERF_OTHER,
	PERF_SAMPLE,
	PERF_EXEC,	/* the process has called exec, in thread TID */
	PERF_LOST,	/* LOST records did not fit into the ring */
	PERF_THROTTLED, /* an event happened too often, and pauses to the next tick */
};

struct perf_record {
	enum perf_kind kind;
	pid_t pid, tid;	  /* of all but LOST, as is */
	uint64_t time_ns; /* by the clock that the event was opened with */
	uint64_t lost;
	/* Of a SAMPLE. No registers (size 0): the thread had no user memory any more. */
	struct arch_regset regset;
	const unsigned char *stack; /* in the record, from the stack pointer on */
	uint32_t stack_length;
	bool stack_cut; /* there may be more of it: the event asks for no more */
};

enum {
	PERF_RECORD_BYTES_MAX = 1 << 16, /* its size is 16 bits */
};

/* BYTES begin with a record, of which no more than LENGTH is there. How long it is; 0: it does not
   fit, so nothing more can be read. */
size_t perf_record_length(const void *bytes, size_t length);

/* Read the record of LENGTH bytes, which perf_record_length gave. What is damaged is
   PERF_OTHER. */
void perf_record_read(const void *bytes, size_t length, struct perf_record *out);

#endif
