/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that end by a timeout. Nothing else ever ends them. */

#include "blocking.h"

#include "work.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};
}

static struct timeval to_timeval(uint64_t ns)
{
	return (struct timeval){
		(time_t)(ns / (1000 * MS)), (suseconds_t)(ns % (1000 * MS) / US)};
}

static struct timespec deadline(uint64_t ns)
{
	return to_timespec(monotonic_ns() + ns);
}

static long make_nothing(void)
{
	return 0;
}

/* --- descriptors on which nothing happens ------------------------------------------- */

static long make_epoll(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int enter_epoll_wait(long fd, uint64_t ns)
{
	struct epoll_event event;
	return epoll_wait((int)fd, &event, 1, (int)(ns / MS));
}

static int enter_epoll_pwait2(long fd, uint64_t ns)
{
	struct epoll_event event;
	struct timespec t = to_timespec(ns);
	return epoll_pwait2((int)fd, &event, 1, &t, NULL);
}

static long make_datagram(void)
{
	int pair[2];
	bool made = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0;
	return made ? pair[0] : -1;
}

static int enter_poll(long fd, uint64_t ns)
{
	struct pollfd one = {.fd = (int)fd, .events = POLLIN};
	return poll(&one, 1, (int)(ns / MS));
}

static int enter_ppoll(long fd, uint64_t ns)
{
	struct pollfd one = {.fd = (int)fd, .events = POLLIN};
	struct timespec t = to_timespec(ns);
	return ppoll(&one, 1, &t, NULL);
}

static int enter_select(long fd, uint64_t ns)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET((int)fd, &set);
	struct timeval t = to_timeval(ns);
	return select((int)fd + 1, &set, NULL, NULL, &t);
}

static void limit_receiving(long fd, uint64_t ns)
{
	struct timeval t = to_timeval(ns);
	setsockopt((int)fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

static int enter_recv(long fd, uint64_t ns)
{
	char byte;
	limit_receiving(fd, ns);
	return (int)recv((int)fd, &byte, 1, 0);
}

static int enter_recvmmsg(long fd, uint64_t ns)
{
	char byte;
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
	limit_receiving(fd, ns);
	return recvmmsg((int)fd, &message, 1, 0, NULL);
}

/* A listening socket at an address that the kernel chooses (unix(7), autobind). */
static long make_listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	bool made = bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0 &&
		    listen(fd, 0) == 0;
	return made ? fd : -1;
}

static int enter_accept(long fd, uint64_t ns)
{
	limit_receiving(fd, ns);
	return accept4((int)fd, NULL, NULL, SOCK_CLOEXEC);
}

static int connect_to(long listener, int flags, uint64_t ns)
{
	struct sockaddr_un address;
	socklen_t length = sizeof(address);
	getsockname((int)listener, (struct sockaddr *)&address, &length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	struct timeval t = to_timeval(ns);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	if (connect(fd, (struct sockaddr *)&address, length) == 0)
		return fd;
	int failure = errno;
	close(fd);
	errno = failure;
	return -1;
}

/* A listener whose queue is full: a connect to it waits. */
static long make_full_listener(void)
{
	long fd = make_listener();
	for (int i = 0; i < 8; i++)
		if (connect_to(fd, SOCK_NONBLOCK, 0) < 0)
			return errno == EAGAIN ? fd : -1;
	return -1;
}

static int enter_connect(long listener, uint64_t ns)
{
	return connect_to(listener, 0, ns);
}

/* --- clocks ------------------------------------------------------------------------- */

static int enter_nanosleep(long unused, uint64_t ns)
{
	(void)unused;
	struct timespec t = to_timespec(ns);
	return nanosleep(&t, NULL);
}

static int enter_clock_nanosleep(long unused, uint64_t ns)
{
	(void)unused;
	struct timespec t = to_timespec(ns);
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	return errno ? -1 : 0;
}

static int enter_usleep(long unused, uint64_t ns)
{
	(void)unused;
	return usleep((useconds_t)(ns / US));
}

static long make_timer(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

static int enter_timer(long fd, uint64_t ns)
{
	struct itimerspec when = {.it_value = to_timespec(ns)};
	uint64_t expirations;
	timerfd_settime((int)fd, 0, &when, NULL);
	return (int)read((int)fd, &expirations, sizeof(expirations));
}

/* --- locks -------------------------------------------------------------------------- */

static uint32_t futex_word;

static int enter_futex(long unused, uint64_t ns)
{
	(void)unused;
	struct timespec t = to_timespec(ns);
	return (int)syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

static int enter_futex_bitset(long unused, uint64_t ns)
{
	(void)unused;
	struct timespec t = deadline(ns);
	return (int)syscall(SYS_futex, &futex_word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t,
		NULL, FUTEX_BITSET_MATCH_ANY);
}

static int enter_cond_clockwait(long unused, uint64_t ns)
{
	(void)unused;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec t = deadline(ns);
	pthread_mutex_lock(&lock);
	errno = pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &t);
	int failure = errno;
	pthread_mutex_unlock(&lock);
	errno = failure;
	return failure ? -1 : 0;
}

static int enter_sem_clockwait(long unused, uint64_t ns)
{
	(void)unused;
	static sem_t never;
	struct timespec t = deadline(ns);
	return sem_clockwait(&never, CLOCK_MONOTONIC, &t);
}

static void remove_semaphore(long id)
{
	semctl((int)id, 0, IPC_RMID);
}

static long make_semaphore(void)
{
	long id = semget(IPC_PRIVATE, 1, 0600);
	if (id >= 0)
		poker_at_end(remove_semaphore, id);
	return id;
}

static int enter_semtimedop(long id, uint64_t ns)
{
	struct sembuf take = {.sem_op = -1};
	struct timespec t = to_timespec(ns);
	return semtimedop((int)id, &take, 1, &t);
}

/* --- signals and rings -------------------------------------------------------------- */

/* SIGRTMIN is blocked and never sent. */
static int enter_sigtimedwait(long unused, uint64_t ns)
{
	(void)unused;
	sigset_t set;
	struct timespec t = to_timespec(ns);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	return sigtimedwait(&set, NULL, &t);
}

static int enter_io_uring(long fd, uint64_t ns)
{
	struct __kernel_timespec t = {0, (long long)ns};
	struct io_uring_getevents_arg argument = {.ts = (uintptr_t)&t};
	return (int)syscall(SYS_io_uring_enter, (int)fd, 0, 1,
		IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
		sizeof(argument));
}

static long make_io_uring(void)
{
	struct io_uring_params parameters = {0};
	long fd = syscall(SYS_io_uring_setup, 4, &parameters);
	bool has_timeout = fd >= 0 && (enter_io_uring(fd, MS) == 0 || errno == ETIME);
	return has_timeout ? fd : -1;
}

static long make_io_context(void)
{
	aio_context_t context = 0;
	return syscall(SYS_io_setup, 4, &context) == 0 ? (long)context : -1;
}

static int enter_io_getevents(long context, uint64_t ns)
{
	struct io_event event;
	struct timespec t = to_timespec(ns);
	return (int)syscall(SYS_io_getevents, (aio_context_t)context, 1L, 1L, &event, &t);
}

const struct blocking_call blocking_timed[] = {
	{"epoll_wait_t", make_epoll, enter_epoll_wait, BLOCKING_TIMED},
	{"epoll_pwait2", make_epoll, enter_epoll_pwait2, BLOCKING_TIMED},
	{"poll_t", make_datagram, enter_poll, BLOCKING_TIMED},
	{"ppoll", make_datagram, enter_ppoll, BLOCKING_TIMED},
	{"select", make_datagram, enter_select, BLOCKING_TIMED},
	{"recv_t", make_datagram, enter_recv, BLOCKING_COARSE},
	{"recvmmsg_t", make_datagram, enter_recvmmsg, BLOCKING_COARSE},
	{"accept_t", make_listener, enter_accept, BLOCKING_COARSE},
	{"connect_t", make_full_listener, enter_connect, BLOCKING_COARSE},
	{"nanosleep", make_nothing, enter_nanosleep, BLOCKING_TIMED},
	{"clock_nanosleep", make_nothing, enter_clock_nanosleep, BLOCKING_TIMED},
	{"usleep", make_nothing, enter_usleep, BLOCKING_TIMED},
	{"timerfd", make_timer, enter_timer, BLOCKING_TIMED},
	{"futex_t", make_nothing, enter_futex, BLOCKING_TIMED},
	{"futex_bitset", make_nothing, enter_futex_bitset, BLOCKING_TIMED},
	{"cond_clockwait", make_nothing, enter_cond_clockwait, BLOCKING_TIMED},
	{"sem_clockwait", make_nothing, enter_sem_clockwait, BLOCKING_TIMED},
	{"semtimedop", make_semaphore, enter_semtimedop, BLOCKING_TIMED},
	{"sigtimedwait", make_nothing, enter_sigtimedwait, BLOCKING_TIMED},
	{"io_uring_enter", make_io_uring, enter_io_uring, BLOCKING_TIMED},
	{"io_getevents", make_io_context, enter_io_getevents, BLOCKING_TIMED},
};
const size_t blocking_timed_count = sizeof(blocking_timed) / sizeof(blocking_timed[0]);
