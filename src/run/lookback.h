/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookback: a recording that writes nothing until something happens (--on), and then a
 * file of the 30 seconds before.
 *
 * Ten times a second each trigger (src/count/trigger/trigger.h) is looked at, one after the
 * other, by a report of the range that it asks for. Sampling goes on while a file is
 * written, and a command that gets its name is not waited for. If a file cannot be written,
 * a message on standard error says so, and it does not count. Main thread.
 */
#ifndef CPROFTOP_LOOKBACK_H
#define CPROFTOP_LOOKBACK_H

#include "src/base/error.h"
#include "src/count/trigger/trigger.h"
#include "src/facts/meter.h"
#include "src/run/hook.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"
#include "src/write/export.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LOOKBACK_S = 30
};

/* What the meter was, once a second. */
struct lookback_reading {
	uint64_t time_ns; /* monotonic */
	uint64_t own_ns;  /* CPU time of cproftop until then */
	struct meter meter;
};

struct lookback {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	struct hook hook;
	struct trigger_state states[OPTIONS_TRIGGERS_MAX]; /* of the options' triggers */
	size_t turn;	  /* the trigger to look at next, or that was asked about */
	uint64_t next_ns; /* monotonic: when */
	enum {
		LOOKBACK_IDLE,
		LOOKBACK_LOOKING, /* a report for a trigger was requested */
		LOOKBACK_WRITING  /* that for a file was */
	} asked;
	double value;				      /* of the trigger that fired */
	struct lookback_reading now;		      /* when it fired */
	struct lookback_reading readings[LOOKBACK_S]; /* circular */
	uint64_t n_readings;			      /* so far */
	uint64_t files, bytes, failed;
	bool is_full; /* the quota is used up, which was said */
};

/* Called when SESSION has started. All arguments are borrowed; CALLER is whose limits the command
   of --exec gets. */
void lookback_init(struct lookback *lookback, const struct options *options,
	struct session *session, const struct export_format *format,
	const struct caller_state *caller);

/* Do what is due. Returns after how many milliseconds to call it again; call it earlier if
   the analyst's descriptor becomes readable. */
int lookback_step(struct lookback *lookback, uint64_t now_ns);

/* Wait for the report that was requested and do with it what is to be done, so that
   somebody else can request one. */
void lookback_settle(struct lookback *lookback);

/* The last call. False if any file could not be written. */
bool lookback_finish(struct lookback *lookback, struct error *err);

#endif
