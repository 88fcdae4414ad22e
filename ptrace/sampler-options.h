/*
 * sampler-options: how a sampler is to work; see sampler.h.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_OPTIONS_H
#define CPROFTOP_PTRACE_SAMPLER_OPTIONS_H

#include "ptrace/budget.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SAMPLER_MAX_HZ = 10000
};

struct sampler_options {
	unsigned frequency_hz;	     /* 1 .. SAMPLER_MAX_HZ */
	uint64_t seed;		     /* of the random instants */
	bool restart_syscalls;	     /* the EINTR fix-up, see capture.h */
	struct budget_limits limits; /* of what it may cost */
	bool wall;		     /* sample wall clock: threads that wait count, too */
	/* Called on the sampler thread when the analyst should look at the ring soon: it
	   is half full, or the last record is in it. Must not block. */
	void (*wake)(void *context);
	void *wake_context;
};

#endif
