/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine-files: which files a process may still open by name, and whom it may signal.
 *
 * Landlock (landlock(7)), where the kernel has it: a user without any right can limit itself
 * by it, too. Descriptors that are open already, and that come over a socket, are not
 * touched. It cannot be undone, and holds for all processes that are forked later. After
 * confine_identity, because it needs PR_SET_NO_NEW_PRIVS.
 */
#ifndef CPROFTOP_CONFINE_FILES_H
#define CPROFTOP_CONFINE_FILES_H

#include <stdbool.h>

/* From now on: open files for reading below these folders only (several lists, each with
   ':' between folders; NULL ends them), write, make and remove none, connect to no TCP
   port and to no abstract socket of others, and signal only processes that were forked
   later, and ourselves (Linux 6.12). Folders that do not exist are left out. False: the
   kernel has no Landlock, or it is switched off, and nothing has changed. */
bool confine_reading_to(const char *const *lists);

/* As confine_reading_to, which LISTS are of, and each may name files; but TCP is allowed, and to
   read, write, make and remove files below FOLDER (NULL: none). */
bool confine_fetching(const char *const *lists, const char *folder);

#endif
