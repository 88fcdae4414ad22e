/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flash: which functions have just appeared or grown much, to be highlighted for 1.5 s.
 *
 * A function flashes if the last report did not have it and its share is at least one
 * percent, or if its self share has grown by more than chance explains (three standard
 * deviations for the number of samples, and at least two percentage points). Nothing
 * flashes when the request has changed (another window, filter or thread), or while there
 * are too few samples. Start with a zeroed struct. UI thread.
 */
#ifndef CPROFTOP_UI_FLASH_H
#define CPROFTOP_UI_FLASH_H

#include "src/base/vec.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdint.h>

#define FLASH_NS UINT64_C(1500000000)

struct flash_entry { /* of a function */
	double share;
	uint64_t until_ns;
	uint32_t round; /* of the last report that had it; 0: none */
};

struct flash {
	VEC(struct flash_entry) entries; /* by function id */
	struct report_request request;	 /* of the last report */
	const struct profile *profile;	 /* the same; compared, never followed */
	uint64_t end_ns;		 /* of the last report */
	uint64_t samples;		 /* in the last report */
	uint32_t round;
};

/* Compare REPORT with the last one. */
void flash_update(struct flash *flash, const struct report *report, uint64_t now_ns);
bool flash_is_on(const struct flash *flash, uint32_t function, uint64_t now_ns);
void flash_finish(struct flash *flash);

#endif
