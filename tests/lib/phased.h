/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phased: simulated recordings of a program with phases, to be compared with one another.
 *
 * A program of forty functions below main, f0 to f39, which in one phase takes other shares
 * of them than in the next. It is sampled for half a minute. The same seed gives the same
 * recordings.
 */
#ifndef CPROFTOP_TESTS_PHASED_H
#define CPROFTOP_TESTS_PHASED_H

#include "src/count/report.h"

enum {
	PHASED_FUNCTIONS = 40,
	PHASED_SECONDS = 30,
};

enum phased_kind {
	PHASED_TWO,	 /* two phases of random (exponential) length */
	PHASED_FOUR,	 /* four, each followed by any of the others */
	PHASED_EVEN,	 /* two, from half as long to one and a half times as long */
	PHASED_DRIFTING, /* the shares go to and fro as a sine does */
	PHASED_APART, /* half of the functions have phases of their own, four times as long */
	PHASED_KINDS
};

extern const char *const phased_names[PHASED_KINDS];

struct phased {
	enum phased_kind kind;
	double phase_s;	 /* the length of a phase on average */
	double contrast; /* how many times its share a function takes in its phase */
	unsigned hz;
	bool no_times; /* the samples have none */
	bool by_lot; /* at random (exponential) distances, each weighing the time before it */
	uint64_t random;

	struct profile *profile;
	struct stacktab *stacktab;
	uint32_t stacks[PHASED_FUNCTIONS], thread;
	double shares[4][PHASED_FUNCTIONS]; /* without f0 */
};

/* PHASED has what is above the empty line. */
void phased_init(struct phased *phased);
void phased_finish(struct phased *phased);

/* One recording; f0 takes the share F0 of it. The caller destroys it. */
struct report *phased_record(struct phased *phased, double f0);

struct phased_found {
	unsigned screens; /* with any function that has really changed */
	unsigned f0;	  /* on which f0 has */
};

/* RUNS pairs compared. */
struct phased_found phased_compare(
	struct phased *phased, unsigned runs, double f0_before, double f0_after);

#endif
