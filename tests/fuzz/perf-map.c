/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file in which a JIT compiler writes its functions, while it is written: in pieces, cut
 * off, and anew. The folder of the process is made here. */

#include "tests/fuzz/fuzz.h"

#include "src/names/perf-map.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cproftop-fuzz.XXXXXX";
static int folder_fd = -1, map_fd = -1;

static void remove_folder(void)
{
	unlinkat(folder_fd, "root/tmp/perf-7.map", 0);
	unlinkat(folder_fd, "root/tmp", AT_REMOVEDIR);
	unlinkat(folder_fd, "root", AT_REMOVEDIR);
	unlinkat(folder_fd, "status", 0);
	rmdir(folder);
}

static void make_folder(void)
{
	FUZZ_CHECK(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(mkdirat(folder_fd, "root", 0700) == 0 &&
		   mkdirat(folder_fd, "root/tmp", 0700) == 0);
	int fd = openat(folder_fd, "status", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0);
	dprintf(fd, "Name:\tfuzz\nUid:\t%d\t%d\t%d\t%d\nNSpid:\t7\n", getuid(), geteuid(),
		getuid(), getuid());
	close(fd);
	map_fd = openat(
		folder_fd, "root/tmp/perf-7.map", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	FUZZ_CHECK(map_fd >= 0);
	atexit(remove_folder);
}

static void ask(struct perf_map *map)
{
	perf_map_refresh(map);
	for (uint64_t address = 0; address < 0x10000; address += 0xf1) {
		const char *name = perf_map_find(map, address);
		FUZZ_CHECK(!name || strlen(name) < SIZE_MAX);
	}
	perf_map_refusal(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct proc_dir dir;
	if (folder_fd < 0)
		make_folder();
	if (size < 2)
		return 0;
	size_t half = 2 + (size - 2) * bytes[0] / 256;
	FUZZ_CHECK(ftruncate(map_fd, 0) == 0);
	proc_dir_init(&dir, fcntl(folder_fd, F_DUPFD_CLOEXEC, 3));
	struct perf_map *map = perf_map_create(&dir);
	FUZZ_CHECK(pwrite(map_fd, bytes + 2, half - 2, 0) == (ssize_t)(half - 2));
	ask(map);
	if (bytes[1] & 1)
		FUZZ_CHECK(ftruncate(map_fd, (off_t)(half - 2) / 2) == 0);
	off_t end = bytes[1] & 2 ? 0 : (off_t)half - 2;
	FUZZ_CHECK(
		pwrite(map_fd, bytes + half, size - half, end) == (ssize_t)(size - half));
	ask(map);
	ask(map);
	perf_map_destroy(map);
	proc_dir_finish(&dir);
	return 0;
}
