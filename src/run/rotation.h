/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rotation: a recording as a series of files, one for each interval (--every).
 *
 * Each sample is in exactly one file, the one of its time, so the weights of all files
 * add up to those of a single recording. A file appears complete, under a name with the
 * start of its interval (NAME-PID-20261121T144200Z.pb.gz, UTC). Its samples are then
 * forgotten. If a file cannot be written, a message on standard error says so and its
 * samples are lost; sampling goes on. Main thread.
 */
#ifndef CPROFTOP_ROTATION_H
#define CPROFTOP_ROTATION_H

#include "src/base/error.h"
#include "src/count/summary.h"
#include "src/facts/meter.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"
#include "src/write/export.h"

#include <stdbool.h>
#include <stdint.h>

struct rotation {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	uint64_t next_ns; /* monotonic: when the interval ends; 0: not begun */
	bool asked;	  /* the report of the interval up to CUT_NS was requested */
	uint64_t cut_ns;
	/* the meter at the start of the interval and at CUT_NS */
	struct meter before, at_cut;
	uint64_t self_before_ns, self_at_cut_ns; /* our own CPU time, likewise */
	/* the stacks and threads of the files so far */
	struct summary earlier;
	unsigned written, failed;
};

/* Check that files can be created in FOLDER. */
bool rotation_check(
	const char *folder, const struct export_format *format, struct error *err);

/* Called when SESSION has started. All arguments are borrowed. */
void rotation_init(struct rotation *rotation, const struct options *options,
	struct session *session, const struct export_format *format);

/* Do what is due. Returns after how many milliseconds to call it again; call it earlier
   if the analyst's descriptor becomes readable. */
int rotation_step(struct rotation *rotation, uint64_t now_ns);

/* Called when sampling has stopped: write the last file. SUMMARY covers the whole
   recording. TOLD: a signal has ended it, so lines are not waited for. WATCHDOG may have
   written that file, if there was no answer. False if any file could not be written. */
bool rotation_finish(
	struct rotation *rotation, bool told, struct summary *summary, struct error *err);

#endif
