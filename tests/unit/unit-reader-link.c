/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a reader hangs, by a clock of our own; the readers are other processes. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/process/task.h"
#include "src/run/analyst/reader-link.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_NS (1000 * NS_PER_SEC)

enum {
	HOGS = 3,
};

static pid_t begin(bool is_busy)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			if (!is_busy)
				pause();
	assert_true(pid > 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t delay_ns(pid_t pid)
{
	struct task_account account = {0};
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && task_read_account(fd, &account));
	close(fd);
	return account.delay_ns;
}

static bool hangs_at(struct reader_link *link, uint64_t s)
{
	return reader_link_hangs(link, 10 * NS_PER_SEC, START_NS + s * NS_PER_SEC);
}

static void test_asleep(void **state)
{
	(void)state;
	atomic_ulong pulse = 1;
	struct reader_link link = {.pulse = &pulse, .pid = begin(false)};
	assert_false(hangs_at(&link, 0));
	assert_false(hangs_at(&link, 9));
	assert_true(hangs_at(&link, 10));
	pulse++; /* it goes on */
	assert_false(hangs_at(&link, 11));
	assert_false(hangs_at(&link, 20));
	assert_true(hangs_at(&link, 21));
	end(link.pid);
}

/* What it waits for others on its CPU is not counted. */
static void test_without_a_cpu(void **state)
{
	(void)state;
	atomic_ulong pulse = 1;
	cpu_set_t before, one;
	pid_t hogs[HOGS];
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (int i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
	struct reader_link link = {.pulse = &pulse, .pid = begin(true)};
	for (int i = 0; i < HOGS; i++)
		hogs[i] = begin(true);
	sched_setaffinity(0, sizeof(before), &before);

	assert_false(hangs_at(&link, 0));
	assert_false(hangs_at(&link, 1));
	uint64_t begun_ns = delay_ns(link.pid);
	while (delay_ns(link.pid) < begun_ns + NS_PER_SEC)
		usleep(10000);
	assert_false(hangs_at(&link, 10));
	for (int i = 0; i < HOGS; i++)
		end(hogs[i]);
	/* Of an hour the others had not so much. */
	assert_true(hangs_at(&link, 3600));
	end(link.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_without_a_cpu),
	};
	return unit_run(tests);
}
