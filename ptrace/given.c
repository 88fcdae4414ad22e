/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/given.h"

#include "src/target/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
	GENERATIONS = 32, /* between a process that was named and one that is asked for */
};

static int open_process(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return pid > 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static bool is_known(const struct given *given, pid_t pid, uint64_t start_ticks)
{
	size_t count = given->total < GIVEN_MOST ? given->total : GIVEN_MOST;
	for (size_t i = 0; i < count; i++)
		if (given->list[i].pid == pid &&
			given->list[i].start_ticks == start_ticks)
			return true;
	return false;
}

/* The newest takes the place of the oldest that was not named. */
static void remember(struct given *given, pid_t pid, uint64_t start_ticks)
{
	size_t room = GIVEN_MOST - given->n_named;
	size_t place = given->total;
	if (room == 0)
		return;
	if (place >= GIVEN_MOST)
		place = given->n_named + (given->total - given->n_named) % room;
	given->list[place].pid = pid;
	given->list[place].start_ticks = start_ticks;
	given->total++;
}

void given_seal(struct given *given, const pid_t *pids, size_t count, bool children)
{
	for (size_t i = 0; i < count; i++) {
		struct task_stat stat;
		int fd = open_process(pids[i]);
		if (fd < 0)
			continue;
		if (task_stat_at(fd, "stat", &stat) && given->total < GIVEN_MOST)
			remember(given, pids[i], stat.start_ticks);
		close(fd);
	}
	given->n_named = given->total;
	given->follows_children = children;
	given->is_sealed = true;
}

/* PROC_FD is that of PID. As long as PID says that it has this parent, nobody else has the
   parent's number. */
static bool is_given(struct given *given, pid_t pid, int proc_fd, unsigned generations)
{
	struct task_stat stat, again;
	if (!task_stat_at(proc_fd, "stat", &stat))
		return false;
	if (is_known(given, pid, stat.start_ticks))
		return true;
	if (!given->follows_children || generations == 0)
		return false;
	int parent_fd = open_process(stat.parent);
	if (parent_fd < 0)
		return false;
	bool found = is_given(given, stat.parent, parent_fd, generations - 1) &&
		     task_stat_at(proc_fd, "stat", &again) && again.parent == stat.parent;
	close(parent_fd);
	if (found)
		remember(given, pid, stat.start_ticks);
	return found;
}

bool given_open(struct given *given, struct target *target)
{
	target->task_dir_fd = target->mem_fd = -1;
	target->proc_fd = open_process(target->pid);
	errno = ESRCH;
	if (target->proc_fd >= 0 &&
		(!given->is_sealed ||
			is_given(given, target->pid, target->proc_fd, GENERATIONS))) {
		target->task_dir_fd = openat(
			target->proc_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (target->task_dir_fd >= 0 && target_open_memory(target))
			return true;
	} else {
		errno = ESRCH;
	}
	int why = errno;
	target_close(target);
	errno = why;
	return false;
}
