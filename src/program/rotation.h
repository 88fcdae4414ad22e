/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rotation: a recording without end, as one file after the other.
 *
 * Each file covers one interval and all of it: a sample is in exactly one of them, the
 * one of its own time, so the weights of all files together are those of one recording.
 * They appear whole, under a name with the start of the interval
 * (NAME-PID-20261121T144200Z.pb.gz, UTC). What was written is forgotten. A file that
 * cannot be written is told on standard error and its samples are gone; sampling goes on.
 * Main thread.
 */
#ifndef CPROFTOP_ROTATION_H
#define CPROFTOP_ROTATION_H

#include "src/base/error.h"
#include "src/export/export.h"
#include "src/export/summary.h"
#include "src/model/meter.h"
#include "src/program/options.h"
#include "src/program/session.h"

#include <stdbool.h>
#include <stdint.h>

struct rotation {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	uint64_t next_ns; /* monotonic: when the interval ends; 0: not begun */
	bool asked;	  /* for the report of the interval up to CUT_NS */
	uint64_t cut_ns;
	struct meter before, at_cut;		 /* as the meter was then */
	uint64_t self_before_ns, self_at_cut_ns; /* the same of our own CPU time */
	struct summary earlier; /* what the reports so far say of stacks and threads */
	unsigned written, failed;
};

/* Can files be made in the folder? */
bool rotation_check(
	const char *folder, const struct export_format *format, struct error *err);

/* All but the meters zeroed; SESSION has begun. All are borrowed. */
void rotation_init(struct rotation *rotation, const struct options *options,
	struct session *session, const struct export_format *format);

/* Do what is due. Returns how many ms may pass until the next call, unless the analyst's
   descriptor is readable before. */
int rotation_step(struct rotation *rotation, uint64_t now_ns);

/* Sampling has stopped: write what is left. The summary is of all the time; the caller's
   own report. False if any file was not written. */
bool rotation_finish(
	struct rotation *rotation, struct summary *summary, struct error *err);

#endif
