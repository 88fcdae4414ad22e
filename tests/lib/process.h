/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process: what the kernel says of a process, for tests that watch some die.
 *
 * A process that is gone is an answer like others. One test thread.
 */
#ifndef CPROFTOP_TESTS_PROCESS_H
#define CPROFTOP_TESTS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* As in its stat: R S D T t Z X; 0: it is gone. */
char process_state(pid_t pid);

/* The child of PARENT that goes by NAME, is not OTHER_THAN, and has not ended; 0: there
   is none. */
pid_t process_child(pid_t parent, const char *name, pid_t other_than);

/* The same, waited for; the test fails if none comes. */
pid_t process_await_child(pid_t parent, const char *name, pid_t other_than);

/* Wait until it is in the state WANTED, or has ended (a zombie has). The test fails if
   that does not come. */
void process_await_state(pid_t pid, char wanted);
void process_await_end(pid_t pid);

/* Who traces PID, as the kernel says; 0: nobody. */
pid_t process_tracer(pid_t pid);

#endif
