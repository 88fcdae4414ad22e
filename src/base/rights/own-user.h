/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-user: a user for a process of root that is to have no rights.
 *
 * Not nobody: other programs run as that user, too, and processes of one user may signal
 * each other, change each other's priority and read each other's files. If the system has
 * a user named cproftop, which a package may make, that one; else a number that no user
 * has. systemd's table of user numbers (UIDS-GIDS.md, "Special systemd UID ranges") leaves
 * 0x70000000 and above unused up to 0x7fff0000; the process's own PID added to it makes a
 * user of its own for each of our processes. In a user namespace in which such numbers do
 * not exist, one of 65520 to 65533, which that table leaves unused, too; else nobody.
 *
 * Makes system calls, and reads /etc/passwd without NSS. For a process with one thread.
 */
#ifndef CPROFTOP_OWN_USER_H
#define CPROFTOP_OWN_USER_H

#include <stdbool.h>

#define OWN_USER_NAME "cproftop"

/* For a process of root: become that user, with a group of the same kind and no others. False:
   refused, and we are root still. */
bool own_user_become(void);

#endif
