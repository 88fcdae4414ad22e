/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picker: choose a process from a list.
 *
 * Lists the processes but cproftop's own with their CPU share, those that can be profiled before the others and
 * the busiest first, and reads them again every second. Typed text filters the list. The cursor follows its process. Main thread.
 */
#ifndef CPROFTOP_UI_PICKER_H
#define CPROFTOP_UI_PICKER_H

#include "src/base/error.h"
#include "ui/screen/script.h"
#include "ui/term/term.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct picker_options {
	const char *proc;	    /* NULL: "/proc" */
	const char *filter;	    /* initial filter; NULL: none */
	uid_t uid;		    /* whose processes can be profiled; 0: everybody's */
	const char *refusal;	    /* why the last choice was; NULL: none was made */
	struct script *script;	    /* input instead of a person's; NULL: none */
	uint64_t (*clock_ns)(void); /* NULL: the real one */
};

/* *PID is where the cursor begins; 0: at the first. True with the chosen process in *PID; 0 if the user left without one. False only if the
   script failed. */
bool picker_run(struct term *term, const struct picker_options *options, pid_t *pid,
	struct error *err);

#endif
