/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixture: a program that executes a few small parts in turn, microseconds each, and
 * measures which share of its CPU time each takes.
 *
 * Reading a clock around so small a part would change its cost. So each thread repeats
 * this: 40 ms of CPU time in which all parts are executed in turn, then 0.4 ms for each
 * part, in which only that part is executed. The second kind of block measures the cost
 * of a part, under the same load and with the same cache as the first. The truth is
 *
 *     CPU time of the blocks of a part alone
 *     + CPU time of the mixed blocks, divided in proportion to what the parts cost,
 *
 * by the thread's own CPU clock, which does not count waiting for a CPU or being stopped
 * by a tracer. A cost is the mean of the middle half of its blocks: so that a host that
 * takes the CPU away for a while has no effect.
 *
 * That the parts of a turn cost what they cost alone is checked: "truth additive" is the
 * sum of the costs in percent of what a turn takes. 100 is perfect; a test should not
 * believe a truth that is 3 away from it.
 *
 * Output: "truth self-NAME PERCENT" and "truth total-NAME PERCENT" for each part, which
 * must be a function of this name that calls none; "truth total-NAME PERCENT" for each
 * group, which is a function that calls several parts; "truth additive PERCENT", "truth
 * turn_ns NANOSECONDS", "truth cpu_ns NANOSECONDS".
 */
#ifndef CPROFTOP_TESTS_MIXTURE_H
#define CPROFTOP_TESTS_MIXTURE_H

#include <stddef.h>
#include <stdint.h>

enum {
	MIXTURE_PARTS = 4
};

/* Called with what prepare() returned for this thread. */
typedef void mixture_function(void *state);

struct mixture_part {
	const char *name;
	mixture_function *run;
};

struct mixture_group {
	const char *name;
	unsigned parts; /* a bit for each part that it calls once in a turn */
};

struct mixture {
	void *(*prepare)(void);
	mixture_function *turn; /* every part once */
	struct mixture_part parts[MIXTURE_PARTS];
	struct mixture_group groups[MIXTURE_PARTS];
};

/* Run THREADS threads for SECONDS, as text (NULL: until SIGTERM, or five minutes), and
   print. Returns an exit status. */
int mixture_main(const struct mixture *mixture, int threads, const char *seconds);

/* Rounds of spin() that take US microseconds on this machine now, roughly. */
unsigned mixture_spin_rounds(double us);

/* One of the program's arguments, a positive number; ends the program if it is none. */
double mixture_argument(int argc, char **argv, int index, const char *usage);

#endif
