/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture: ten seconds of samples of an invented program, always the same, for tests of
 * everything that reads a report.
 *
 * It has what may cause trouble in views and exporters: several threads (one renamed, one
 * with an awkward name), several modules and one that never ran, recursion, inlining, C++
 * and Rust names, wide characters, names with ';' and quotes, unknown functions and
 * broken stacks. Times are fixed: the last sample is before end_ns, the first at start_ns
 * or later, and the load changes in between. Single-threaded.
 */
#ifndef CPROFTOP_TESTS_FIXTURE_H
#define CPROFTOP_TESTS_FIXTURE_H

#include "src/count/report.h"
#include "src/facts/profile.h"
#include "src/keep/accounts.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"
#include "src/write/export.h"

#include <stdbool.h>
#include <stdint.h>

/* Ten seconds, from 2026-01-02 03:04:05 UTC. */
#define FIXTURE_START_NS      UINT64_C(1000000000000)
#define FIXTURE_END_NS	      UINT64_C(1010000000000)
#define FIXTURE_START_WALL_NS UINT64_C(1767323045000000000)
#define FIXTURE_FREQUENCY_HZ  100u
#define FIXTURE_PID	      4711

struct fixture {
	struct profile *profile;
	struct naming *naming;
	struct stacktab *stacktab;
	struct sample_log samples;
	struct accounts accounts; /* of the threads 4711 and 4713 only */
	bool wall_clock;
	unsigned renewals;
};

/* WALL_CLOCK: the samples have wall-clock weights, too. */
void fixture_init(struct fixture *fixture, bool wall_clock);
void fixture_finish(struct fixture *fixture);

/* Start again with the same samples in another profile, in which everything has another
   id. */
void fixture_renew(struct fixture *fixture);

/* REQUEST NULL: all ten seconds. The caller owns the report. */
struct report *fixture_report(
	const struct fixture *fixture, const struct report_request *request);

/* The facts for exporting it. */
const struct export_facts *fixture_facts(bool weigh_cpu);

#endif
