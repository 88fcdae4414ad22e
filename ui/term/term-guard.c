/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-guard.h"

#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum {
	N_SIGNALS = 11,
	ALTERNATE_STACK = 64 * 1024 /* SIGSTKSZ is not a constant in newer glibc */
};

/* First the signals of the terminal, then those of a crash, which have no bit. */
static const struct {
	int number;
	unsigned char bit;
} signals[N_SIGNALS] = {
	{SIGINT, GUARD_QUIT},
	{SIGTERM, GUARD_QUIT},
	{SIGHUP, GUARD_QUIT},
	{SIGTSTP, GUARD_SUSPEND},
	{SIGWINCH, GUARD_RESIZE},
	{SIGCONT, GUARD_CONTINUED},
	{SIGSEGV, 0},
	{SIGBUS, 0},
	{SIGILL, 0},
	{SIGFPE, 0},
	{SIGABRT, 0},
};

struct term_guard {
	int in_fd, out_fd;
	int pipe[2];
	struct termios before;
	char bytes[256];
	size_t n_bytes;
	volatile sig_atomic_t quits; /* signals that asked for the end */
	struct sigaction old[N_SIGNALS];
	stack_t old_stack;
	void *stack;
};

/* For the signal handlers. */
static struct term_guard *volatile guarded;

static void restore(void)
{
	const struct term_guard *guard = guarded;

	if (!guard)
		return;
	(void)!write(guard->out_fd, guard->bytes, guard->n_bytes);
	tcsetattr(guard->in_fd, TCSANOW, &guard->before);
}

/* Asked a second time to end, do so at once: what was to end the program hangs. */
static void on_request(int number)
{
	struct term_guard *guard = guarded;
	int saved = errno;

	for (int i = 0; i < N_SIGNALS && guard; i++) {
		if (signals[i].number != number)
			continue;
		if (signals[i].bit == GUARD_QUIT && guard->quits++ > 0) {
			restore();
			_exit(128 + number);
		}
		(void)!write(guard->pipe[1], &signals[i].bit, 1);
	}
	errno = saved;
}

/* Restore the terminal, then let the signal have its original effect: a core file, or a
   sanitizer's report. */
static void on_crash(int number)
{
	struct term_guard *guard = guarded;

	restore();
	for (int i = 0; i < N_SIGNALS && guard; i++)
		if (signals[i].number == number)
			sigaction(number, &guard->old[i], NULL);
	raise(number);
}

struct term_guard *term_guard_begin(int in_fd, int out_fd, struct error *err)
{
	struct term_guard *guard = mem_zalloc(sizeof(*guard));

	guard->in_fd = in_fd;
	guard->out_fd = out_fd;
	if (tcgetattr(in_fd, &guard->before) != 0) {
		error_errno(err, errno, "terminal");
		free(guard);
		return NULL;
	}
	if (pipe2(guard->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		error_errno(err, errno, "pipe");
		free(guard);
		return NULL;
	}
	/* The handler needs another stack if the thread's own stack has overflowed. */
	guard->stack = mem_alloc(ALTERNATE_STACK);
	stack_t stack = {.ss_sp = guard->stack, .ss_size = ALTERNATE_STACK};
	sigaltstack(&stack, &guard->old_stack);

	guarded = guard;
	for (int i = 0; i < N_SIGNALS; i++) {
		struct sigaction action = {
			.sa_handler = signals[i].bit ? on_request : on_crash,
			.sa_flags = signals[i].bit ? SA_RESTART : SA_ONSTACK,
		};
		sigemptyset(&action.sa_mask);
		sigaction(signals[i].number, &action, &guard->old[i]);
	}
	mem_set_last_words(restore);
	return guard;
}

void term_guard_set_bytes(struct term_guard *guard, const char *bytes)
{
	guard->n_bytes = strnlen(bytes, sizeof(guard->bytes));
	memcpy(guard->bytes, bytes, guard->n_bytes);
}

void term_guard_restoration(const struct term_guard *guard, struct term_restoration *out)
{
	*out = (struct term_restoration){
		.in_fd = guard->in_fd,
		.out_fd = guard->out_fd,
		.n_bytes = guard->n_bytes,
		.before = guard->before,
		.ours = guard->before,
	};
	memcpy(out->bytes, guard->bytes, guard->n_bytes);
	tcgetattr(guard->in_fd, &out->ours);
}

int term_guard_fd(const struct term_guard *guard)
{
	return guard->pipe[0];
}

unsigned term_guard_take(struct term_guard *guard)
{
	unsigned char bytes[64];
	unsigned bits = 0;
	ssize_t n;

	while ((n = read(guard->pipe[0], bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			bits |= bytes[i];
	return bits;
}

void term_guard_stop(struct term_guard *guard)
{
	struct sigaction ours, standard = {.sa_handler = SIG_DFL};

	sigemptyset(&standard.sa_mask);
	sigaction(SIGTSTP, &standard, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	(void)term_guard_take(guard); /* drop GUARD_CONTINUED: the caller knows */
}

void term_guard_end(struct term_guard *guard)
{
	if (!guard)
		return;
	mem_set_last_words(NULL);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i].number, &guard->old[i], NULL);
	guarded = NULL;
	sigaltstack(&guard->old_stack, NULL);
	free(guard->stack);
	close(guard->pipe[0]);
	close(guard->pipe[1]);
	free(guard);
}
