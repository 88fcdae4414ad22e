/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a process, through its file and by calls: both read the same. */

#include "tests/lib/unit.h"

#include "src/process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PAGE = 4096
};

static void test_both_ways_read_the_same(void **state)
{
	(void)state;
	/* Two pages, and nothing behind them. */
	unsigned char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	assert_int_equal(munmap(pages + 2 * PAGE, PAGE), 0);
	for (int i = 0; i < 2 * PAGE; i++)
		pages[i] = (unsigned char)(i * 7 >> 3);
	uint64_t address = (uintptr_t)pages;
	int ways[2] = {memory_open(AT_FDCWD, "/proc/self/mem", getpid()),
		memory_by_calls(getpid())};
	assert_true(ways[0] >= 0);
	assert_false(memory_is_by_calls(ways[0]));
	assert_true(memory_is_by_calls(ways[1]));
	for (int way = 0; way < 2; way++) {
		unsigned char out[3 * PAGE] = {0};
		assert_int_equal(memory_read(ways[way], out, 5000, address + 77), 5000);
		assert_memory_equal(out, pages + 77, 5000);
		/* As far as there is memory. */
		assert_int_equal(memory_read(ways[way], out, sizeof(out), address + 100),
			2 * PAGE - 100);
		assert_memory_equal(out, pages + 100, 2 * PAGE - 100);
		assert_int_equal(memory_read(ways[way], out, 8, address + 2 * PAGE), -1);
		memory_close(ways[way]);
	}
	munmap(pages, 2 * PAGE);
}

/* Not as for who may not look: the process is not there. */
static void test_nobody_has_no_memory(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	char byte;
	assert_int_equal(memory_read(memory_by_calls(pid), &byte, 1, 4096), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(memory_open(AT_FDCWD, "/proc/self/no-such-file", pid), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways_read_the_same),
		cmocka_unit_test(test_nobody_has_no_memory),
	};
	return unit_run(tests);
}
