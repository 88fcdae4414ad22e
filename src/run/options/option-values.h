/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-values: parse the values of options.
 *
 * Each function reads TEXT as the value of one option. If it is not valid, it returns
 * false, and ERR has one line that quotes TEXT and says which values are possible.
 */
#ifndef CPROFTOP_SRC_OPTION_VALUES_H
#define CPROFTOP_SRC_OPTION_VALUES_H

#include "src/base/error.h"
#include "src/count/change.h"
#include "src/facts/naming.h"
#include "src/write/listing.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A number from LEAST to MOST, with WHOLE an integer. Messages call it WHAT. */
bool option_number(const char *text, const char *what, double least, double most,
	bool whole, double *value, struct error *err);

/* A time of LEAST to MOST seconds: a number with "ms", "s", "m" or "h", or without a unit in
   seconds. */
bool option_time(const char *text, const char *what, double least, double most,
	double *seconds, struct error *err);

/* A budget in percent, at most MOST. *SHARE is it as a share; "none" is 0. */
bool option_budget(const char *text, const char *what, double most, double *share,
	struct error *err);

/* Comma-separated PIDs. Each is added once to PIDS, which has *N entries and room for
   MOST. */
bool option_pids(
	const char *list, pid_t *pids, size_t most, size_t *n, struct error *err);

/* A switch that is given a value: "yes" or "no". Messages call it WHAT. */
bool option_switch(const char *text, const char *what, bool *value, struct error *err);

/* --weight. Neither *CPU nor *WALL set: samples. */
bool option_weight(const char *text, bool *cpu, bool *wall, struct error *err);

/* -m */
bool option_mode(const char *text, bool *wall, struct error *err);

/* --by: is TEXT thread, process, tag or tag=KEY? */
bool option_by(const char *text, struct error *err);

/* --inlines. Neither *FOLD nor *SPLIT set: show. */
bool option_inlines(
	const char *text, bool may_split, bool *fold, bool *split, struct error *err);

#endif
