/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-profile FORMAT FILE [wall] [cpu] [split]: write the fixture for another program to
 * read. "wall": its samples weigh wall time too. "cpu": folded stacks count microseconds.
 * "split": pprof has a location for each inlined function.
 */
#include "tests/lib/fixture.h"

#include "src/write/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const struct export_format *format =
		argc > 2 ? export_format_by_name(argv[1]) : NULL;
	bool wall = false, cpu = false, split = false;

	for (int i = 3; i < argc; i++) {
		wall |= strcmp(argv[i], "wall") == 0;
		cpu |= strcmp(argv[i], "cpu") == 0;
		split |= strcmp(argv[i], "split") == 0;
	}
	if (!format) {
		fputs("usage: make-profile FORMAT FILE [wall] [cpu] [split]\n", stderr);
		return EXIT_FAILURE;
	}
	struct fixture fixture;
	struct error err;
	fixture_init(&fixture, wall);
	struct report *report = fixture_report(&fixture, NULL);
	struct export_facts facts = *fixture_facts(cpu);
	facts.split_inlines = split;
	bool written = export_to_file(format, report, &facts, argv[2], NULL, &err);
	if (!written)
		fprintf(stderr, "%s\n", err.text);
	report_destroy(report);
	fixture_finish(&fixture);
	return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
