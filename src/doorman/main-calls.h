/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main-calls: which system calls a main without rights may make, and which of them the kernel
 * stops for the doorman.
 *
 * A user of its own, who has no rights, may try everything but what is dangerous without any: a
 * list of what is refused. A main that stays the user who called it has that user's files,
 * processes and settings to lose: a list of what is allowed, and the paths of all its calls
 * that could reach them go to the doorman.
 */
#ifndef CPROFTOP_MAIN_CALLS_H
#define CPROFTOP_MAIN_CALLS_H

#include <stdbool.h>

/* For all threads of this process, from now on, and what they start. IS_OWN_USER: it becomes,
   or is, a user of its own. Returns the doorman's end; -1 and errno. */
int main_calls_install(bool is_own_user);

#endif
