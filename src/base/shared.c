/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void *map(size_t bytes, int file, int flags)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void *shared_map(size_t bytes)
{
	return map(bytes, -1, MAP_ANONYMOUS);
}

/* The limit of a file's size (`ulimit -f`) is meant for what we write, and holds for a file that is
   memory, too. It is raised for this one; SIGXFSZ is ignored (output_file_ignore_signals). */
static int resize(int file, size_t bytes)
{
	struct rlimit before, raised = {RLIM_INFINITY, RLIM_INFINITY};
	bool is_known = getrlimit(RLIMIT_FSIZE, &before) == 0;
	bool is_limited = is_known && before.rlim_cur < bytes;
	if (is_limited && setrlimit(RLIMIT_FSIZE, &raised) != 0) {
		raised = (struct rlimit){before.rlim_max, before.rlim_max};
		setrlimit(RLIMIT_FSIZE, &raised);
	}
	int result = ftruncate(file, (off_t)bytes), errnum = errno;
	if (is_limited)
		setrlimit(RLIMIT_FSIZE, &before);
	errno = errnum;
	return result;
}

void *shared_file_map(size_t bytes, int *file)
{
	void *memory = NULL;
	*file = memfd_create("cproftop", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*file < 0)
		return NULL;
	if (resize(*file, bytes) == 0 &&
		fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		memory = map(bytes, *file, MAP_NORESERVE);
	if (memory)
		return memory;
	int errnum = errno;
	close(*file);
	*file = -1;
	errno = errnum;
	return NULL;
}

void shared_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}
