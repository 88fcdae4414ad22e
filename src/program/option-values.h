/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-values: what the words after options mean.
 *
 * Each reads TEXT as the value of one option. False and ERR, one line that quotes TEXT
 * and says what it could have been, if it is none.
 */
#ifndef CPROFTOP_SRC_OPTION_VALUES_H
#define CPROFTOP_SRC_OPTION_VALUES_H

#include "src/base/error.h"
#include "src/model/naming.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A number, WHOLE if asked, from LEAST to MOST. WHAT it is stands in the message. */
bool option_number(const char *text, const char *what, double least, double most,
	bool whole, double *value, struct error *err);

/* A budget: percent, at most MOST of them, as a share in *SHARE; "none" is 0. */
bool option_budget(const char *text, const char *what, double most, double *share,
	struct error *err);

/* PIDs with commas between, added to the *N of PIDS, each once, at MOST of them. */
bool option_pids(
	const char *list, pid_t *pids, size_t most, size_t *n, struct error *err);

/* --weight: neither *CPU nor *WALL is samples. */
bool option_weight(const char *text, bool *cpu, bool *wall, struct error *err);

/* -m */
bool option_mode(const char *text, bool *wall, struct error *err);

/* --demangle */
bool option_style(const char *text, enum demangle_style *style, struct error *err);

/* --granularity */
bool option_granularity(
	const char *text, enum naming_granularity *granularity, struct error *err);

/* --inlines: neither *FOLD nor *SPLIT is show. */
bool option_inlines(
	const char *text, bool may_split, bool *fold, bool *split, struct error *err);

#endif
