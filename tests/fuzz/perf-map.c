/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file in which a JIT compiler writes its functions, while it is written: in pieces, cut
 * off, anew, and in place of another; and what must not be read, though it has its name. The
 * folder of the process is made here. */

#include "tests/fuzz/fuzz.h"

#include "src/read/names/perf-map.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP "root/tmp/perf-7.map"

/* What the third byte of the input says: what lies where the file is to be, */
enum place {
	PLACE_OTHER_NAME = 3, /* and a file before that */
	PLACE_LINK,
	PLACE_FIFO,
	PLACE_OPEN_TO_ALL,
	PLACE_NOWHERE,
	PLACES,
};
/* and whether the process began after it was written, and says what its number is. */
enum {
	SAYS_START = 8,
	SAYS_NO_NUMBER = 16,
	IS_REPLACED = 32,
};

enum {
	FIELDS = 52, /* of stat, proc(5) */
};

static char folder[] = "/tmp/cproftop-fuzz.XXXXXX";
static int folder_fd = -1;

static void remove_map(void)
{
	unlinkat(folder_fd, MAP, 0);
	unlinkat(folder_fd, "root/tmp/other", 0);
}

static void remove_folder(void)
{
	remove_map();
	unlinkat(folder_fd, "root/tmp", AT_REMOVEDIR);
	unlinkat(folder_fd, "root", AT_REMOVEDIR);
	unlinkat(folder_fd, "status", 0);
	unlinkat(folder_fd, "stat", 0);
	rmdir(folder);
}

static void make_folder(void)
{
	FUZZ_CHECK(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(mkdirat(folder_fd, "root", 0700) == 0 &&
		   mkdirat(folder_fd, "root/tmp", 0700) == 0);
	atexit(remove_folder);
}

static int create(const char *name)
{
	int fd = openat(folder_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0);
	return fd;
}

static void describe_process(unsigned how)
{
	int fd = create("status");
	dprintf(fd, "Name:\tfuzz\nUid:\t%d\t%d\t%d\t%d\n%s", getuid(), geteuid(),
		getuid(), getuid(), how & SAYS_NO_NUMBER ? "" : "NSpid:\t7\n");
	close(fd);
	unlinkat(folder_fd, "stat", 0);
	if (!(how & SAYS_START))
		return;
	fd = create("stat");
	dprintf(fd, "7 (fuzz) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99999999999 0 0");
	for (int i = 24; i < FIELDS; i++)
		dprintf(fd, " 0");
	close(fd);
}

/* The file, and it may be read; or something else that has its name. */
static int make_map(unsigned how)
{
	remove_map();
	int fd = create("root/tmp/other");
	switch (how % PLACES) {
	case PLACE_OTHER_NAME:
		FUZZ_CHECK(linkat(folder_fd, "root/tmp/other", folder_fd, MAP, 0) == 0);
		break;
	case PLACE_LINK:
		FUZZ_CHECK(symlinkat("other", folder_fd, MAP) == 0);
		break;
	case PLACE_FIFO:
		FUZZ_CHECK(mkfifoat(folder_fd, MAP, 0600) == 0);
		break;
	case PLACE_NOWHERE:
		break;
	default:
		FUZZ_CHECK(
			renameat(folder_fd, "root/tmp/other", folder_fd, MAP) == 0 &&
			fchmod(fd, how % PLACES == PLACE_OPEN_TO_ALL ? 0622 : 0600) == 0);
	}
	return fd;
}

static bool may_be_read(unsigned how)
{
	return how % PLACES < PLACE_OTHER_NAME && !(how & (SAYS_START | SAYS_NO_NUMBER));
}

static void ask(struct perf_map *map)
{
	uint64_t start, bytes;
	perf_map_refresh(map);
	for (uint64_t address = 0; address < 0x10000; address += 0xf1) {
		const char *name = perf_map_find(map, address);
		FUZZ_CHECK(!name || strlen(name) < SIZE_MAX);
		FUZZ_CHECK(!name == !perf_map_range(map, address, &start, &bytes));
		FUZZ_CHECK(!name || (start <= address && address - start < bytes));
	}
	perf_map_refusal(map);
}

/* Nothing of a file that must not be read is told. */
static bool is_nameless(const struct perf_map *map)
{
	for (uint64_t address = 0; address < 0x10000; address++)
		if (perf_map_find(map, address))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	enum {
		HEAD = 3
	};
	struct proc_dir dir;
	if (folder_fd < 0)
		make_folder();
	if (size < HEAD)
		return 0;
	size_t half = HEAD + (size - HEAD) * bytes[0] / 256;
	describe_process(bytes[2]);
	int map_fd = make_map(bytes[2]);
	proc_dir_init(&dir, fcntl(folder_fd, F_DUPFD_CLOEXEC, 3));
	struct perf_map *map = perf_map_create(&dir, NULL);
	FUZZ_CHECK(
		pwrite(map_fd, bytes + HEAD, half - HEAD, 0) == (ssize_t)(half - HEAD));
	ask(map);
	if (bytes[1] & 1)
		FUZZ_CHECK(ftruncate(map_fd, (off_t)(half - HEAD) / 2) == 0);
	off_t end = bytes[1] & 2 ? 0 : (off_t)(half - HEAD);
	if (bytes[2] & IS_REPLACED) {
		close(map_fd);
		map_fd = make_map(bytes[1] >> 2);
		end = 0;
	}
	FUZZ_CHECK(
		pwrite(map_fd, bytes + half, size - half, end) == (ssize_t)(size - half));
	ask(map);
	FUZZ_CHECK(may_be_read(bytes[2]) || bytes[2] & IS_REPLACED || is_nameless(map));
	ask(map);
	close(map_fd);
	perf_map_destroy(map);
	proc_dir_finish(&dir);
	return 0;
}
