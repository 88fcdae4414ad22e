/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change: what a report of two says of each of its rows: before, after, and whether the
 * difference is more than noise.
 *
 * Plain data, immutable; it belongs to the report of both (src/count/difference/difference.h makes
 * it). May be read by who reads that.
 */
#ifndef CPROFTOP_CHANGE_H
#define CPROFTOP_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report;

/* What makes the two comparable. */
enum normalization {
	NORMALIZE_CPU,	/* shares of the CPU time (or of what the files count) */
	NORMALIZE_TIME, /* the values per second */
	NORMALIZE_NONE, /* the values as they are */
	NORMALIZATIONS
};

/* Its name as a value of --normalize: "cpu", "time", "none". */
const char *normalization_name(enum normalization normalization);

#define DIFFERENCE_FEW	0.05
#define DIFFERENCE_GOAL 0.02

struct change {
	double before, after; /* in the unit of AFTER; see struct difference */
	double chance; /* the probability of this or more by chance; 1: not tested */
	bool real;     /* more than noise */
};

/* What it takes to find a change of DIFFERENCE_GOAL of the whole in nine tries of ten. */
struct needed {
	double times; /* so many times the samples; 1: they suffice; 0: not known */
	uint64_t ns;  /* recordings as long as this, */
	double hz;    /* or this rate; 0: not of CPU time, or more than there can be */
};

static inline double change_of(const struct change *change)
{
	return change->after - change->before;
}

/* Values of BEFORE have been multiplied by FACTOR, so that its whole is the whole of AFTER,
   and a value is a share of WHOLE; with NORMALIZE_TIME they are what BEFORE would have counted
   in the time of AFTER; with NORMALIZE_NONE FACTOR is 1. All changes add up:
   that of a node is its own (node_self) and those of its children. */
struct difference {
	struct report *before, *after; /* as they were given; shared */
	enum normalization normalization;
	bool by_blocks; /* noise was measured over time; else it is that of counting */
	double factor, whole;
	double wholes[2]; /* as they were counted */
	/* What values are divided by before they are compared: with NORMALIZE_TIME the seconds
	   of either side, with NORMALIZE_NONE 1. 0: their wholes. */
	double per[2];

	struct change all; /* of what the filters let through */
	/* Indexed as the arrays of the report of both. */
	struct change *self, *total;	 /* functions */
	struct change *node, *node_self; /* nodes of the call tree */
	struct change *threads, *stacks; /* stacks are not tested */
	size_t n_real;			 /* functions with a real change */
	/* Changes of less than so much of the whole are not told from
	   chance in nine tries of ten: of a function with DIFFERENCE_FEW of the whole, and
	   of one with half of it, which is the worst. 0: not known; only of shares. */
	double hidden_of_few, hidden_of_half;
	struct needed needed_of_few, needed_of_half;
	double largest_self; /* of all changes of a function's self, without its sign */
};

#endif
