/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java-watch: is what was read of a virtual machine what it was when a sample was taken?
 *
 * It is read after the sample. If it was the same before and is the same now, it was the same
 * then; if it has changed in between, nobody knows. So it is read again, at most once for all
 * samples that were taken until then. Of what was never seen before it is believed that it was
 * there. Private to java-names.
 */
#ifndef CPROFTOP_JAVA_WATCH_H
#define CPROFTOP_JAVA_WATCH_H

#include "src/base/clock.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

/* When something was read that was the same each time. FIRST_NS is 0 if it was nothing else
   before. */
struct java_watch {
	uint64_t first_ns, last_ns;
};

/* Must it be read again before the present sample of SPACE is named by it? */
static inline bool java_watch_is_due(
	const struct java_watch *watch, const struct address_space *space)
{
	uint64_t sample_ns = address_space_sample_ns(space);
	return sample_ns == 0 || watch->last_ns < sample_ns;
}

/* It was read just now. IS_OTHER: and was something else before. */
static inline void java_watch_note(struct java_watch *watch, bool is_other)
{
	watch->last_ns = clock_monotonic_ns();
	if (is_other)
		watch->first_ns = watch->last_ns;
}

/* Was it the same when the present sample was taken? */
static inline bool java_watch_was_there(
	const struct java_watch *watch, const struct address_space *space)
{
	return watch->first_ns <= address_space_sample_ns(space);
}

#endif
