/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog: a command ends when it is told to, and writes what it can, whatever hangs.
 *
 * What hangs is the analyst, if anything: it reads what a hostile target wrote. Then main
 * waits for it, and nobody is left who would heed a signal. So a thread of the watchdog looks
 * ten times a second whether the analyst still works. It touches no lock, allocates nothing,
 * and calls nothing that waits; so it can always end the process, which gives back the
 * terminal and the target, because the keeper does that (ptrace/link/keeper.h).
 *
 * What was recorded is still there, in the memory of a thread that does not come back. The
 * watchdog has it written by a fork (`rescue`), in which that thread does not exist: what it
 * was changing may be in pieces there, so the fork may die or hang, too, and is given a few
 * seconds. Nothing else is harmed by that, and the analyst may go on meanwhile.
 *
 *	told to end	without a sign of work for	is
 *	once		1.5 s				rescued, if there is something to write
 *	once		10 s				ended
 *	twice		1.5 s				ended at once; else after 5 s
 *	twice, and the second time while main writes	ended at once
 *	three times	any time			ended at once
 *	never		10 s				rescued, if that can be replaced; it may come back
 *	never		60 s				rescued, if it was not, and ended
 *
 * What happens is said on standard error.
 * Time counts only while this thread runs, too: not while the process is stopped.
 */
#ifndef CPROFTOP_WATCHDOG_H
#define CPROFTOP_WATCHDOG_H

#include "src/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

/* What is watched. */
struct watchdog_duty {
	void *context;
	/* In the fork, with a single thread: write what there is. NULL: there is nothing to
	   be written. */
	bool (*rescue)(void *context);
	/* Where the rescue writes to, for messages; NULL: into a folder. */
	const char *path;
	/* What it writes cannot be replaced: it is a stream, or one file of many. Then nothing
	   is written after it. */
	bool is_final;
};

struct watchdog;

/* Start its threads, which run until the process ends. DUTY is copied; what it points to is
   used until watchdog_end_writing. NULL and ERR if there are no threads. */
struct watchdog *watchdog_create(const struct watchdog_duty *duty, struct error *err);

/* To be increased by what is watched, at each of its steps; before the first one silence
   does not count, unless the process was told to end. */
atomic_ulong *watchdog_pulse(struct watchdog *watchdog);

/* A signal that asks for the end has come. Any thread. NULL is fine, here and below: then
   nothing is watched. */
void watchdog_told_to_end(struct watchdog *watchdog);

/* Main has a report, and writes it now: a rescue is ended, and none begins. False: one has
   written what is final, so nothing must follow. */
bool watchdog_begin_writing(struct watchdog *watchdog);

/* Main has written, or failed to. WILL_WAIT: for what makes the file better; it is watched as
   before. Else the process is to end by itself, and is ended if it takes more than 6 s. */
void watchdog_end_writing(struct watchdog *watchdog, bool will_wait);

/* What is still to be done may take long, such as sending files away: only a third signal ends
   the process now. */
void watchdog_leave(struct watchdog *watchdog);

#endif
