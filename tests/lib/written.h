/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * written: export a report to memory.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_WRITTEN_H
#define CPROFTOP_TESTS_WRITTEN_H

#include "tests/lib/fixture.h"

#include <stdbool.h>
#include <stddef.h>

/* The caller frees BYTES. */
struct file {
	char *bytes;
	size_t size;
};

/* Export REPORT in the format NAME; or a report of the fixture (REQUEST NULL:
   everything). */
struct file write_report(const char *name, const struct report *report, bool weigh_cpu);
struct file write_fixture(const char *name, bool wall_clock, bool weigh_cpu,
	struct report_request *request);

#endif
