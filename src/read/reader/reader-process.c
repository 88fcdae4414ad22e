/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/reader-process.h"

#include "src/base/rights/close-range.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"
#include "src/base/rights/sanitized.h"
#include "src/base/shared.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	FIRST_FD = 3,
	KEPT_FDS = 4,
	ABOVE_ALL = 64, /* of these */
};

static void keep_only(struct reader_options *options)
{
	int *kept[KEPT_FDS] = {
		&options->orders, &options->facts, &options->opener, &options->wake};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), next = FIRST_FD;
	for (int i = 0; i < KEPT_FDS; i++)
		if (*kept[i] >= 0)
			*kept[i] = fcntl(*kept[i], F_DUPFD_CLOEXEC, ABOVE_ALL);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
#ifndef SANITIZED /* whose reports are wanted */
		dup2(null, 2);
#endif
	}
	for (int i = 0; i < KEPT_FDS; i++)
		if (*kept[i] >= 0)
			*kept[i] = dup3(*kept[i], next++, O_CLOEXEC);
	close_all((unsigned)next, UINT_MAX);
}

static void reset_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void reader_process_begin(struct reader_options *options, pid_t parent)
{
	prctl(PR_SET_NAME, "cproftop-reads");
	setpgid(0, 0); /* not a session: see src/base/worker/worker-child.c */
	reset_signals();
	keep_only(options);
	shared_leave();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

void reader_process_confine(void)
{
	const char *const none[] = {NULL};
	struct rlimit files = {.rlim_cur = 0, .rlim_max = 0};
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur =
			files.rlim_max; /* a descriptor for each file of a target */
		setrlimit(RLIMIT_NOFILE, &files);
	}
	confine_identity();
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user's process has none */
	confine_reading_to(none);
	confine_reader_process_calls();
}
