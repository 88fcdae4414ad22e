/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake-source: the fixture's ten seconds as a source, for the screen.
 *
 * Answers every request at once, or, told to, only when released: a test decides when a
 * slow analyst is done. What the screen asked for is there to be looked at. Single
 * thread.
 */
#ifndef CPROFTOP_TESTS_FAKE_SOURCE_H
#define CPROFTOP_TESTS_FAKE_SOURCE_H

#include "src/analyst/source.h"
#include "tests/lib/fixture.h"

struct fake_source {
	struct source source; /* hand this to app_run */
	struct fixture fixture;
	struct meter meter;
	struct report *ready;
	int ready_fd;
	bool renews;  /* each report is of another profile */
	bool is_slow; /* take gives nothing while it is set */

	struct report_request last; /* the newest request */
	unsigned requests, clears;
	unsigned frequency_hz; /* as set */
	bool wall;	       /* as set */
	unsigned holds, releases;
};

void fake_source_init(struct fake_source *fake);
void fake_source_finish(struct fake_source *fake);

#endif
