/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise-rows: what every row of a difference that is large enough to matter has on either
 * side, in all and in each block of time.
 *
 * The part of src/count/difference/noise.h that adds up; what becomes of it is decided there.
 */
#ifndef CPROFTOP_NOISE_ROWS_H
#define CPROFTOP_NOISE_ROWS_H

#include "src/base/vec.h"
#include "src/count/change.h"
#include "src/count/difference/union.h"

/* A change is not called real if fewer than this share of the whole is concerned, however
   certain it is. */
#define NOISE_LEAST_SHARE 0.001

enum {
	/* All of fewer than these on one side is as likely as 1 in 64 by chance, which is
	   not enough where many rows are tested. */
	NOISE_LEAST_SAMPLES = 8
};

/* What is known of one row on one side. The blocks are in one array for all rows. */
struct noise_tally {
	double part, squares;
};

/* Rows of one kind. */
struct noise_family {
	struct change *changes;
	size_t n;
	uint32_t *places;     /* row -> its place among those tested, or UINT32_MAX */
	VEC(uint32_t) tested; /* rows */
	struct noise_tally *tallies; /* two for each tested row, the earlier side first */
	double *blocks[2];	     /* n_blocks for each tested row; NULL: by counts */
};

/* A family for each kind; the rows that one stack counts for. */
enum noise_kind {
	NOISE_SELF,
	NOISE_TOTAL,
	NOISE_NODE,
	NOISE_NODE_SELF,
	NOISE_THREAD,
	NOISE_KINDS
};

struct noise_rows {
	struct difference *difference;
	const struct report_union *joined;
	uint64_t (*value)(const struct weight *weight);
	struct noise_family families[NOISE_KINDS];
	uint32_t *function_rows; /* by id of the profile of both */
	uint32_t *stamps;	 /* by function row: the last stack that it was met on */
	double samples[2];	 /* of everything */
	double whole_squares[2];
	double *wholes[2]; /* of each block */
	size_t n_blocks[2];
};

/* Add up, and fill in the values of functions in DIFFERENCE, and whether there are blocks.
   ROWS refer to both arguments and must be finished before them. */
void noise_rows_init(struct noise_rows *rows, struct difference *difference,
	const struct report_union *joined,
	uint64_t (*value)(const struct weight *weight));
void noise_rows_finish(struct noise_rows *rows);

#endif
