/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman: opens files for a process that has given up its rights.
 *
 * Run by root, cproftop reads what a hostile target wrote. With --confine all that reads does
 * so as a user of its own without capabilities (src/doorman/give-up.h). What it still needs of
 * root's rights is a short list, and a process that does nothing else, the doorman, does
 * that for it. They share no memory. The kernel stops a system call of the confined process
 * that may need them, and shows it to the doorman (seccomp_unotify(2)): so code that opens a
 * file is the same with and without. The doorman reads the path once, judges its own copy
 * by the rules in doorman-rules.h, and does what is asked for itself, on descriptors of its
 * own. What no rule grants, the process may try with its own rights, which are none.
 *
 * It parses no content of any file but the PPid of our own children. It may block in an open of
 * a file that is mapped by a target, if that lies on a server that does not answer: when somebody
 * else asks, or after half a minute, another doorman takes its place, and that call fails (EIO).
 *
 * Reviewed in this order: doorman-rules.h, doorman-rules.c, doorman-calls.c, doorman.c.
 */
#ifndef CPROFTOP_DOORMAN_H
#define CPROFTOP_DOORMAN_H

#include "src/doorman/doorman-rules.h"

#include <sys/types.h>

/* Fork it. RULES are copied by that. Returns its PID, and in *SOCKET our end of the socket
   over which it is handed the listener; -1 and errno. */
pid_t doorman_start(const struct doorman_rules *rules, int *socket);

/* Hand it the LISTENER of this process's filter. False and errno: it has ended. */
bool doorman_hand_over(int socket, int listener);

#endif
