/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * give-up: a process becomes one without rights, with all its threads, and has a doorman
 * (doorman.h) for the few things that it still needs.
 *
 * Main, when everything that needs rights has been started and nothing of the target, or of a
 * profile, has been read. It cannot be undone. Who is not root cannot become another user; such a
 * main opens nothing by itself, and reaches no process and no socket (main-calls.h).
 */
#ifndef CPROFTOP_GIVE_UP_H
#define CPROFTOP_GIVE_UP_H

#include "src/doorman/doorman-rules.h"

#include <stdbool.h>

/* From root, become a user of its own (own-user.h) without capabilities, not to be traced by
   others. From any user: none are gained by exec. Calls that the doorman may grant go to it;
   ptrace(2), and calls that no profiler needs, fail. False and errno: *WHAT says what was
   refused; then the process still is the user that it was, but part of the rest may be done. */
bool give_up_rights(const struct doorman_rules *rules, const char **what);

/* Would that be done here? A child tries it. False: *WHAT is as above. What only a limit of this
   process forbids (setrlimit(2)) counts as possible: it is an error then, not a reason to keep
   rights that nobody asked to keep. */
bool give_up_is_possible(const char **what);

#endif
