/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/threads.h"

#include "src/base/clock.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	RESTING_FILES = 8192,
	/* A thread counts by itself from when it has used such a part of the CPU time of its
	   process, or of a CPU, in so long a time. */
	OWN_PART = 32,
	JUDGE_MS = 500,
	JUDGE_SOON_MS =
		100, /* the first time: until then a busy thread shares with all */
};

void threads_init(struct threads *threads)
{
	struct rlimit limit;
	*threads = (struct threads){.files_most = 256};
	/* A quarter of the limit, for each target process. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		threads->files_most =
			limit.rlim_cur < 1 << 20 ? (unsigned)limit.rlim_cur / 4 : 1 << 18;
}

static void close_file(struct threads *threads, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	threads->files_open--;
}

static void close_files(struct threads *threads, struct thread *thread)
{
	close_file(threads, &thread->files.schedstat);
	close_file(threads, &thread->files.stat);
	close_file(threads, &thread->files.sched);
	close_file(threads, &thread->files.syscall);
}

void threads_finish(struct threads *threads)
{
	for (size_t i = 0; i < threads->len; i++) {
		close_files(threads, threads->data[i]);
		free(threads->data[i]);
	}
	vec_free(threads);
	vec_free(&threads->awake);
	vec_free(&threads->own);
	free(threads->list.data);
	threads->list = (struct task_list){0};
}

/* The index of TID, or where to insert it. */
static size_t place_of(const struct threads *threads, pid_t tid)
{
	size_t low = 0, high = threads->len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (threads->data[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct thread *threads_find(const struct threads *threads, pid_t tid)
{
	size_t place = place_of(threads, tid);
	bool there = place < threads->len && threads->data[place]->tid == tid;
	return there ? threads->data[place] : NULL;
}

/* Opening a file takes ten times as long as reading it; keeping it open takes a page of
   the kernel's memory. */
static bool is_kept_open(const struct threads *threads, const struct thread *thread)
{
	unsigned most = threads->files_most;
	if (!thread->rest.awake_place && most > RESTING_FILES)
		most = RESTING_FILES;
	return threads->files_open < most;
}

/* A descriptor of a file in /proc/PID/task/TID: *FD if it is open already. It stays open
   as *FD, or *CLOSE is set. */
static int open_file(struct threads *threads, struct thread *thread,
	const struct target *target, const char *name, int *fd, bool *close)
{
	*close = false;
	if (*fd >= 0)
		return *fd;
	char path[64];
	snprintf(path, sizeof(path), "%d/%s", thread->tid, name);
	int opened = openat(target->task_dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		return -1;
	*close = !is_kept_open(threads, thread);
	if (!*close) {
		*fd = opened;
		threads->files_open++;
	}
	return opened;
}

static void close_if(bool is_due, int fd)
{
	if (is_due)
		close(fd);
}

bool thread_read_account(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_account *account)
{
	bool is_due;
	int fd = open_file(
		threads, thread, target, "schedstat", &thread->files.schedstat, &is_due);
	bool read = fd >= 0 && task_read_account(fd, account);
	close_if(is_due, fd);
	return read;
}

bool thread_read_stat(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_stat *stat)
{
	bool is_due;
	int fd = open_file(threads, thread, target, "stat", &thread->files.stat, &is_due);
	bool read = fd >= 0 && task_read_stat(fd, stat);
	close_if(is_due, fd);
	return read;
}

uint64_t thread_read_exec_start(
	struct threads *threads, struct thread *thread, const struct target *target)
{
	bool is_due;
	int fd = open_file(
		threads, thread, target, "sched", &thread->files.sched, &is_due);
	uint64_t start_ns = fd < 0 ? 0 : task_read_exec_start(fd);
	close_if(is_due, fd);
	return start_ns;
}

int thread_open_syscall(struct threads *threads, struct thread *thread,
	const struct target *target, bool *close)
{
	return open_file(
		threads, thread, target, "syscall", &thread->files.syscall, close);
}

bool threads_changed(const struct threads *threads, const struct target *target)
{
	return task_count(target->task_dir_fd) != threads->task_count;
}

bool threads_list(struct threads *threads, const struct target *target)
{
	/* Counted before the listing: a thread that starts during it makes the count
	   differ, so it is found later. */
	threads->task_count = task_count(target->task_dir_fd);
	return task_list_read(target->task_dir_fd, &threads->list);
}

void threads_mark_listed(struct threads *threads)
{
	for (size_t i = 0; i < threads->len; i++)
		threads->data[i]->listed = false;
	vec_each (&threads->list, tid) {
		struct thread *known = threads_find(threads, *tid);
		if (known)
			known->listed = true;
	}
}

static void insert(struct threads *threads, struct thread *thread)
{
	size_t place = place_of(threads, thread->tid);
	vec_push(threads, thread);
	memmove(threads->data + place + 1, threads->data + place,
		(threads->len - 1 - place) * sizeof(*threads->data));
	threads->data[place] = thread;
}

void thread_begin(struct thread *thread, const struct task_account *account)
{
	thread->is_unread = false;
	thread->seen.account = *account;
	thread->sampled.cpu_ns = account->cpu_ns;
	thread->sampled.looked = *account;
	thread->rest.cpu_ns = thread->judged_cpu_ns = account->cpu_ns;
	thread->rest.slices = account->slices;
	thread->told.cpu_ns = thread->wait.told.cpu_ns = account->cpu_ns;
	thread->told.delay_ns = thread->wait.told.delay_ns = account->delay_ns;
}

struct thread *threads_add(
	struct threads *threads, pid_t tid, bool start, uint64_t now_ns)
{
	struct thread *thread = mem_alloc(sizeof(*thread));
	*thread = (struct thread){
		.tid = tid,
		.listed = true,
		.is_unread = start,
		.files = {-1, -1, -1, -1},
		.seen = {.time_ns = now_ns, .changed_ns = now_ns},
		.rest = {.looked_ns = now_ns},
		.told = {.time_ns = now_ns},
		.wait = {.told = {.time_ns = now_ns}, .told_ns = now_ns},
	};
	insert(threads, thread);
	threads->unmet++;
	return thread;
}

bool threads_meet(struct threads *threads, struct thread *thread,
	const struct target *target, uint64_t now_ns)
{
	struct task_stat stat;
	if (!thread_read_stat(threads, thread, target, &stat) || stat.state == 'Z' ||
		stat.state == 'X')
		return false;
	thread->is_met = true;
	threads->unmet--;
	memcpy(thread->name, stat.name, sizeof(thread->name));
	thread->seen.time_ns = thread->rest.looked_ns = now_ns;
	thread->seen.state = stat.state;
	thread->seen.cpu = stat.cpu;
	if (thread->is_unread && stat.state != 'R')
		return true;
	thread->rest.awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	threads_wake(threads, thread);
	/* The account of a sleeping thread is read at its first look. With ten thousand
	   threads, that saves half of the time at the start. */
	struct task_account account;
	if (thread->is_unread && thread_read_account(threads, thread, target, &account))
		thread_begin(thread, &account);
	return true;
}

void threads_meet_late(struct threads *threads, struct thread *thread, const char *name)
{
	thread->is_met = true;
	threads->unmet--;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

/* Not by faccessat(2), which asks without our capabilities: where /proc hides processes of others
   (hidepid), it would say that every thread has ended. */
bool thread_has_ended(const struct thread *thread, const struct target *target)
{
	char path[32];
	struct stat status;
	snprintf(path, sizeof(path), "%d", thread->tid);
	return fstatat(target->task_dir_fd, path, &status, 0) != 0;
}

struct thread *threads_ended(const struct threads *threads, const struct target *target)
{
	for (size_t i = 0; i < threads->len; i++) {
		struct thread *thread = threads->data[i];
		if (!thread->listed && !thread->sampled.is_claimed &&
			thread_has_ended(thread, target))
			return thread;
	}
	return NULL;
}

static void disown(struct threads *threads, struct thread *thread)
{
	if (!thread->sampled.own_place)
		return;
	struct thread *last = threads->own.data[--threads->own.len];
	threads->own.data[thread->sampled.own_place - 1] = last;
	last->sampled.own_place = thread->sampled.own_place;
	thread->sampled.own_place = 0;
}

static bool own(struct threads *threads, struct thread *thread)
{
	if (thread->sampled.own_place)
		return false;
	vec_push(&threads->own, thread);
	thread->sampled.own_place = threads->own.len;
	return true;
}

bool threads_judge(struct threads *threads, uint64_t cpu_ns, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - threads->judged_ns;
	uint64_t charged_ns = cpu_ns - threads->judged_cpu_ns;
	bool is_first = threads->judged_ns == 0, any = false;
	unsigned judge_ms = threads->is_judged ? JUDGE_MS : JUDGE_SOON_MS;
	if (passed_ns < judge_ms * NS_PER_MS)
		return false;
	threads->is_judged = !is_first;
	for (size_t i = 0; i < threads->len; i++) {
		struct thread *thread = threads->data[i];
		uint64_t then_ns = thread->judged_cpu_ns;
		uint64_t used_ns = thread->seen.account.cpu_ns - then_ns;
		thread->judged_cpu_ns = thread->seen.account.cpu_ns;
		if (is_first || thread->seen.account.cpu_ns < then_ns)
			continue;
		if (used_ns > charged_ns / OWN_PART || used_ns > passed_ns / OWN_PART)
			any |= own(threads, thread);
		else if (used_ns < charged_ns / OWN_PART / 4 &&
			 used_ns < passed_ns / OWN_PART / 4)
			disown(threads, thread);
	}
	threads->judged_ns = now_ns;
	threads->judged_cpu_ns = cpu_ns;
	return any;
}

void threads_remove(struct threads *threads, struct thread *thread)
{
	size_t place = place_of(threads, thread->tid);
	memmove(threads->data + place, threads->data + place + 1,
		(threads->len - 1 - place) * sizeof(*threads->data));
	threads->len--;
	threads->unmet -= !thread->is_met;
	threads_rest(threads, thread);
	disown(threads, thread);
	close_files(threads, thread);
	free(thread);
}

void threads_wake(struct threads *threads, struct thread *thread)
{
	if (thread->rest.awake_place)
		return;
	vec_push(&threads->awake, thread);
	thread->rest.awake_place = threads->awake.len;
}

void threads_rest(struct threads *threads, struct thread *thread)
{
	if (!thread->rest.awake_place)
		return;
	if (threads->files_open > RESTING_FILES)
		close_files(threads, thread);
	struct thread *last = threads->awake.data[--threads->awake.len];
	threads->awake.data[thread->rest.awake_place - 1] = last;
	last->rest.awake_place = thread->rest.awake_place;
	thread->rest.awake_place = 0;
}
