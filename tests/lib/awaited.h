/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * awaited: lines that a test waits for; the program itself has other things to do meanwhile.
 */
#ifndef CPROFTOP_TESTS_AWAITED_H
#define CPROFTOP_TESTS_AWAITED_H

#include "src/base/clock.h"
#include "src/read/names/line-resolver.h"

#include <poll.h>

/* Is all answered that line_resolver_start was called for, within LIMIT_NS? */
static inline bool lines_awaited(struct line_resolver *resolver, uint64_t limit_ns)
{
	uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + limit_ns;
	for (;;) {
		line_resolver_advance(resolver);
		if (line_resolver_is_done(resolver) || now_ns >= until_ns)
			return line_resolver_is_done(resolver);
		struct pollfd reader = {
			.fd = line_resolver_fd(resolver), .events = POLLIN};
		struct timespec left = clock_to_timespec(until_ns - now_ns);
		ppoll(&reader, 1, &left, NULL);
		now_ns = clock_monotonic_ns();
	}
}

#endif
