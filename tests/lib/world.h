/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world: a few hand-made samples, for tests of reports.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_WORLD_H
#define CPROFTOP_TESTS_WORLD_H

#include "src/count/report-build.h"

struct world {
	struct profile *profile;
	struct stacktab *stacktab;
	struct sample_log samples;
	uint32_t mapping[2]; /* app, libx.so */
};

struct world world_create(void);
void world_destroy(struct world *world);

/* "main;work;leaf@libx.so" is a stack, root first: each frame is a function in the module
   app, unless "@" names another; "work+inlined" is one location with two lines. */
uint32_t world_stack(struct world *world, const char *text, enum unwind_end end);

/* Add a sample with the complete STACK. */
void world_sample(struct world *world, uint64_t time_ns, pid_t tid, const char *comm,
	const char *stack, uint64_t cpu_ns);

/* Build a report as of time 1000 ns. REQUEST NULL: everything. */
struct report *world_report(struct world *world, const struct report_request *request);

/* The node of REPORT's tree at PATH, "main;work": it must be there. */
const struct report_node *world_node(const struct report *report, const char *path);

#endif
