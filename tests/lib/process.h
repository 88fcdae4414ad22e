/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process: the state of processes, for tests in which processes end.
 *
 * A process that has ended is not an error. One test thread.
 */
#ifndef CPROFTOP_TESTS_PROCESS_H
#define CPROFTOP_TESTS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Its state as in stat: R S D T t Z X; 0: it does not exist. */
char process_state(pid_t pid);

/* Is there a process PID with the comm NAME? */
bool process_comm_is(pid_t pid, const char *name);

/* A child of PARENT with the comm NAME that is not OTHER_THAN and has not ended; 0: there
   is none. */
pid_t process_child(pid_t parent, const char *name, pid_t other_than);

/* Wait for such a child; the test fails if none comes. */
pid_t process_await_child(pid_t parent, const char *name, pid_t other_than);

/* Wait until PID is in the state WANTED, or has ended (as a zombie, too). The test fails
   if that does not happen. */
void process_await_state(pid_t pid, char wanted);
void process_await_end(pid_t pid);

/* The only child of PARENT; 0: it has none (/proc/PID/task/PID/children,
   CONFIG_PROC_CHILDREN). The second one waits until there is one. */
pid_t process_only_child(pid_t parent);
pid_t process_await_only_child(pid_t parent);

/* The number behind KEY in /proc/PID/status, to BASE; -1 if there is none. */
long long process_status(pid_t pid, const char *key, int base);

/* TracerPid of PID; 0: not traced. */
pid_t process_tracer(pid_t pid);

#endif
