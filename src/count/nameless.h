/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nameless: how much of what runs has no name, and in which modules.
 *
 * Code that no symbol covers is shown by its address in the file, "[cc1plus+0x7f4d20]",
 * and code without a file by its module, "[anon]". A stack of such frames may be
 * complete, so these are counted apart from src/count/health.h: samples whose leaf has
 * no name, by module. Plain data, bounded; any thread.
 */
#ifndef CPROFTOP_NAMELESS_H
#define CPROFTOP_NAMELESS_H

#include "src/count/report.h"
#include "src/facts/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NAMELESS_ROWS = 8,
	/* a module with a smaller share is not mentioned */
	NAMELESS_LEAST_PER_MILLE = 10,
	NAMELESS_MODULE_MAX = 64, /* bytes with NUL; the rest is cut off */
	NAMELESS_PATH_MAX =
		1024, /* the same; a cut path finds no file, which is harmless */
	NAMELESS_BUILD_ID_MAX = 80,
};

struct nameless_row {
	char module[NAMELESS_MODULE_MAX]; /* as in struct mapping */
	char path[NAMELESS_PATH_MAX];
	char build_id[NAMELESS_BUILD_ID_MAX];
	/* of generated code: the module that called it, else the main executable's; or
	   "" */
	char runtime[NAMELESS_MODULE_MAX];
	bool has_names;	  /* other code of the module has names */
	uint64_t samples; /* with nameless code at the leaf */
};

struct nameless {
	struct nameless_row rows[NAMELESS_ROWS]; /* most samples first */
	size_t n_rows;
	uint64_t samples; /* nameless samples of all modules */
	uint64_t of;	  /* all samples, with a name or without */
};

/* Does FUNCTION have only an address or its module as a name? */
bool function_is_nameless(const struct function *function);

/* Was the code of ROW generated at run time, usually by a JIT compiler? */
bool nameless_is_generated(const struct nameless_row *row);

/* What helps, in one line: of generated code, what the runtime that called it needs to write a
   perf map; of a file, where its symbols may be had. */
const char *nameless_remedy(const struct nameless_row *row);

/* Are the samples of ROW so many that a person should be told? */
bool nameless_matters(const struct nameless *nameless, const struct nameless_row *row);

void nameless_of(const struct report *report, struct nameless *out);

/* Add what PART counted to SUM. */
void nameless_add(struct nameless *sum, const struct nameless *part);

#endif
