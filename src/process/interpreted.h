/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interpreted: may a process run functions that are not on its native stack? By the names of the
 * files that it has mapped, before anybody has looked into them: Python's, Ruby's, Perl's, PHP's,
 * Lua's and node's. Any thread.
 */
#ifndef CPROFTOP_INTERPRETED_H
#define CPROFTOP_INTERPRETED_H

#include <stdbool.h>
#include <sys/types.h>

bool process_is_interpreted(pid_t pid);

#endif
