/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: what is counted in the place of CPU time (-e): a counter of the kernel or of the
 * processor, the calls of a function, or what their argument says, or writes to a variable; and
 * where such a function or variable is.
 *
 * A weight is then a number of events, or of bytes. Plain data. Any thread.
 */
#ifndef CPROFTOP_EVENT_H
#define CPROFTOP_EVENT_H

#include "src/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_CPU_TIME, /* CPU time */
	EVENT_PAGE_FAULTS,
	EVENT_CONTEXT_SWITCHES,
	EVENT_CPU_MIGRATIONS,
	EVENT_CYCLES,
	EVENT_INSTRUCTIONS,
	EVENT_CACHE_MISSES,
	EVENT_BRANCH_MISSES,
	EVENT_FUNCTION, /* calls of function PLACE */
	EVENT_WRITE, /* writes to variable PLACE, or to the memory at that address: "0x..." */
};

enum {
	EVENT_NAME_MAX = 128,
	EVENT_PLACES = 4, /* breakpoints that a thread can have */
	EVENT_ARGUMENTS = 6,
};

struct event {
	enum event_kind kind;
	char name[EVENT_NAME_MAX];  /* what is counted: "page-faults", "malloc.arg0" */
	char place[EVENT_NAME_MAX]; /* "malloc" */
	uint32_t
		argument; /* of a call, which says how many bytes it is about, from 1 on; 0: none */
	/* So many events from one sample to the next, a prime; 0: as many as make about the
	   frequency on each CPU. */
	uint64_t period;
};

/* The name of a KIND that has one; NULL: there are no more. */
const char *event_kind_name(enum event_kind kind);

/* Is it counted by the processor, which may lack such a counter? */
static inline bool event_is_of_processor(enum event_kind kind)
{
	return kind >= EVENT_CYCLES && kind < EVENT_FUNCTION;
}

/* Does it happen at an address of the program, where a breakpoint can be? */
static inline bool event_has_places(enum event_kind kind)
{
	return kind >= EVENT_FUNCTION;
}

/* Does it happen in the kernel only? */
static inline bool event_is_of_kernel(enum event_kind kind)
{
	return kind == EVENT_CONTEXT_SWITCHES || kind == EVENT_CPU_MIGRATIONS;
}

/* A period of at least LEAST: a prime, since any other falls into step with a program that calls
   a function from two lines in turn; or 1. */
uint64_t event_period(uint64_t least);

/* What there are so many of, which is not what samples weigh if that is in bytes: "malloc". */
static inline const char *event_counted_name(const struct event *event)
{
	return event->argument ? event->place : event->name;
}

/* "page-faults", "malloc:10", "malloc.arg0:10", "write@total". */
bool event_parse(const char *text, struct event *out, struct error *err);

/* Where a function begins, in memory and in the file that [START, LIMIT) is mapped from; or BYTES of
   a variable, 1, 2, 4 or 8, at a multiple of that. */
struct event_place {
	uint64_t address, start, limit, file_offset;
	uint32_t bytes;
};

struct event_places {
	uint32_t count;
	struct event_place places[EVENT_PLACES];
};

/* How the reader, which knows names, hands them to the tracer, in shared memory
   (src/base/newest.h). */
struct event_box {
	_Atomic uint32_t number;
	struct event_places places;
};

/* Writer. */
void event_put(struct event_box *box, const struct event_places *places);

/* Reader. *NUMBER is what was taken last. True if others were copied to OUT, EVENT_PLACES at
   most. */
bool event_take(struct event_box *box, uint32_t *number, struct event_places *out);

#endif
