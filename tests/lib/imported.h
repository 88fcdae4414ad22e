/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imported: bytes read as if they were a file.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_IMPORTED_H
#define CPROFTOP_TESTS_IMPORTED_H

#include "tests/lib/written.h"

#include "src/count/import/recording.h"

#include <stdbool.h>
#include <stddef.h>

/* Add them to RECORDING; false, and ERR, if they are refused. */
bool imported_try(
	struct recording *recording, const void *bytes, size_t size, struct error *err);

/* The same; the test fails if they are. */
void imported_read(struct recording *recording, const void *bytes, size_t size);

/* The test fails if they are not, or ERR does not contain WHY. */
void imported_refused(const void *bytes, size_t size, const char *why);

/* All of RECORDING, with the values that the file prefers. */
struct report *imported_report(struct recording *recording);

/* What FORMAT makes of them. */
struct file imported_as(const char *format, const void *bytes, size_t size);

/* The test fails unless TEXT, of any format, is these FOLDED stacks. */
void imported_is_folded(const char *text, const char *folded);

#endif
