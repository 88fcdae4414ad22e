/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { /* the two ends of the socket pair */
	READ,
	WRITE,
	UNHEARD_MOST = 2,
};

/* A signal that is blocked is delivered to who waits for it, even if it is ignored. SIGHUP
   stays ignored if it was when we began, because that is what nohup(1) is for. SIGINT does
   not: a shell without job control lets its background jobs ignore it, and who sends it to
   one of them means it. */
static sigset_t wanted(void)
{
	sigset_t set;
	struct sigaction hangup;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGUSR1);
	return set;
}

struct beginning {
	int fds[2];
	sem_t has_begun;
};

/* The tracer gives back terminal and target (ptrace/tracer/guard.h). */
static void end_if_unheard(int read_fd, int number)
{
	int unread = 0;
	if (ioctl(read_fd, FIONREAD, &unread) == 0 && unread >= UNHEARD_MOST)
		_exit(128 + number);
}

/* Runs until the process ends. */
static void *tell(void *argument)
{
	struct beginning *beginning = argument;
	int read_fd = beginning->fds[READ], fd = beginning->fds[WRITE], number;
	sigset_t set = wanted();
	prctl(PR_SET_NAME, "signals");
	sem_post(&beginning->has_begun);
	bool hung_up = false;
	while (sigwait(&set, &number) == 0) {
		unsigned char byte = (unsigned char)number;
		/* A terminal that goes away says so twice: by the kernel, and by the shell. */
		if (number == SIGHUP && hung_up)
			continue;
		hung_up |= number == SIGHUP;
		if (number == SIGINT || number == SIGTERM || number == SIGHUP)
			end_if_unheard(read_fd, number);
		send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	return NULL;
}

void signals_block(void)
{
	sigset_t set = wanted();
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int signals_open(void)
{
	int fds[2];
	pthread_t thread;
	signals_block();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return -1;
	fcntl(fds[READ], F_SETFL, O_NONBLOCK);
	struct beginning beginning = {.fds = {fds[READ], fds[WRITE]}};
	sem_init(&beginning.has_begun, 0, 0);
	if (pthread_create(&thread, NULL, tell, &beginning) != 0) {
		close(fds[READ]);
		close(fds[WRITE]);
		return -1;
	}
	pthread_detach(thread);
	/* Wait until the thread runs. A fork follows soon; if it came while the thread is
	   being created, locks that a sanitizer's runtime holds would stay locked in the
	   child. */
	while (sem_wait(&beginning.has_begun) != 0)
		;
	return fds[READ];
}

int signals_take(int fd)
{
	unsigned char byte;
	return read(fd, &byte, 1) == 1 ? byte : 0;
}

void signals_suspend(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP); /* stays pending until it is unblocked below, where it stops us */
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
