/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the keeper does when a session is killed: it restores the terminal, goes on
   reading a command's pipe, and leaves no tracer. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/link/keeper.h"

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
	struct tracer_control control;
	volatile pid_t keeper, tracer;
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

static void start_keeper(struct keeper *keeper)
{
	struct error err = {""};
	if (!keeper_start(keeper, &stage->control, &options, &err))
		fail_msg("%s", err.text);
}

/* A process that does PLAY and waits to be killed. */
static pid_t start_session(void (*play)(struct keeper *keeper))
{
	pid_t pid = fork();
	if (pid != 0) {
		while (!stage->keeper)
			usleep(1000);
		return pid;
	}
	struct keeper keeper;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!keeper_start(&keeper, &stage->control, &options, NULL))
		_exit(1);
	play(&keeper);
	stage->keeper = keeper.pid;
	for (;;)
		pause();
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The keeper ends by itself once its session is gone. */
static void reap_keeper(void)
{
	assert_int_equal(waitpid(stage->keeper, NULL, 0), stage->keeper);
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

static void guard_terminal(struct keeper *keeper)
{
	struct keeper_terminal guarded = {
		.in_fd = terminal,
		.out_fd = terminal,
		.n_bytes = sizeof(goodbye) - 1,
		.before = before,
		.ours = ours,
	};
	memcpy(guarded.bytes, goodbye, guarded.n_bytes);
	keeper_guard_terminal(keeper, &guarded);
}

static void guard_and_release(struct keeper *keeper)
{
	guard_terminal(keeper);
	keeper_release_terminal(keeper);
}

static void test_the_terminal_is_given_back(void **state)
{
	(void)state;
	pid_t session = start_session(guard_terminal);
	assert_terminal("", &ours);
	kill_and_reap(session);
	reap_keeper();
	assert_terminal(goodbye, &before);
}

/* Before the keeper has come so far as to look for its main, as a rule. */
static void test_a_main_that_ends_at_once_has_said_what_it_said(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		pid_t session = fork();
		if (session == 0) {
			struct keeper keeper;
			if (!keeper_start(&keeper, &stage->control, &options, NULL))
				_exit(1);
			guard_terminal(&keeper);
			stage->keeper = keeper.pid;
			_exit(0);
		}
		assert_int_equal(waitpid(session, NULL, 0), session);
		reap_keeper();
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
	reap_keeper();
	assert_terminal(goodbye, &of_shell);
}

static void test_a_terminal_that_is_not_ours_is_let_be(void **state)
{
	(void)state;
	pid_t session = start_session(guard_and_release);
	kill_and_reap(session);
	reap_keeper();
	assert_terminal("", &ours);
}

/* --- a command's pipe --------------------------------------------------------------- */

enum {
	OUTPUT_BYTES = 1 << 20,
};

static int command_pipe[2];

static void guard_all(struct keeper *keeper)
{
	guard_terminal(keeper);
	keeper_guard_pipe(keeper, command_pipe[0]);
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
	reap_keeper(); /* the pipe is closed: nothing is left to do */
	close(go[0]);
	close(go[1]);
}

/* --- tracers ------------------------------------------------------------------------ */

static void await_hangup(int socket)
{
	struct pollfd wait = {.fd = socket, .events = POLLIN};
	assert_int_equal(poll(&wait, 1, 20000), 1);
	assert_true(wait.revents & POLLHUP);
}

/* However it ends, the other end of its socket says so; and another one can be had. */
static void test_a_tracer_that_ends_can_be_replaced(void **state)
{
	(void)state;
	static const int deaths[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGTERM, SIGTSTP};
	struct keeper keeper;
	pid_t tracer = 0;
	start_keeper(&keeper);
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++) {
		int socket;
		bool is_deaf = deaths[i] == SIGTERM || deaths[i] == SIGTSTP;
		assert_true(keeper_fork(&keeper, &socket));
		tracer = process_await_child(keeper.pid, "tracer", tracer);
		kill(tracer, deaths[i]);
		if (is_deaf) /* what a terminal or a user says is not for it */
			kill(tracer, SIGKILL);
		await_hangup(socket);
		close(socket);
	}
	keeper_end(&keeper);
	assert_int_equal(keeper.pid, 0);
	process_await_end(tracer);
}

static void test_a_new_tracer_ends_the_old_one(void **state)
{
	(void)state;
	struct keeper keeper;
	int first, second;
	start_keeper(&keeper);
	assert_true(keeper_fork(&keeper, &first));
	pid_t tracer = process_await_child(keeper.pid, "tracer", 0);
	assert_true(keeper_fork(&keeper, &second));
	await_hangup(first);
	pid_t other = process_await_child(keeper.pid, "tracer", tracer);
	process_await_end(tracer);
	close(first);
	close(second);
	keeper_end(&keeper);
	process_await_end(other);
}

static void test_no_tracer_outlives_its_keeper(void **state)
{
	(void)state;
	struct keeper keeper;
	int socket;
	start_keeper(&keeper);
	assert_true(keeper_fork(&keeper, &socket));
	pid_t tracer = process_await_child(keeper.pid, "tracer", 0);
	kill(keeper.pid, SIGKILL);
	await_hangup(socket);
	assert_int_equal(waitpid(keeper.pid, NULL, 0), keeper.pid);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_false(keeper_fork(&keeper, &socket));
	keeper.pid = 0;
	keeper_end(&keeper);
}

/* A keeper that was stopped is continued, and does what it was asked for then. */
static void test_a_stopped_keeper_is_tended(void **state)
{
	(void)state;
	struct keeper keeper;
	int socket;
	start_keeper(&keeper);
	kill(keeper.pid, SIGSTOP);
	process_await_state(keeper.pid, 'T');
	assert_true(keeper_fork(&keeper, &socket));
	keeper_tend(&keeper);
	process_await_child(keeper.pid, "tracer", 0);
	/* And if it is stopped at the end, it ends. */
	pid_t pid = keeper.pid;
	kill(pid, SIGSTOP);
	process_await_state(pid, 'T');
	keeper_end(&keeper);
	assert_int_equal(process_state(pid), 0);
	close(socket);
}

static void fork_a_tracer(struct keeper *keeper)
{
	int socket;
	keeper_fork(keeper, &socket);
	stage->tracer = process_await_child(keeper->pid, "tracer", 0);
}

static void test_neither_outlives_its_session(void **state)
{
	(void)state;
	pid_t session = start_session(fork_a_tracer);
	assert_true(stage->tracer > 0);
	kill_and_reap(session);
	reap_keeper();
	process_await_end(stage->tracer);
}

#define WITH_TERMINAL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TERMINAL(test_the_terminal_is_given_back),
		WITH_TERMINAL(test_a_main_that_ends_at_once_has_said_what_it_said),
		WITH_TERMINAL(test_settings_of_somebody_else_stay),
		WITH_TERMINAL(test_a_terminal_that_is_not_ours_is_let_be),
		WITH_TERMINAL(test_a_command_keeps_its_pipe),
		WITH_TERMINAL(test_a_tracer_that_ends_can_be_replaced),
		WITH_TERMINAL(test_a_new_tracer_ends_the_old_one),
		WITH_TERMINAL(test_no_tracer_outlives_its_keeper),
		WITH_TERMINAL(test_a_stopped_keeper_is_tended),
		WITH_TERMINAL(test_neither_outlives_its_session),
	};
	return unit_run(tests);
}
