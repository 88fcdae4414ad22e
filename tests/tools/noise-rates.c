/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise-rates [RUNS]: how often a comparison of two simulated recordings is wrong.
 *
 * For programs whose phases last from a hundredth of the recording to all of it: on how many
 * screens anything is said to have changed when nothing has, and how often two points more of
 * one function are found. docs/lab/TRUTH.md has such a table; tests/truth/diff-rates finds the
 * same with real processes.
 */
#include "tests/lib/phased.h"

#include <stdio.h>
#include <stdlib.h>

static const double lengths[] = {0.01, 0.033, 0.067, 0.1, 0.15, 0.2, 0.3, 0.5, 1};
enum {
	LENGTHS = sizeof(lengths) / sizeof(lengths[0])
};

static struct phased phased_of(enum phased_kind kind, double length, double contrast)
{
	return (struct phased){
		.kind = kind,
		.phase_s = length * PHASED_SECONDS,
		.contrast = contrast,
		.hz = 198,
		.random = 88172645463325252u,
	};
}

/* One row: of each length the percentage of comparisons that WHICH counts. */
static void row(enum phased_kind kind, double contrast, unsigned runs, double before,
	double after)
{
	for (int i = 0; i < LENGTHS; i++) {
		struct phased phased = phased_of(kind, lengths[i], contrast);
		phased_init(&phased);
		struct phased_found found = phased_compare(&phased, runs, before, after);
		phased_finish(&phased);
		unsigned n = after > 0 ? found.f0 : found.screens;
		printf(" %.1f |", 100.0 * n / runs);
		fflush(stdout);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 400;
	if (runs == 0)
		return 2;
	printf("%u comparisons of %d s at 198 samples a second; in percent\n\n| phases "
	       "of this part of it |",
		runs, PHASED_SECONDS);
	for (int i = 0; i < LENGTHS; i++)
		printf(" %g |", lengths[i]);
	printf("\n|---|");
	for (int i = 0; i < LENGTHS; i++)
		printf("---|");
	printf("\n");
	for (int weak = 0; weak < 2; weak++)
		for (int kind = 0; kind < PHASED_KINDS; kind++) {
			double contrast = weak ? 1.5 : 4;
			printf("| %s, x %g: nothing has changed, and something is marked "
			       "|",
				phased_names[kind], contrast);
			row((enum phased_kind)kind, contrast, runs, 0, 0);
		}
	static const double changes[][2] = {{0, 0.02}, {0.01, 0.03}, {0.02, 0.04}};
	for (int i = 0; i < 3; i++) {
		printf("| two phases, x 4: a function from %g to %g %%, and it is marked "
		       "|",
			100 * changes[i][0], 100 * changes[i][1]);
		row(PHASED_TWO, 4, runs, changes[i][0], changes[i][1]);
	}
	return 0;
}
