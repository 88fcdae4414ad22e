/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deep-sleepers [SECONDS]: threads that sleep ten calls deep, in frames of two kinds.
 *
 * Thread KIND-CALL sits in CALL (read, futex, epoll, sleep), called by wait_in_CALL,
 * called by ten frames of KIND: "fixed" are as large as the compiler made them, "alloca"
 * as large as an argument says, so that only the frame pointer shows where they end.
 * Built by the tests that use it, with frame pointers and without.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np */
#endif
#include "work.h"

#include <alloca.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	DEPTH = 10,
	CALLS = 4,
};

static int pipe_fds[2], epoll_fd;
static atomic_uint n_there; /* threads that have reached the call in which they sleep */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile unsigned zero;

static VISIBLE unsigned wait_in_read(void)
{
	char byte;
	n_there++;
	return (unsigned)read(pipe_fds[0], &byte, 1) + zero;
}

static VISIBLE unsigned wait_in_futex(void)
{
	pthread_mutex_lock(&lock);
	n_there++;
	while (!zero)
		pthread_cond_wait(&never, &lock);
	pthread_mutex_unlock(&lock);
	return zero;
}

static VISIBLE unsigned wait_in_epoll(void)
{
	struct epoll_event event;
	n_there++;
	return (unsigned)epoll_wait(epoll_fd, &event, 1, -1) + zero;
}

static VISIBLE unsigned wait_in_sleep(void)
{
	n_there++;
	return sleep(1000) + zero;
}

static VISIBLE unsigned wait_in(unsigned call)
{
	switch (call) {
	case 0:
		return wait_in_read() + zero;
	case 1:
		return wait_in_futex() + zero;
	case 2:
		return wait_in_epoll() + zero;
	default:
		return wait_in_sleep() + zero;
	}
}

static VISIBLE unsigned fixed(unsigned depth, unsigned call)
{
	volatile unsigned words[20];
	words[depth] = depth;
	unsigned rest = depth > 1 ? fixed(depth - 1, call) : wait_in(call);
	return words[depth] + rest + zero;
}

/* What was called before leaves its frames where the memory is taken from. */
static VISIBLE unsigned leave_frames(unsigned depth)
{
	volatile unsigned words[4] = {depth};
	unsigned rest = depth > 1 ? leave_frames(depth - 1) : zero;
	return words[0] + rest + zero;
}

static VISIBLE unsigned with_alloca(unsigned depth, unsigned call)
{
	unsigned left = leave_frames(5);
	volatile unsigned char *bytes = alloca(32 + 48 * depth + zero);
	bytes[depth] = (unsigned char)left;
	unsigned rest = depth > 1 ? with_alloca(depth - 1, call) : wait_in(call);
	return bytes[depth] + rest + zero;
}

static const char *const names[CALLS] = {"read", "futex", "epoll", "sleep"};

static void *fixed_run(void *call)
{
	fixed(DEPTH, (unsigned)(uintptr_t)call);
	return NULL;
}

static void *alloca_run(void *call)
{
	with_alloca(DEPTH, (unsigned)(uintptr_t)call);
	return NULL;
}

static void begin(const char *kind, void *(*run)(void *), unsigned call)
{
	char name[16];
	pthread_t thread;
	snprintf(name, sizeof(name), "%s-%s", kind, names[call]);
	if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)call) != 0)
		exit(1);
	pthread_setname_np(thread, name);
}

int main(int argc, char **argv)
{
	uint64_t end_ns = work_prepare(argc > 1 ? argv[1] : NULL);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || pipe(pipe_fds) != 0)
		return 1;
	for (unsigned call = 0; call < CALLS; call++) {
		begin("fixed", fixed_run, call);
		begin("alloca", alloca_run, call);
	}
	while (n_there < 2 * CALLS && work_goes_on(end_ns))
		work_sleep_ns(10 * MS);
	work_ready();
	while (work_goes_on(end_ns))
		work_sleep_ns(100 * MS);
	return 0;
}
