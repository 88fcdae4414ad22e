/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-clock: a library to be preloaded (ld.so(8)): how much CPU time a program spends in
 * calls of libc, by the clock of the thread that makes them. tests/truth/calls reads it.
 *
 * The totals of process N are in the file CALL_CLOCK_DIR/N: a struct total for each call, in
 * the order of enum call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call {
	CALL_send,
	CALL_recv,
	CALL_sendmsg,
	CALL_recvmsg,
	CALL_read,
	CALL_write,
	CALL_writev,
	CALL_pread64,
	CALL_poll,
	CALL_epoll_wait,
	CALL_nothing, /* two readings: as much is too much in each call */
	N_CALLS
};

enum {
	READINGS = 10000,
};

struct total {
	_Atomic uint64_t ns, calls;
};

static struct total unheard[N_CALLS]; /* where no file can be made */
static struct total *totals;
static _Atomic pid_t owner;
static char directory[4096];

static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A child begins with a file of its own. Before the program's first thread, or in the only
   thread after a fork. */
static void open_totals(void)
{
	char path[sizeof(directory) + 16];
	snprintf(path, sizeof(path), "%s/%d", directory, (int)getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	void *memory = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, sizeof(unheard)) == 0)
		memory = mmap(
			NULL, sizeof(unheard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	totals = memory == MAP_FAILED ? unheard : memory;
	owner = getpid();
}

static void add(enum call call, uint64_t began_ns)
{
	uint64_t ns = cpu_ns() - began_ns;
	if (owner != getpid())
		open_totals();
	atomic_fetch_add_explicit(&totals[call].ns, ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&totals[call].calls, 1, memory_order_relaxed);
}

/* Early: a program may write over its environment, to show a title. */
__attribute__((constructor)) static void begin(void)
{
	const char *asked = getenv("CALL_CLOCK_DIR");
	snprintf(directory, sizeof(directory), "%s", asked ? asked : "/nonexistent");
	open_totals();
	for (int i = 0; i < READINGS; i++)
		add(CALL_nothing, cpu_ns());
}

#define WRAP(name, result, parameters, arguments)                             \
	result name parameters                                                \
	{                                                                     \
		static result(*_Atomic real) parameters;                      \
		if (!real)                                                    \
			real = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
		uint64_t began_ns = cpu_ns();                                 \
		result got = real arguments;                                  \
		add(CALL_##name, began_ns);                                   \
		return got;                                                   \
	}

WRAP(send, ssize_t, (int fd, const void *bytes, size_t size, int flags),
	(fd, bytes, size, flags))
WRAP(recv, ssize_t, (int fd, void *bytes, size_t size, int flags),
	(fd, bytes, size, flags))
WRAP(sendmsg, ssize_t, (int fd, const struct msghdr *message, int flags),
	(fd, message, flags))
WRAP(recvmsg, ssize_t, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAP(read, ssize_t, (int fd, void *bytes, size_t size), (fd, bytes, size))
WRAP(write, ssize_t, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRAP(writev, ssize_t, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(pread64, ssize_t, (int fd, void *bytes, size_t size, off64_t at),
	(fd, bytes, size, at))
WRAP(poll, int, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms))
WRAP(epoll_wait, int, (int fd, struct epoll_event *events, int count, int ms),
	(fd, events, count, ms))
