/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rotation: a recording without end, as one file after the other (--every).
 *
 * Each file covers one interval completely: a sample is in exactly one file, that of its
 * own time, so the weights of all files add up to those of one recording. A file appears
 * whole, under a name with the start of its interval (NAME-PID-20261121T144200Z.pb.gz,
 * UTC), and what was written is forgotten. If a file cannot be written, standard error
 * says so and its samples are lost; sampling goes on. Main thread.
 */
#ifndef CPROFTOP_ROTATION_H
#define CPROFTOP_ROTATION_H

#include "src/base/error.h"
#include "src/export/export.h"
#include "src/export/summary.h"
#include "src/model/meter.h"
#include "src/options/options.h"
#include "src/program/session.h"

#include <stdbool.h>
#include <stdint.h>

struct rotation {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	uint64_t next_ns; /* monotonic: when the interval ends; 0: not begun */
	bool asked;	  /* has asked for the report of the interval up to CUT_NS */
	uint64_t cut_ns;
	struct meter before, at_cut; /* at the start of the interval, and at the cut */
	uint64_t self_before_ns, self_at_cut_ns; /* the same for our own CPU time */
	/* what the reports so far said about stacks and threads */
	struct summary earlier;
	unsigned written, failed;
};

/* Can files be made in the folder? */
bool rotation_check(
	const char *folder, const struct export_format *format, struct error *err);

/* SESSION has begun. All arguments are borrowed. */
void rotation_init(struct rotation *rotation, const struct options *options,
	struct session *session, const struct export_format *format);

/* Do what is due. Call it again after as many milliseconds as it returns, or earlier if
   the analyst's descriptor polls readable. */
int rotation_step(struct rotation *rotation, uint64_t now_ns);

/* When sampling has stopped, write what is left. SUMMARY covers the whole recording.
   False if any file was not written. */
bool rotation_finish(
	struct rotation *rotation, struct summary *summary, struct error *err);

#endif
