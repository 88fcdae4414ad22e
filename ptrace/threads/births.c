/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/births.h"

#include "src/base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

enum {
	NEWEST = 128, /* numbers that are read in one look */
	SHARE = 20,   /* a look may take one part in so many of the time */
	PATH_BYTES = 64,
};

/* "0.20 0.18 0.12 1/80 11206" */
static pid_t read_last(const struct births *births)
{
	char text[128];
	ssize_t length = pread(births->fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	const char *last = strrchr(text, ' ');
	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

void births_begin(struct births *births)
{
	if (births->fd > 0)
		return;
	births->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (births->fd > 0)
		births->last = read_last(births);
}

void births_finish(struct births *births)
{
	if (births->fd > 0)
		close(births->fd);
	births->fd = 0;
}

static size_t count(const struct births *births)
{
	return births->total < BIRTHS_KNOWN ? births->total : BIRTHS_KNOWN;
}

static bool read_stat(pid_t pid, struct task_stat *stat)
{
	char path[PATH_BYTES];
	/* Not /proc/PID/stat, for which the kernel adds up all threads. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	return task_stat_at(AT_FDCWD, path, stat);
}

/* The same process, not another one with its number? */
static bool is_still(const struct birth *birth, struct task_stat *stat)
{
	return read_stat(birth->pid, stat) && stat->start_ticks == birth->start_ticks &&
	       stat->state != 'Z' && stat->state != 'X';
}

static void leave_if_over(
	struct births *births, struct birth *birth, struct task_stat *stat)
{
	birth->is_waiting = is_still(birth, stat);
	births->missed += !birth->is_waiting;
}

static bool was_born(const struct births *births, pid_t pid)
{
	struct task_stat stat;
	for (size_t i = 0; i < count(births); i++)
		if (births->list[i].pid == pid)
			return is_still(&births->list[i], &stat);
	return false;
}

/* The number may be a thread's, which has the same parent as its process. */
static bool is_process(pid_t pid)
{
	int fd = pidfd_open(pid, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void consider(
	struct births *births, pid_t pid, births_ask *is_sampled, void *context)
{
	struct task_stat stat;
	if (!read_stat(pid, &stat) || stat.state == 'Z' || stat.state == 'X' ||
		(!is_sampled(context, stat.parent) && !was_born(births, stat.parent)) ||
		!is_process(pid))
		return;
	births->list[births->total++ % BIRTHS_KNOWN] = (struct birth){
		.pid = pid, .start_ticks = stat.start_ticks, .is_waiting = true};
}

void births_look(
	struct births *births, births_ask *is_sampled, void *context, uint64_t now_ns)
{
	if (births->fd <= 0 || now_ns - births->looked_ns < SHARE * births->took_ns)
		return;
	uint64_t begun_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	pid_t last = read_last(births);
	/* Numbers begin again when the largest was given. */
	pid_t from = last >= births->last ? births->last + 1 : 1;
	if (last - from >= NEWEST)
		from = last - NEWEST + 1;
	for (pid_t pid = from; pid <= last; pid++)
		consider(births, pid, is_sampled, context);
	births->last = last;
	births->looked_ns = now_ns;
	births->took_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
}

void births_tend(struct births *births, births_ask *is_sampled,
	void (*on_cpu)(void *context, const struct task_stat *stat), void *context)
{
	for (size_t i = 0; i < count(births); i++) {
		struct birth *birth = &births->list[i];
		struct task_stat stat;
		if (!birth->is_waiting)
			continue;
		birth->is_waiting = !is_sampled(context, birth->pid);
		if (birth->is_waiting)
			leave_if_over(births, birth, &stat);
		if (birth->is_waiting && stat.state == 'R')
			on_cpu(context, &stat);
	}
}

static uint64_t read_exec_start(pid_t pid)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "/proc/%d/sched", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t start_ns = fd < 0 ? 0 : task_read_exec_start(fd);
	if (fd >= 0)
		close(fd);
	return start_ns;
}

pid_t births_preempted(
	struct births *births, int cpu, uint64_t exec_start_ns, struct task_stat *stat)
{
	for (size_t i = 0; i < count(births); i++) {
		struct birth *birth = &births->list[i];
		if (!birth->is_waiting)
			continue;
		leave_if_over(births, birth, stat);
		if (birth->is_waiting && stat->cpu == cpu && stat->state == 'R' &&
			stat->rt_priority == 0 &&
			(!exec_start_ns || read_exec_start(birth->pid) == exec_start_ns))
			return birth->pid;
	}
	return 0;
}

void births_drop(struct births *births, pid_t pid)
{
	for (size_t i = 0; i < count(births); i++)
		if (births->list[i].pid == pid)
			births->list[i].is_waiting = false;
}
