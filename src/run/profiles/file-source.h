/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-source: a recording that was read from files, as a screen sees it.
 *
 * There is no thread behind it: a report is built when it is asked for. Main thread.
 */
#ifndef CPROFTOP_FILE_SOURCE_H
#define CPROFTOP_FILE_SOURCE_H

#include "src/base/error.h"
#include "src/count/import/recording.h"
#include "src/count/source.h"
#include "src/run/analyst/analyst.h"
#include "src/run/options/options.h"
#include "src/run/profiles/pair.h"

#include <stdbool.h>
#include <stdint.h>

struct file_source {
	struct source source; /* hand this to app_run */
	/* To be set after file_source_init, for instructions; borrowed. NULL: there are none. */
	const struct options *options;

	/* Private. */
	struct recording *recording; /* NULL: a pair */
	struct pair *pair;
	struct meter meter;
	struct report *ready;
	struct analyst *code; /* has their reader, once they were asked for; else NULL */
	int ready_fd;	      /* an event: something was asked and is ready */
	int poll_fd;	      /* that, or instructions or lines have come */
};

/* RECORDING is borrowed. NAME is what the screen calls it, cleaned; SAMPLE_TYPE is what it
   shows first. */
bool file_source_init(struct file_source *file, struct recording *recording,
	const char *name, uint32_t sample_type, struct error *err);
/* The same for two that are compared, called BEFORE and NAME. */
bool file_source_init_pair(struct file_source *file, struct pair *pair,
	const char *before, const char *name, enum normalization normalization,
	struct error *err);
void file_source_finish(struct file_source *file);

#endif
