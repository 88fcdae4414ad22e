/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-locks: who holds the lock on a file that a process waits for.
 *
 * /proc/locks (proc(5)) lists each lock with its holder, and behind it, with the same number,
 * those who wait for it:
 *
 *	1: FLOCK  ADVISORY  WRITE 24871 fe:00:10955106 0 EOF
 *	1: -> FLOCK  ADVISORY  WRITE 25104 fe:00:10955106 0 EOF
 *
 * Reads files in /proc and asks no file system. Any thread.
 */
#ifndef CPROFTOP_FILE_LOCKS_H
#define CPROFTOP_FILE_LOCKS_H

#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does CALL wait for a lock on a file: flock, or fcntl with F_SETLKW? */
bool file_locks_waits(const struct snapshot_call *call);

/* The list, as it was read last: while it is read, the kernel lets nobody on the machine
   take or give back such a lock. Zeroed: not read. */
struct file_locks {
	char *text;
	uint64_t read_ns; /* monotonic */
};

/* The process that holds the lock for which process PID, an open /proc/PID of which is
   PROC_FD, waits in CALL. 0: nobody, or it is not told, as of locks that belong to an open
   file and not to a process; or it is not known yet: the list is read anew at most five
   times a second. */
pid_t file_locks_holder(struct file_locks *locks, const struct snapshot_call *call,
	int proc_fd, pid_t pid, uint64_t now_ns);
void file_locks_finish(struct file_locks *locks);

/* The same by TEXT of /proc/locks. INODE 0: any. IS_FLOCK: it waits in flock. */
pid_t file_locks_find(const char *text, bool is_flock, pid_t pid, uint64_t inode);

#endif
