/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on descriptors and files without a timeout: the poker (blocking-poker.c) ends
   their wait. */

#include "blocking.h"

#include "work.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* --- descriptors -------------------------------------------------------------------- */

static void poke_write(long fd)
{
	uint64_t one = 1;
	ssize_t ignored = write((int)fd, &one, sizeof(one));
	(void)ignored;
}

static int enter_read(long fd, uint64_t unused)
{
	(void)unused;
	char bytes[512];
	return (int)read((int)fd, bytes, sizeof(bytes));
}

static long make_eventfd(void)
{
	long fd = eventfd(0, EFD_CLOEXEC);
	poker_add(poke_write, fd);
	return fd;
}

static long make_pipe(void)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	poker_add(poke_write, ends[1]);
	return ends[0];
}

static long make_socket(void)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	fcntl(pair[1], F_SETFL, O_NONBLOCK);
	poker_add(poke_write, pair[1]);
	return pair[0];
}

static int enter_poll(long fd, uint64_t unused)
{
	struct pollfd one = {.fd = (int)fd, .events = POLLIN};
	int result = poll(&one, 1, -1);
	return result < 0 ? result : enter_read(fd, unused);
}

static long make_epoll(void)
{
	int fd = (int)make_pipe();
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? epoll_fd : -1;
}

static int enter_epoll_wait(long fd, uint64_t unused)
{
	struct epoll_event event;
	int result = epoll_wait((int)fd, &event, 1, -1);
	return result < 0 ? result : enter_read(event.data.fd, unused);
}

/* A file without a name, or -1. */
static int make_file(char path[32])
{
	strcpy(path, "/tmp/blockingXXXXXX");
	return mkostemp(path, O_CLOEXEC);
}

static long make_inotify(void)
{
	char path[32];
	int file = make_file(path), fd = inotify_init1(IN_CLOEXEC);
	bool made = file >= 0 && inotify_add_watch(fd, path, IN_MODIFY) >= 0;
	unlink(path);
	poker_add(poke_write, file);
	return made ? fd : -1;
}

static long make_signalfd(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	poker_add(poker_signal, SIGUSR2);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void poke_listener(long listener)
{
	struct sockaddr_un address;
	socklen_t length = sizeof(address);
	getsockname((int)listener, (struct sockaddr *)&address, &length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	connect(fd, (struct sockaddr *)&address, length);
	close(fd);
}

static long make_listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) != 0 ||
		listen(fd, 1) != 0)
		return -1;
	poker_add(poke_listener, fd);
	return fd;
}

static int close_if_open(int fd)
{
	return fd < 0 ? fd : close(fd);
}

static int enter_accept(long fd, uint64_t unused)
{
	(void)unused;
	return close_if_open(accept4((int)fd, NULL, NULL, SOCK_CLOEXEC));
}

/* --- files -------------------------------------------------------------------------- */

/* Another description of the file behind FD, which has no name. */
static int open_again(long fd, int flags)
{
	char path[40];
	snprintf(path, sizeof(path), "/proc/self/fd/%ld", fd);
	return open(path, flags | O_CLOEXEC);
}

/* Hold the lock from here to the next poke, and let others have it in between. */
static void poke_flock(long fd)
{
	flock((int)fd, LOCK_UN);
	work_sleep_ns(200 * US);
	flock((int)fd, LOCK_EX);
}

static long make_flock(void)
{
	char path[32];
	int fd = make_file(path);
	unlink(path);
	poker_add(poke_flock, open_again(fd, O_RDWR));
	return fd;
}

static int enter_flock(long fd, uint64_t unused)
{
	(void)unused;
	int result = flock((int)fd, LOCK_EX);
	return result < 0 ? result : flock((int)fd, LOCK_UN);
}

static int lock_range(long fd, short type)
{
	struct flock range = {.l_type = type};
	return fcntl((int)fd, F_SETLKW, &range);
}

static void poke_range(long fd)
{
	lock_range(fd, F_UNLCK);
	work_sleep_ns(200 * US);
	lock_range(fd, F_WRLCK);
}

static long make_range(void)
{
	char path[32];
	int fd = make_file(path);
	unlink(path);
	poker_add(poke_range, fd);
	return fd;
}

static int enter_range(long fd, uint64_t unused)
{
	(void)unused;
	int result = lock_range(fd, F_WRLCK);
	return result < 0 ? result : lock_range(fd, F_UNLCK);
}

static void poke_fifo(long fd)
{
	close(open_again(fd, O_WRONLY | O_NONBLOCK)); /* fails if nobody waits */
}

static long make_fifo(void)
{
	char path[32];
	close(make_file(path));
	unlink(path);
	int fd = mkfifo(path, 0600) == 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
	unlink(path);
	poker_add(poke_fifo, fd);
	return fd;
}

static int enter_fifo(long fd, uint64_t unused)
{
	(void)unused;
	return close_if_open(open_again(fd, O_RDONLY));
}

const struct blocking_call blocking_files[] = {
	{"epoll_wait", make_epoll, enter_epoll_wait, BLOCKING_POKED},
	{"poll", make_pipe, enter_poll, BLOCKING_POKED},
	{"read-pipe", make_pipe, enter_read, BLOCKING_POKED},
	{"read-socket", make_socket, enter_read, BLOCKING_POKED},
	{"read-eventfd", make_eventfd, enter_read, BLOCKING_POKED},
	{"read-inotify", make_inotify, enter_read, BLOCKING_POKED},
	{"read-signalfd", make_signalfd, enter_read, BLOCKING_POKED},
	{"accept", make_listener, enter_accept, BLOCKING_POKED},
	{"flock", make_flock, enter_flock, BLOCKING_POKED},
	{"fcntl-setlkw", make_range, enter_range, BLOCKING_POKED},
	{"open-fifo", make_fifo, enter_fifo, BLOCKING_POKED},
};
const size_t blocking_files_count = sizeof(blocking_files) / sizeof(blocking_files[0]);
