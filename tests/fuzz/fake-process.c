/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fake-process.h"

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cproftop-fuzz.XXXXXX";
static int folder_fd = -1;

static void empty(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		empty(fd, entry->d_name);
		if (unlinkat(fd, entry->d_name, 0) != 0)
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(entries);
}

static void remove_folder(void)
{
	empty(AT_FDCWD, folder);
	rmdir(folder);
}

int fake_process_folder(void)
{
	if (folder_fd >= 0)
		return folder_fd;
	FUZZ_CHECK(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(folder_fd >= 0);
	atexit(remove_folder);
	FUZZ_CHECK(mkdirat(folder_fd, "map_files", 0700) == 0);
	FUZZ_CHECK(mkdirat(folder_fd, "fd", 0700) == 0);
	fake_process_link("mem", "/proc/self/mem");
	fake_process_link("root", "/");
	char stat[64];
	int length = snprintf(stat, sizeof(stat), "%d (fuzz) S 1 1 1 0 -1 0 7 0 0 0 1 1",
		(int)getpid());
	fake_process_write("stat", stat, (size_t)length);
	return folder_fd;
}

int fake_process_open(void)
{
	int fd = fcntl(fake_process_folder(), F_DUPFD_CLOEXEC, 3);
	FUZZ_CHECK(fd >= 0);
	return fd;
}

void fake_process_write(const char *name, const void *bytes, size_t length)
{
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	close(fd);
}

void fake_process_link(const char *name, const char *to)
{
	fake_process_remove(name);
	FUZZ_CHECK(symlinkat(to, folder_fd, name) == 0);
}

void fake_process_remove(const char *name)
{
	if (unlinkat(folder_fd, name, 0) != 0)
		unlinkat(folder_fd, name, AT_REMOVEDIR);
}

void *fake_process_map(uint64_t address, size_t length)
{
	void *memory = mmap((void *)(uintptr_t)address, length, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	FUZZ_CHECK(memory == (void *)(uintptr_t)address);
	return memory;
}
