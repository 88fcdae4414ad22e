/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tracer does when its session is killed: it restores the terminal, goes on reading
   a command's pipe, and ends. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/link/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char goodbye[] = "\033[?1049l\033[?25hgoodbye";

/* Shared by this process and the one that acts as the session. */
struct stage {
	volatile pid_t tracer;
};

static const struct tracer_options options = {.seed = 1, .stack_bytes = 4096};
static struct stage *stage;
static int master, terminal;	    /* of a pseudo-terminal */
static struct termios before, ours; /* its settings */

static int set_up(void **state)
{
	(void)state;
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (stage == MAP_FAILED || master < 0 || grantpt(master) || unlockpt(master))
		return -1;
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	tcgetattr(terminal, &before);
	before.c_oflag &= ~(tcflag_t)OPOST; /* what is written is what is read */
	tcsetattr(terminal, TCSANOW, &before);
	ours = before;
	ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(terminal, TCSANOW, &ours);
	/* What the session leaves comes to us, to be waited for. */
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static int tear_down(void **state)
{
	(void)state;
	close(master);
	close(terminal);
	munmap(stage, sizeof(*stage));
	return 0;
}

static void nobody(void *context)
{
	(void)context;
}

static struct tracer *start_tracer(void)
{
	return tracer_create(&options, 99, false, nobody, NULL, NULL);
}

/* A process that does PLAY and waits to be killed. */
static pid_t start_session(void (*play)(struct tracer *tracer))
{
	pid_t pid = fork();
	if (pid != 0) {
		while (!stage->tracer)
			usleep(1000);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct tracer *tracer = start_tracer();
	if (!tracer)
		_exit(1);
	play(tracer);
	stage->tracer = process_await_child(getpid(), "cproftop-traces", 0);
	for (;;)
		pause();
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* It ends by itself once its session is gone, and so does who reads the pipe. */
static void reap_all(void)
{
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
}

static size_t read_terminal(char *out, size_t size)
{
	size_t length = 0;
	struct pollfd wait = {.fd = master, .events = POLLIN};
	while (length < size && poll(&wait, 1, 0) == 1) {
		ssize_t got = read(master, out + length, size - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	return length;
}

static void assert_terminal(const char *text, const struct termios *settings)
{
	char bytes[8192];
	struct termios now;
	assert_int_equal(read_terminal(bytes, sizeof(bytes)), strlen(text));
	assert_memory_equal(bytes, text, strlen(text));
	assert_int_equal(tcgetattr(terminal, &now), 0);
	assert_int_equal(now.c_lflag, settings->c_lflag);
	assert_int_equal(now.c_iflag, settings->c_iflag);
}

static void guard_terminal(struct tracer *tracer)
{
	struct guarded_terminal guarded = {
		.in_fd = terminal,
		.out_fd = terminal,
		.n_bytes = sizeof(goodbye) - 1,
		.before = before,
		.ours = ours,
	};
	memcpy(guarded.bytes, goodbye, guarded.n_bytes);
	tracer_guard_terminal(tracer, &guarded);
}

static void guard_and_release(struct tracer *tracer)
{
	guard_terminal(tracer);
	tracer_release_terminal(tracer);
}

static void test_the_terminal_is_given_back(void **state)
{
	(void)state;
	pid_t session = start_session(guard_terminal);
	assert_terminal("", &ours);
	kill_and_reap(session);
	reap_all();
	assert_terminal(goodbye, &before);
}

/* Before the tracer has come so far as to look for its main, as a rule. */
static void test_a_main_that_ends_at_once_has_said_what_it_said(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		pid_t session = fork();
		if (session == 0) {
			guard_terminal(start_tracer());
			_exit(0);
		}
		assert_int_equal(waitpid(session, NULL, 0), session);
		reap_all();
		assert_terminal(goodbye, &before);
		tcsetattr(terminal, TCSANOW, &ours);
	}
}

static void test_settings_of_somebody_else_stay(void **state)
{
	(void)state;
	struct termios of_shell = before;
	pid_t session = start_session(guard_terminal);
	of_shell.c_lflag &= ~(tcflag_t)(ICANON | ISIG);
	tcsetattr(terminal, TCSANOW, &of_shell);
	kill_and_reap(session);
	reap_all();
	assert_terminal(goodbye, &of_shell);
}

static void test_a_terminal_that_is_not_ours_is_let_be(void **state)
{
	(void)state;
	pid_t session = start_session(guard_and_release);
	kill_and_reap(session);
	reap_all();
	assert_terminal("", &ours);
}

/* Its main is killed while both are stopped: nobody else would continue it. */
static void test_a_stopped_tracer_gives_back(void **state)
{
	(void)state;
	pid_t session = start_session(guard_terminal);
	kill(session, SIGSTOP);
	process_await_state(session, 'T');
	kill(stage->tracer, SIGSTOP);
	process_await_state(stage->tracer, 'T');
	kill_and_reap(session);
	reap_all();
	assert_terminal(goodbye, &before);
}

static void replace_the_first(struct tracer *tracer)
{
	guard_terminal(tracer);
	pid_t first = process_await_child(getpid(), "cproftop-traces", 0);
	kill(first, SIGKILL);
	process_await_child(getpid(), "cproftop-traces", first);
}

static void test_another_tracer_knows_the_terminal(void **state)
{
	(void)state;
	pid_t session = start_session(replace_the_first);
	assert_terminal("", &ours);
	kill_and_reap(session);
	reap_all();
	assert_terminal(goodbye, &before);
}

/* What the terminal or a user says to all is not for it. */
static void test_it_is_deaf(void **state)
{
	(void)state;
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGTTOU};
	pid_t session = start_session(guard_terminal);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		kill(stage->tracer, numbers[i]);
	usleep(50000);
	assert_int_equal(process_child(session, "cproftop-traces", 0), stage->tracer);
	assert_int_not_equal(getpgid(stage->tracer), getpgrp());
	kill_and_reap(session);
	reap_all();
	assert_terminal(goodbye, &before);
}

/* --- a command's pipe --------------------------------------------------------------- */

enum {
	OUTPUT_BYTES = 1 << 20,
};

static int command_pipe[2];

static void guard_all(struct tracer *tracer)
{
	guard_terminal(tracer);
	tracer_guard_pipe(tracer, command_pipe[0]);
	close(command_pipe[0]);
	close(command_pipe[1]);
}

/* More than any pipe holds: without a reader it would wait, or die of SIGPIPE. */
static pid_t start_command(int go_fd)
{
	static char line[1024];
	char byte;
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	close(command_pipe[0]);
	if (read(go_fd, &byte, 1) != 1)
		_exit(2);
	memset(line, 'x', sizeof(line));
	for (size_t written = 0; written < OUTPUT_BYTES;) {
		ssize_t got = write(command_pipe[1], line, sizeof(line));
		if (got < 0)
			_exit(3);
		written += (size_t)got;
	}
	_exit(0);
}

static void test_a_command_keeps_its_pipe(void **state)
{
	(void)state;
	static char bytes[OUTPUT_BYTES + sizeof(goodbye)];
	int go[2], status = 0;
	size_t length = 0;
	assert_int_equal(pipe(command_pipe), 0);
	assert_int_equal(pipe(go), 0);
	pid_t command = start_command(go[0]);
	pid_t session = start_session(guard_all);
	close(command_pipe[0]);
	close(command_pipe[1]);
	kill_and_reap(session);
	assert_int_equal(write(go[1], "g", 1), 1);
	/* On the terminal, which is the command's again. */
	for (int i = 0; i < 20000 && length < sizeof(bytes) - 1; i++) {
		length += read_terminal(bytes + length, sizeof(bytes) - length);
		usleep(1000);
	}
	assert_int_equal(length, OUTPUT_BYTES + sizeof(goodbye) - 1);
	assert_memory_equal(bytes, goodbye, sizeof(goodbye) - 1);
	for (size_t i = sizeof(goodbye) - 1; i < length; i++)
		if (bytes[i] != 'x')
			fail_msg("byte %zu is %d", i, bytes[i]);
	assert_int_equal(waitpid(command, &status, 0), command);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	reap_all(); /* the pipe is closed: nothing is left to do */
	close(go[0]);
	close(go[1]);
}

#define WITH_TERMINAL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TERMINAL(test_the_terminal_is_given_back),
		WITH_TERMINAL(test_a_main_that_ends_at_once_has_said_what_it_said),
		WITH_TERMINAL(test_settings_of_somebody_else_stay),
		WITH_TERMINAL(test_a_terminal_that_is_not_ours_is_let_be),
		WITH_TERMINAL(test_a_stopped_tracer_gives_back),
		WITH_TERMINAL(test_another_tracer_knows_the_terminal),
		WITH_TERMINAL(test_it_is_deaf),
		WITH_TERMINAL(test_a_command_keeps_its_pipe),
	};
	return unit_run(tests);
}
