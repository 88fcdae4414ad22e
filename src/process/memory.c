/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/memory.h"

#include "src/base/ask-opener.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Hardly any process has memory at address 0, so a permitted read fails for want of
   memory. */
static bool may_call(int dir_fd, pid_t tid)
{
	char byte;
	return ask_opener_memory(dir_fd, tid, &byte, 1, 0) >= 0 || errno == EFAULT;
}

bool memory_may_call(void)
{
	char there = 1, here = 0;
	return ask_opener_memory(-1, getpid(), &here, 1, (uintptr_t)&there) == 1;
}

int memory_open(int dir_fd, const char *path, pid_t tid)
{
	int fd = ask_opener_open(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES)
		return fd;
	if (may_call(dir_fd, tid))
		return memory_by_calls(tid);
	if (errno != ESRCH)
		errno = EACCES;
	return -1;
}

void memory_close(int memory)
{
	if (memory >= 0)
		close(memory);
}

ssize_t memory_read_of(int dir_fd, int memory, void *out, size_t length, uint64_t address)
{
	if (memory_is_by_calls(memory))
		return ask_opener_memory(dir_fd, -2 - memory, out, length, address);
	return pread(memory, out, length, (off_t)address);
}

ssize_t memory_read(int memory, void *out, size_t length, uint64_t address)
{
	return memory_read_of(-1, memory, out, length, address);
}
