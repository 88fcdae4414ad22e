#include "ptrace/seizer.h"

#include "src/base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* glibc before 2.39 has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void in_the_wait(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number, (void)context;
	const struct seizer *seizer = info->si_value.sival_ptr;
	int errnum = errno;
	seizer->reap(seizer->context);
	errno = errnum;
}

bool seizer_init(struct seizer *seizer, void (*reap)(void *context), void *context,
	struct error *err)
{
	seizer->reap = reap;
	seizer->context = context;
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	struct sigaction action = {
		.sa_sigaction = in_the_wait,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
		.sigev_value.sival_ptr = seizer,
	};
	event.sigev_notify_thread_id = gettid();
	if (sigaction(SIGALRM, &action, NULL) != 0 ||
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL) != 0 ||
		timer_create(CLOCK_MONOTONIC, &event, &seizer->timer) != 0)
		return error_errno(err, errno, "cannot make a timer for attaching");
	seizer->exists = true;
	return true;
}

void seizer_finish(struct seizer *seizer)
{
	if (seizer->exists)
		timer_delete(seizer->timer);
	seizer->exists = false;
}

static void set(struct seizer *seizer, uint64_t ns)
{
	struct itimerspec when = {clock_to_timespec(ns), clock_to_timespec(ns)};
	timer_settime(seizer->timer, 0, &when, NULL);
}

bool seizer_seize(struct seizer *seizer, pid_t tid)
{
	set(seizer, SEIZER_MS * NS_PER_MS);
	bool done = ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0;
	int errnum = errno;
	set(seizer, 0);
	errno = errnum;
	return done;
}
