/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asking: which report the screen asks its source for next, and when.
 *
 * At once when what should be shown has changed; else every ASKING_REFRESH_NS, but not before
 * the last answer has come, so that a slow analyst is not given more work. A range that is
 * held is asked for again only when names have come late for it. UI thread.
 */
#ifndef CPROFTOP_UI_ASKING_H
#define CPROFTOP_UI_ASKING_H

#include "ui/screen/screen.h"

#include <stdbool.h>
#include <stdint.h>

#define ASKING_REFRESH_NS (NS_PER_SEC / 4)

/* Zeroed: nothing was asked yet. */
struct asking {
	struct report_request asked; /* the newest request */
	bool asks_baseline;	     /* and not for what is shown */
	uint64_t answered;	     /* the serial of the newest answer */
	uint64_t asked_ns;	     /* when it was made */
	uint64_t timeline_ns;	     /* when a timeline was asked for */
	uint64_t renamings;	     /* of the report that is shown */
	bool is_outdated;	     /* names have come since, for the same range */
	uint64_t silent_since_ns;    /* there was no answer since; 0: all is answered */
};

/* Ask for a report if one MUST be asked for or is due. */
void asking_step(struct asking *asking, struct screen *screen, bool must);

/* Hand what has been answered to the screen. */
void asking_take(struct asking *asking, struct screen *screen);

/* Say on the screen when answers stay away, and again after as long; the third time a screen that
   can begin anew in another process does. If that does not help, the next one waits twice as
   long. */
void asking_note_silence(struct asking *asking, struct screen *screen);

static inline bool asking_is_answered(const struct asking *asking)
{
	return asking->answered == asking->asked.serial;
}

#endif
