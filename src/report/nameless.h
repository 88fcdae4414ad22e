/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nameless: how much of what runs has no name, and in which modules.
 *
 * Code that no symbol covers is shown by its address in the file, "[cc1plus+0x7f4d20]",
 * and code of no file by its module, "[anon]". A stack of such frames may be as complete
 * as any other, so this is counted apart from src/report/health.h: samples whose leaf has
 * no name, by module. What helps is for src/report/remedy.h to say. Plain data, bounded;
 * any thread.
 */
#ifndef CPROFTOP_NAMELESS_H
#define CPROFTOP_NAMELESS_H

#include "src/model/profile.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NAMELESS_ROWS = 8,
	NAMELESS_LEAST_PER_MILLE = 10, /* less of a module is not worth a word */
	NAMELESS_MODULE_MAX = 64,      /* bytes with NUL; the rest is cut off */
	NAMELESS_PATH_MAX =
		1024, /* the same; cut off, it is of no use, but does no harm */
	NAMELESS_BUILD_ID_MAX = 80,
};

struct nameless_row {
	char module[NAMELESS_MODULE_MAX]; /* as in struct mapping */
	char path[NAMELESS_PATH_MAX];
	char build_id[NAMELESS_BUILD_ID_MAX];
	char runtime[NAMELESS_MODULE_MAX]; /* of generated code: the module that it was
					      called from, or the program's; or "" */
	bool has_names;			   /* other code of the module has */
	uint64_t samples;		   /* at the leaf */
};

struct nameless {
	struct nameless_row rows[NAMELESS_ROWS]; /* most samples first */
	size_t n_rows;
	uint64_t samples; /* all of them */
	uint64_t of;	  /* samples in all */
};

/* Is FUNCTION only called by an address, or by its module? */
bool function_is_nameless(const struct function *function);

/* Is this row's code generated, by a JIT compiler as a rule? */
bool nameless_is_generated(const struct nameless_row *row);

/* Are there so many of ROW that a person should be told? */
bool nameless_matters(const struct nameless *nameless, const struct nameless_row *row);

void nameless_of(const struct report *report, struct nameless *out);

/* Add what PART counted to SUM. */
void nameless_add(struct nameless *sum, const struct nameless *part);

#endif
