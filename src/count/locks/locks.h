/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks: what the threads of a report waited for, for how long, where, and who held it.
 *
 * A lock is any object that a thread waits for by a system call: a mutex or another futex,
 * a lock on a file, the empty or full end of a pipe or socket, a queue of events. It is
 * made of the blocked stacks of a report of wall clock, of a process or of a file that was
 * recorded so. Where the report says when its stacks were sampled (report_request.moments),
 * also what the holder did meanwhile (src/count/locks/holding.h). Whoever may read the report.
 */
#ifndef CPROFTOP_LOCKS_H
#define CPROFTOP_LOCKS_H

#include "src/count/locks/lock.h"
#include "src/count/report.h"
#include "src/count/stack-frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call locks_finish before LOCKS is built again. */
void locks_build(struct locks *locks, const struct report *report);
void locks_finish(struct locks *locks);

/* Is it known of any stack of REPORT who held what it waits for? */
bool locks_have_holders(const struct report *report);

/* The innermost of FRAMES, those of a stack that waits, that is the program's own: not of the
   library which makes the system call. Its index; 0 if there is none. */
size_t locks_own_frame(const struct report *report, const struct stack_frames *frames);

/* STACK, of the stack table, in a line: "[clock_nanosleep] in hold < run < main": what it
   waits for, if it waits, and the program's own functions, innermost first, as many as fit.
   FRAMES is scratch. */
void locks_say_stack(const struct report *report, uint32_t stack,
	struct stack_frames *frames, char *text, size_t size);

/* The time in a stack or moment of REPORT that counts here: wall clock, or the values that a
   file is shown by. */
uint64_t locks_time(const struct report *report, const struct weight *weight);

#endif
