/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/written.h"
#include "tests/lib/unit.h"

#include "src/write/export.h"

#include <stdio.h>

struct file write_report(const char *name, const struct report *report, bool weigh_cpu)
{
	struct file file = {0};
	struct error err = {""};
	FILE *stream = open_memstream(&file.bytes, &file.size);
	assert_non_null(stream);
	const struct export_format *format = export_format_by_name(name);
	assert_true(format->write(report, fixture_facts(weigh_cpu), stream, &err));
	assert_int_equal(fclose(stream), 0);
	return file;
}

struct file write_fixture(
	const char *name, bool wall_clock, bool weigh_cpu, struct report_request *request)
{
	struct fixture fixture;
	fixture_init(&fixture, wall_clock);
	struct report *report = fixture_report(&fixture, request);
	struct file file = write_report(name, report, weigh_cpu);
	report_destroy(report);
	fixture_finish(&fixture);
	return file;
}
