/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invented: a timeline made up for pictures: load that comes and goes, a burst every second
 * at the same fraction of it, and everything that can be marked.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_INVENTED_H
#define CPROFTOP_TESTS_INVENTED_H

#include "src/keep/timeline.h"

#include <stdint.h>

/* SECONDS long, ending at END_NS; destroy it with timeline_destroy. */
struct timeline *invented_timeline(uint64_t end_ns, unsigned seconds);

#endif
