/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * written: what an exporter makes of a report, in memory.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_WRITTEN_H
#define CPROFTOP_TESTS_WRITTEN_H

#include "tests/lib/fixture.h"

#include <stdbool.h>
#include <stddef.h>

/* To be freed: bytes. */
struct file {
	char *bytes;
	size_t size;
};

/* REPORT in the format called NAME; and one of the fixture, REQUEST NULL: of all. */
struct file write_report(const char *name, const struct report *report, bool weigh_cpu);
struct file write_fixture(const char *name, bool wall_clock, bool weigh_cpu,
	struct report_request *request);

#endif
