/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selection: which samples a report request counts.
 *
 * selection_has is called for each sample, so answers are remembered for each thread,
 * each function and each stack node (a node has a matching frame if its parent has one or
 * its own location matches). Lives as long as one report is built. Analyst thread only.
 */
#ifndef CPROFTOP_SELECTION_H
#define CPROFTOP_SELECTION_H

#include "src/base/pattern.h"
#include "src/count/report.h"
#include "src/count/stack-frames.h"
#include "src/facts/rewrite.h"

struct selection {
	const struct report *report;
	const struct profile *profile;
	const struct stacktab *stacktab;
	const struct report_request *request;
	struct pattern *threads;
	const char *module;
	bool all_threads, all_stacks, nothing;
	/* Frames that a stack must have, and those that it must not have. */
	struct selection_frames {
		struct pattern *pattern; /* NULL: not asked */
		unsigned char *of_function, *of_node;
	} wanted, ignored;
	/* One byte per id, as above: enum answer. */
	unsigned char *of_thread, *has_module;
	struct stack_frames frames; /* of the stack that is looked at */
	unsigned char *of_stack;    /* enum selected, + 1; NULL: there is no zoom */
};

enum selected {
	SELECTED_NOT,
	SELECTED_AROUND, /* it would be, but it is beside the zoom */
	SELECTED
};

/* REPORT must have its request and naming set. It is borrowed until selection_finish. */
void selection_init(struct selection *selection, const struct report *report);
void selection_finish(struct selection *selection);

/* The two questions for a sample: its thread may be chosen, and its stack is selected. */
bool selection_has_thread(struct selection *selection, uint32_t thread);
enum selected selection_has_stack(struct selection *selection, uint32_t stack);

enum selected selection_has(struct selection *selection, const struct sample *sample);

#endif
