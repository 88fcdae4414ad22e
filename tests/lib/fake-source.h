/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake-source: a source of reports for the screen, made from the fixture.
 *
 * Answers every request at once; with is_slow, only when the test resets it, as a slow
 * analyst would. Records what the screen asked for. Single thread.
 */
#ifndef CPROFTOP_TESTS_FAKE_SOURCE_H
#define CPROFTOP_TESTS_FAKE_SOURCE_H

#include "src/count/source.h"
#include "tests/lib/fixture.h"

struct fake_source {
	struct source source; /* hand this to app_run */
	struct fixture fixture;
	struct meter meter;
	struct report *ready;
	int ready_fd;
	bool renews;  /* every other report is of another profile */
	bool is_slow; /* while set, take returns nothing */

	const char *languages; /* of reports; NULL: there are none */
	bool names_are_late; /* they come before the first request for a timeline alone */

	struct report_request last; /* the newest request */
	struct time_mark mark;	    /* the newest one */
	unsigned requests, clears;
	unsigned timelines;	   /* requests for a timeline alone */
	unsigned asked_after;	   /* other requests since the first of these */
	unsigned frequency_hz;	   /* as set */
	bool wall;		   /* as set */
	enum native_frames native; /* as set */
	unsigned holds, releases;
};

void fake_source_init(struct fake_source *fake);
void fake_source_finish(struct fake_source *fake);

#endif
