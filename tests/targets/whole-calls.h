/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-calls: system calls that never return short by themselves, made again and again,
 * with checks of everything that a program can see of them.
 *
 * A case makes one call and judges it: how much it did, what is in the buffers, where the
 * files stand, what other processes got. call() compares all registers that a call
 * preserves. Cases lie in whole-calls-memory.c (what needs nobody else),
 * whole-calls-pages.c (what moves pages), whole-calls-streams.c (what another process reads
 * or writes: whole-calls-peer.h), whole-calls-rings.c (what waits for a number of
 * completions), whole-calls-waits.c (what waits, and does all or nothing) and
 * whole-calls-resets.c.
 */
#ifndef CPROFTOP_TESTS_WHOLE_CALLS_H
#define CPROFTOP_TESTS_WHOLE_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum whole_outcome {
	WHOLE,
	WHOLE_SHORT,  /* less than was asked, where that does not happen */
	WHOLE_FAILED, /* an error, where that does not happen */
	WHOLE_WRONG,  /* bytes, positions or registers are not what they should be */
	WHOLE_OUTCOMES,
};

struct whole_case {
	const char *name;
	bool (*prepare)(void); /* false: not here, or not permitted */
	enum whole_outcome (*enter)(void);
	/* What another process found wrong, shared with it; NULL: there is none. */
	_Atomic uint64_t **wrong;
	bool only_by_name; /* it takes long, or is not cut */
};

extern const struct whole_case whole_memory[], whole_pages[], whole_streams[];
extern const struct whole_case whole_rings[], whole_waits[], whole_resets[];
extern const size_t whole_memory_count, whole_pages_count, whole_streams_count;
extern const size_t whole_rings_count, whole_waits_count, whole_resets_count;

/* The system call NUMBER; what it returns, -errno for an error. If any register is
   changed that a system call leaves alone, call_changed_registers is set. */
long call(long number, long a, long b, long c, long d, long e, long f);
extern bool call_changed_registers;

/* For cases: RESULT of ASKED units, and whether all else is as it should be. */
enum whole_outcome whole_judge(long result, long asked, bool good);

/* PIECES of many lengths, one of them empty, that cover the LENGTH bytes at FROM. */
enum {
	PIECES = 7
};
void whole_cut_up(struct iovec pieces[PIECES], void *from, size_t length);

/* --- a stream of bytes of which each is known by its place ----------------------- */

enum {
	STREAM_MOST = 16 << 20
};

/* The LENGTH bytes from POSITION on; and whether they are that. */
void stream_fill(void *out, uint64_t position, size_t length);
bool stream_is(const void *bytes, uint64_t position, size_t length);

#endif
