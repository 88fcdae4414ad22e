/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caption: what a file or a picture says of where its samples come from.
 *
 * Of what was sampled the facts of the export say it; of what was read from a file that file,
 * as far as it does. Pure; any thread.
 */
#ifndef CPROFTOP_CAPTION_H
#define CPROFTOP_CAPTION_H

#include "src/write/export.h"

/* The target's command line; NULL: not known. */
const char *caption_command(
	const struct report *report, const struct export_facts *facts);

/* 0: not known, or several. */
pid_t caption_pid(const struct report *report, const struct export_facts *facts);

/* The comments of a file that is written: of a file that was read its own, then those of
   FACTS. */
size_t caption_comments(const struct report *report, const struct export_facts *facts);
const char *caption_comment(
	const struct report *report, const struct export_facts *facts, size_t index);

struct caption_process {
	int64_t pid; /* 0: not said */
	const char *name;
};

/* That of THREAD, if there are several. */
struct caption_process caption_process(const struct report *report, uint32_t thread);

/* "PID 12 on alpha; 2026-11-25 17:40:00 UTC; 10.0s; 1389 samples; stacks 97.8% complete", as
   far as that is known; "" of a report of two. The caller frees it. */
char *caption_line(const struct report *report, const struct export_facts *facts);

#endif
