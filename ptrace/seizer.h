/*
 * seizer: begin to trace a thread, whatever its process does at that moment.
 *
 * PTRACE_SEIZE waits while the process makes an exec (cred_guard_mutex). The exec waits
 * until the process's other threads have ended (de_thread, fs/exec.c), and one that we
 * trace has ended only when we have taken its exit status, which we cannot while we wait:
 * neither would ever go on, and the target would hang in its exec. So a timer runs
 * meanwhile, whose signal comes into that wait and takes the statuses of those who have
 * ended. Then the exec goes on, and the kernel begins the seize anew.
 *
 * Sampler thread; the signal is SIGALRM, for this thread alone.
 */
#ifndef CPROFTOP_PTRACE_SEIZER_H
#define CPROFTOP_PTRACE_SEIZER_H

#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum {
	SEIZER_MS = 10
};

struct seizer {
	timer_t timer;
	bool exists;
	void (*reap)(void *context);
	void *context;
};

/* REAP takes the exit status of those whom we trace and who have ended. It is called in
   the midst of seizer_seize by a signal handler, so it may do no more than that. */
bool seizer_init(struct seizer *seizer, void (*reap)(void *context), void *context,
	struct error *err);
void seizer_finish(struct seizer *seizer);

/* PTRACE_SEIZE with options 0. False with errno. */
bool seizer_seize(struct seizer *seizer, pid_t tid);

#endif
