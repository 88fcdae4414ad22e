/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picker: choose a process from a list.
 *
 * Lists the processes with their CPU share, the busiest first, and reads them again every
 * second. What is typed filters the list. The cursor stays on its process. Main thread.
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
	const char *filter;	    /* typed already; NULL: nothing */
	pid_t hidden;		    /* ourselves */
	uid_t uid;		    /* whose processes we may look into; 0: everybody's */
	struct script *script;	    /* plays the user; NULL: a person */
	uint64_t (*clock_ns)(void); /* NULL: the real one */
};

/* True and *PID, or *PID 0 if the user wants none. False only if the script failed. */
bool picker_run(struct term *term, const struct picker_options *options, pid_t *pid,
	struct error *err);

#endif
