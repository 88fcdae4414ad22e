/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error: what failed, where, and why, in one line that tells a person what to do.
 *
 * A function that can fail returns bool (or NULL) and fills the caller's struct error;
 * the caller owns it and may pass NULL when it does not care. A lower layer writes the
 * reason; each layer above may put what it was doing in front, once. Only main and ui/
 * show the text. Nothing here allocates, so an error can be reported when memory is gone.
 * Any thread.
 */
#ifndef CPROFTOP_ERROR_H
#define CPROFTOP_ERROR_H

#include <stdbool.h>

struct error {
	char text[512]; /* one line; the caller keeps control characters out */
};

/* Write the text. Always returns false, so that a failing function can `return
 * error_set(...)`. */
bool error_set(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As error_set, followed by ": " and the text of the errno value ERRNUM. Returns
   false. */
bool error_errno(struct error *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "context: " in front of the text already there. Returns false. */
bool error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
