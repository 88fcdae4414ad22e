/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deaths: when tracers die so often that no other one is worth a try.
 *
 * That is so when more than DEATHS_A_SECOND died within a second, or more than
 * DEATHS_IN_VAIN one after the other that had not taken a sample. The second rule does
 * not depend on how long a death takes: on a busy machine forty take more than a second,
 * and the first rule alone would have them replaced for ever.
 */
#ifndef CPROFTOP_PTRACE_DEATHS_H
#define CPROFTOP_PTRACE_DEATHS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DEATHS_A_SECOND = 40,
	DEATHS_IN_VAIN = 40,
	/* In s. Whoever lived for longer was not in vain: perhaps there was nothing to
	   sample. */
	DEATHS_LIVED_S = 10,
};

/* Of all tracers of a session; a zeroed struct is valid. */
struct deaths {
	uint64_t second_ns; /* when the second began in which we count */
	uint64_t last_ns;   /* of the last death */
	uint64_t samples;   /* as of the last death */
	unsigned in_second, in_vain;
};

/* Count a death at NOW_NS (monotonic), when all tracers had taken SAMPLES. True if it was one
   too many. */
bool deaths_too_many(struct deaths *deaths, uint64_t now_ns, uint64_t samples);

#endif
