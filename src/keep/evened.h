/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evened: the CPU time of samples, evened out among those of a thread that follow one another.
 *
 * A sample weighs the CPU time since the one before. Where instants are random, that time says
 * nothing of where the sample was, and its chance is added to that of the instant: where threads
 * wait for a CPU, 2000 samples are worth 1000 of the same weight. So EVENED_SAMPLES or more of a
 * thread share their time equally. The time of each thread stays as it was, and a change of
 * the rate at which it is sampled, or of what it does, is followed after so many samples.
 * Samples of rarely sampled threads share with those of all such threads of the process, in
 * proportion to their odds: of many threads only some are looked at in an instant.
 *
 * Pure; whoever owns the log.
 */
#ifndef CPROFTOP_EVENED_H
#define CPROFTOP_EVENED_H

#include "src/keep/sample-log.h"

enum {
	EVENED_SAMPLES = 16 /* what is left of that chance is a part of so many */
};

/* The CPU time of each of N samples of LOG from index FIRST on. Samples that stand for several,
   or have no CPU time, keep what they have. The caller frees it. */
uint64_t *evened_cpu_ns(const struct sample_log *log, size_t first, size_t n);

#endif
