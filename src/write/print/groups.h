/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups: the functions of a report apart by thread, by process or by label.
 *
 * Threads of one name are one group. Main thread.
 */
#ifndef CPROFTOP_GROUPS_H
#define CPROFTOP_GROUPS_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/write/file-metric.h"

struct group {
	const char *name; /* "worker", "make (4711)", "red"; "": without */
	struct weight weight;
	VEC(struct report_function) rows;
};

struct groups {
	VEC(struct group) list; /* heaviest first, after groups_init */

	/* Private. */
	struct strpool names;
	struct idmap of_name;	/* (address of the name, 0) -> group */
	struct idmap of_thread; /* (thread, 0) -> group */
	struct idmap places;	/* (group, function) -> row */
};

/* BY is "thread", "process", "tag" for all labels together, or "tag=KEY". */
void groups_init(struct groups *groups, const struct report *report, const char *by);
void groups_finish(struct groups *groups);

#endif
