/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost: what one function costs in a report, by source line and by address.
 *
 * Lines are those of the function itself. The self weight of a line is that of the samples
 * whose innermost function is this one, at that line; its total is that of all samples in
 * which the function stands at that line, calls and inlined functions included. A stack
 * counts once for a line, however often the line is in it. So the sums are those of pprof
 * -list (flat and cum).
 *
 * Addresses are those of the machine code in which the function runs, wherever it was
 * inlined. The self weight of an address is that of the samples that were there, whichever
 * inlined function the instruction belongs to. Callers are counted at their call: their
 * locations are the return address less one.
 *
 * Pure; any thread that may read the report.
 */
#ifndef CPROFTOP_COST_H
#define CPROFTOP_COST_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/report.h"

#include <stddef.h>
#include <stdint.h>

struct cost_line {
	const char *file; /* of the profile; "" if unknown */
	uint32_t line;	  /* 0 if unknown */
	struct weight self, total;
	size_t counted; /* private: the last stack, and one more */
};

struct cost_place {
	uint32_t location; /* in the profile */
	uint32_t mapping;  /* PROFILE_NONE: the code has no address */
	uint64_t address;
	struct weight self, total;
	size_t counted; /* private */
};

struct cost {
	/* As the report describes it: not by line or address; PROFILE_NONE: cost_count has
	   found no code. */
	uint32_t function;
	struct weight self, total;
	VEC(struct cost_line) lines;   /* by file, then line */
	VEC(struct cost_place) places; /* by mapping, then address */

	/* Private: where lines and places are in the lists while these are made. */
	struct idmap line_ids, place_ids;
};

/* Replace COST, which may be zeroed, by what FUNCTION costs in REPORT; FUNCTION is one of the
   report's functions, of whatever granularity, a kin. False if it has no code of its own: a
   module, or what stands for a process or a wait. */
bool cost_count(struct cost *cost, const struct report *report, uint32_t function);
void cost_finish(struct cost *cost);

/* The place with the most self weight, or if none has any, with the most total: NULL if
   there is no address. */
const struct cost_place *cost_hottest(
	const struct cost *cost, uint64_t (*metric)(const struct weight *weight));

#endif
