/*
 * eintr-counter [SECONDS]: counts the EINTR that no signal explains.
 *
 * Truth: 0 of each, undisturbed: the program handles no signal but the SIGTERM that ends
 * it. One thread sits in each of the calls that a PTRACE_INTERRUPT makes fail with EINTR
 * (measured on 6.18; ptrace(2) BUGS lists a few), and four play ping-pong between work
 * and epoll_wait(1 ms), so that a stop meant for a running thread often hits one that has
 * just gone to sleep. Those with a timeout use a short one, with work in between, for the
 * same reason. A line "eintr NAME COUNT" for each, "n/a" where the kernel lacks the call,
 * and "truth eintr TOTAL".
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* What a call needs, made by its prepare function: a descriptor or an identifier. */
struct call {
	const char *name;
	long (*prepare)(void);	 /* -1: the kernel does not do this */
	int (*enter)(long what); /* blocks; < 0 and errno on failure */
	unsigned work_us; /* burnt after each return, 0 for a call without an end */
};

struct caller {
	pthread_t thread;
	const struct call *call;
	long what;
	atomic_uint eintr, rounds;
};

static const struct timeval timeout_1ms = {.tv_usec = 1000};

static long make_epoll(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int enter_epoll_wait(long fd)
{
	struct epoll_event event;
	return epoll_wait((int)fd, &event, 1, -1);
}

static int enter_epoll_wait_1ms(long fd)
{
	struct epoll_event event;
	return epoll_wait((int)fd, &event, 1, 1);
}

static int enter_epoll_pwait2(long fd)
{
	struct epoll_event event;
	struct timespec t = {.tv_nsec = 1000000};
	return epoll_pwait2((int)fd, &event, 1, &t, NULL);
}

static long make_semaphore(void)
{
	return semget(IPC_PRIVATE, 1, 0600);
}

static int enter_semop(long id)
{
	struct sembuf take = {.sem_op = -1};
	return semop((int)id, &take, 1);
}

static int enter_semtimedop(long id)
{
	struct sembuf take = {.sem_op = -1};
	struct timespec t = {.tv_nsec = 1000000};
	return semtimedop((int)id, &take, 1, &t);
}

static long make_nothing(void)
{
	return 0;
}

/* SIGUSR1 is blocked and never sent. */
static int enter_sigwaitinfo(long unused)
{
	(void)unused;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigwaitinfo(&set, NULL);
}

static int enter_sigtimedwait(long unused)
{
	(void)unused;
	sigset_t set;
	struct timespec t = {.tv_nsec = 1000000};
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &t);
}

static long make_datagram(void)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &timeout_1ms, sizeof(timeout_1ms));
	return pair[0];
}

static int enter_recv(long fd)
{
	char byte;
	return (int)recv((int)fd, &byte, 1, 0);
}

static int enter_recvmmsg(long fd)
{
	char byte;
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
	return recvmmsg((int)fd, &message, 1, 0, NULL);
}

/* A listening socket at an address that the kernel chooses (unix(7), autobind). */
static int make_listener(struct sockaddr_un *address, socklen_t *length)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	*length = sizeof(*address);
	if (bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) != 0 ||
		getsockname(fd, (struct sockaddr *)address, length) != 0 ||
		listen(fd, 0) != 0)
		return -1;
	return fd;
}

static long make_acceptor(void)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd = make_listener(&address, &length);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout_1ms, sizeof(timeout_1ms));
	return fd;
}

static int enter_accept(long fd)
{
	return accept4((int)fd, NULL, NULL, SOCK_CLOEXEC);
}

/* A listener whose queue is full: a connect to it waits. */
static long make_full_listener(void)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd = make_listener(&address, &length);
	for (int i = 0; i < 8; i++) {
		int client =
			socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (connect(client, (struct sockaddr *)&address, length) != 0)
			return errno == EAGAIN ? fd : -1;
	}
	return -1;
}

static int enter_connect(long listener)
{
	struct sockaddr_un address;
	socklen_t length = sizeof(address);
	getsockname((int)listener, (struct sockaddr *)&address, &length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout_1ms, sizeof(timeout_1ms));
	int result = connect(fd, (struct sockaddr *)&address, length);
	int failure = errno;
	close(fd);
	errno = failure;
	return result;
}

static long make_io_uring(void)
{
	struct io_uring_params parameters = {0};
	return syscall(SYS_io_uring_setup, 4, &parameters);
}

static int enter_io_uring(long fd)
{
	return (int)syscall(
		SYS_io_uring_enter, (int)fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static long make_io_context(void)
{
	aio_context_t context = 0;
	return syscall(SYS_io_setup, 4, &context) == 0 ? (long)context : -1;
}

static int enter_io_getevents(long context)
{
	struct io_event event;
	struct timespec t = {.tv_nsec = 1000000};
	return (int)syscall(SYS_io_getevents, (aio_context_t)context, 1L, 1L, &event, &t);
}

static const struct call calls[] = {
	{"ping-pong-0", make_epoll, enter_epoll_wait_1ms, 700},
	{"ping-pong-1", make_epoll, enter_epoll_wait_1ms, 500},
	{"ping-pong-2", make_epoll, enter_epoll_wait_1ms, 300},
	{"ping-pong-3", make_epoll, enter_epoll_wait_1ms, 100},
	{"epoll_wait", make_epoll, enter_epoll_wait, 0},
	{"epoll_pwait2", make_epoll, enter_epoll_pwait2, 50},
	{"semop", make_semaphore, enter_semop, 0},
	{"semtimedop", make_semaphore, enter_semtimedop, 50},
	{"sigwaitinfo", make_nothing, enter_sigwaitinfo, 0},
	{"sigtimedwait", make_nothing, enter_sigtimedwait, 50},
	{"recv", make_datagram, enter_recv, 50},
	{"recvmmsg", make_datagram, enter_recvmmsg, 50},
	{"accept", make_acceptor, enter_accept, 50},
	{"connect", make_full_listener, enter_connect, 50},
	{"io_uring_enter", make_io_uring, enter_io_uring, 0},
	{"io_getevents", make_io_context, enter_io_getevents, 50},
};

static VISIBLE void work_between_calls(uint64_t until)
{
	burn_until(until);
}

/* Never returns: those who wait without an end go with the process. */
static void *caller_run(void *argument)
{
	struct caller *me = argument;
	for (;;) {
		if (me->call->enter(me->what) < 0 && errno == EINTR)
			me->eintr++;
		me->rounds++;
		if (me->call->work_us != 0)
			work_between_calls(thread_cpu_ns() + me->call->work_us * US);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	/* SIGTERM is for main, which is the only one allowed to be interrupted. */
	sigaddset(&blocked, SIGTERM);

	struct caller callers[LENGTH(calls)] = {0};
	sigset_t before;
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	for (size_t i = 0; i < LENGTH(calls); i++) {
		callers[i].call = &calls[i];
		callers[i].what = calls[i].prepare();
		if (callers[i].what < 0)
			continue;
		if (pthread_create(&callers[i].thread, NULL, caller_run, &callers[i]))
			return 1;
		pthread_setname_np(callers[i].thread, calls[i].name);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);

	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	while (work_goes_on(end))
		work_sleep_ns(10 * MS);

	unsigned total = 0;
	for (size_t i = 0; i < LENGTH(calls); i++) {
		if (callers[i].what < 0) {
			printf("eintr %s n/a\n", calls[i].name);
			continue;
		}
		printf("eintr %s %u of %u\n", calls[i].name, callers[i].eintr,
			callers[i].rounds);
		total += callers[i].eintr;
		if (strncmp(calls[i].name, "sem", 3) == 0)
			semctl((int)callers[i].what, 0, IPC_RMID);
	}
	printf("truth eintr %u\n", total);
	/* The callers still use this frame: leave without giving it back. */
	fflush(stdout);
	_exit(0);
}
