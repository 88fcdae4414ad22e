/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-frames: the functions of one stack as a report counts them.
 *
 * Inlined functions are frames of their own, and frames that are one to the reader
 * (report_joins) are one here. Pure; any thread.
 */
#ifndef CPROFTOP_STACK_FRAMES_H
#define CPROFTOP_STACK_FRAMES_H

#include "src/count/report.h"

#include <stddef.h>
#include <stdint.h>

struct stack_frame {
	uint32_t function; /* as reports count by: a kin */
	uint32_t line;	   /* that runs, or that calls; 0 if unknown */
};

/* A zeroed struct is empty; vec_free ends it. */
struct stack_frames {
	struct stack_frame *data;
	size_t len, cap;
};

/* Replace FRAMES by those of STACK, an id of the stack table: leaf first. */
void stack_frames_of(
	const struct report *report, uint32_t stack, struct stack_frames *frames);

#endif
