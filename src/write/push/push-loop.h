/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push-loop: send the profiles of a folder to a store, oldest first, and remove those
 * that it has taken.
 *
 * The folder is the queue: nothing else is kept, so nothing is lost when the store, this
 * process or the machine goes down. A file is removed when the store has answered 2xx. If
 * the store took it and its answer is lost, it is sent again, with the same ID. No answer,
 * 401, 403, 404, 408, 429 or 5xx: it is sent again, later and later, up to a minute. Any other
 * answer is about the file itself: it gets the suffix .refused and the others go on. One
 * process at a time sends from a folder (flock(2)). One thread.
 */
#ifndef CPROFTOP_PUSH_LOOP_H
#define CPROFTOP_PUSH_LOOP_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct push_plan {
	const char *folder, *url;
	const char *headers;	   /* a file, see push-http.h; NULL */
	const char *const *labels; /* "KEY=VALUE" */
	size_t n_labels;
	/* Wait for more until this descriptor is at its end, and then at most 10 s for what
	   is left; -1: end when the folder is empty or something fails. */
	int follow_fd;
	bool is_quiet;
};

/* Says on standard error what happens. False if something is left in the folder, or
   nothing could be begun. */
bool push_loop(const struct push_plan *plan, struct error *err);

#endif
