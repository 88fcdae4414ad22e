#include "src/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_take(int fd)
{
	struct signalfd_siginfo info;
	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void signals_suspend(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP); /* waits until it is not blocked any more, and stops us there */
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
