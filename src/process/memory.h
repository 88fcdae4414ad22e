/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory: the memory of a process, read in the way that is permitted.
 *
 * /proc/PID/mem is the better way: what is read belongs to one address space, and a read
 * never waits for who handles page faults in user space (userfaultfd). But it is a file
 * with an owner and mode 0600. Who has CAP_SYS_PTRACE and not CAP_DAC_READ_SEARCH may not
 * open that of another user, though the kernel lets him read every byte by
 * process_vm_readv(2).
 *
 * So a memory is a number: the descriptor of a file /proc/TID/mem, or below -1 the number
 * of a thread whose memory is read by that system call. Then it is the memory of the
 * program that runs now, whatever that is; who must know whether it is still the same one
 * keeps a descriptor of /proc/PID/maps (mode 0444), which has nothing to read after an
 * exec. And a stack whose pages are filled by userfaultfd, as those of a process that is
 * being migrated, can keep the reader waiting, until its dead-man ends it. Any thread. No malloc and no lock, so it may be used while a thread is stopped.
 */
#ifndef CPROFTOP_MEMORY_H
#define CPROFTOP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The memory that is read by calls on thread TID. */
static inline int memory_by_calls(pid_t tid)
{
	return -2 - tid;
}

static inline bool memory_is_by_calls(int memory)
{
	return memory < -1;
}

/* Open PATH below DIR_FD, the file mem of thread TID, or if its mode forbids that, choose
   calls. -1 with errno if neither is permitted, or the thread has no memory. */
int memory_open(int dir_fd, const char *path, pid_t tid);

/* Does nothing forbid this process to read by calls? A seccomp filter may. */
bool memory_may_call(void);

void memory_close(int memory);

/* As pread(2); may read less. */
ssize_t memory_read(int memory, void *out, size_t length, uint64_t address);

/* The same, of the process whose /proc/PID is open at DIR_FD; also where an opener is used
   (src/base/ask-opener.h). */
ssize_t memory_read_of(
	int dir_fd, int memory, void *out, size_t length, uint64_t address);

#endif
