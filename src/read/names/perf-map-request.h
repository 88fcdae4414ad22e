/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-map-request: when to ask a Java virtual machine for its perf map (--perf-map).
 *
 * What HotSpot writes has only what is compiled by then, so it is asked when code without
 * a name is met, and again when there is more of that: not sooner than five seconds after
 * the last answer, nor than fifty times as long as that took, for it holds a lock of the
 * compiler's meanwhile. Who does not answer, or is not ready yet, is asked again after a
 * while; who cannot or will not, not. Only a process whose libjvm.so is a HotSpot's is
 * asked (src/read/runtimes/hotspot/hotspot-attach.h). Nothing here waits. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_PERF_MAP_REQUEST_H
#define CPROFTOP_PERF_MAP_REQUEST_H

#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_request;

/* SPACE is borrowed. */
struct perf_map_request *perf_map_request_create(struct address_space *space);
void perf_map_request_destroy(struct perf_map_request *request); /* NULL is fine */

/* NAMELESS places of generated code without a name have been met so far. True if the map
   has been written since the last call. NOW_NS is monotonic. */
bool perf_map_request_step(
	struct perf_map_request *request, size_t nameless, uint64_t now_ns);

/* No more code will be met: ask for the rest at once, if the process still runs. */
void perf_map_request_last(struct perf_map_request *request);

/* Is an answer waited for, or a last question still to be asked? */
bool perf_map_request_pending(const struct perf_map_request *request, size_t nameless);

/* Why there is no map, as a constant; NULL if there is one, or none was needed. */
const char *perf_map_request_problem(
	const struct perf_map_request *request, size_t nameless);

#endif
