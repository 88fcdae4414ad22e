/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hotspot-attach: a process that behaves as HotSpot does, and some that do not. */

#include "tests/lib/unit.h"

#include "src/read/runtimes/hotspot/hotspot-attach.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char asked[] = "1\0jcmd\0Compiler.perfmap\0\0";

struct machine {
	pid_t pid;
	int proc_fd;
	char dir[64]; /* where it runs */
	char socket[64];
};

static volatile sig_atomic_t was_woken;

static void on_quit(int number)
{
	(void)number;
	was_woken = 1;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
		listen(fd, 5) != 0)
		_exit(2);
	return fd;
}

/* Ends with 0 if it was asked what HotSpot is asked. */
static _Noreturn void run_machine(const struct machine *machine, const char *answer)
{
	char trigger[32], socket[64], request[128];
	size_t length = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(trigger, sizeof(trigger), ".attach_pid%d", (int)getpid());
	snprintf(socket, sizeof(socket), "/tmp/.java_pid%d", (int)getpid());
	if (chdir(machine->dir) != 0)
		_exit(3);
	signal(SIGQUIT, on_quit);
	raise(SIGSTOP); /* it is ready */
	while (!was_woken)
		poll(NULL, 0, 10);
	if (access(trigger, F_OK) != 0)
		_exit(4);
	int fd = accept(listen_at(socket), NULL, NULL);
	while (length < sizeof(asked)) {
		ssize_t got = read(fd, request + length, sizeof(request) - length);
		if (got <= 0)
			_exit(5);
		length += (size_t)got;
	}
	if (write(fd, answer, strlen(answer)) != (ssize_t)strlen(answer))
		_exit(6);
	_exit(length == sizeof(asked) && memcmp(request, asked, length) == 0 ? 0 : 7);
}

/* ANSWER NULL: a program that does not know SIGQUIT. */
static struct machine begin(const char *answer)
{
	struct machine machine;
	char path[64];
	int status;
	snprintf(machine.dir, sizeof(machine.dir), "/tmp/cproftop-machine-XXXXXX");
	assert_non_null(mkdtemp(machine.dir));
	machine.pid = fork();
	if (machine.pid == 0 && answer)
		run_machine(&machine, answer);
	if (machine.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGQUIT, SIG_DFL);
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	assert_int_equal(waitpid(machine.pid, &status, WUNTRACED), machine.pid);
	kill(machine.pid, SIGCONT);
	snprintf(path, sizeof(path), "/proc/%d", (int)machine.pid);
	machine.proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(machine.socket, sizeof(machine.socket), "/tmp/.java_pid%d",
		(int)machine.pid);
	return machine;
}

/* How it ended: its status, as of waitpid. */
static int end(struct machine *machine, bool is_killed)
{
	int status;
	if (is_killed)
		kill(machine->pid, SIGKILL);
	assert_int_equal(waitpid(machine->pid, &status, 0), machine->pid);
	close(machine->proc_fd);
	unlink(machine->socket);
	assert_int_equal(rmdir(machine->dir), 0); /* nothing was left there */
	return status;
}

static enum hotspot_answer ask(const struct machine *machine)
{
	struct hotspot_attach attach;
	enum hotspot_answer answer = hotspot_attach_begin(&attach, machine->proc_fd);
	while (answer == HOTSPOT_PENDING) {
		poll(NULL, 0, 10);
		answer = hotspot_attach_poll(&attach);
	}
	hotspot_attach_end(&attach);
	return answer;
}

static void test_it_is_asked_as_by_jcmd(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum hotspot_answer answer;
	} answers[] = {
		{"0\nCommand executed successfully\n", HOTSPOT_WRITTEN},
		{"-1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n",
			HOTSPOT_TOO_OLD},
		{"101\n", HOTSPOT_REFUSED},
		{"", HOTSPOT_REFUSED},
	};
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct machine machine = begin(answers[i].text);
		assert_int_equal(ask(&machine), answers[i].answer);
		assert_int_equal(end(&machine, false), 0);
	}
}

static void test_others_get_no_signal(void **state)
{
	(void)state;
	struct machine machine = begin(NULL);
	assert_int_equal(ask(&machine), HOTSPOT_NOT_READY);
	int status = end(&machine, true);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A socket of another process, which took its name. */
static void test_only_the_process_itself_is_talked_to(void **state)
{
	(void)state;
	struct machine machine = begin(NULL);
	int fd = listen_at(machine.socket);
	assert_int_equal(ask(&machine), HOTSPOT_NOT_READY);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	int talk_fd = accept(fd, NULL, NULL);
	char byte;
	assert_true(talk_fd < 0 || read(talk_fd, &byte, 1) == 0);
	if (talk_fd >= 0)
		close(talk_fd);
	close(fd);
	end(&machine, true);
}

static void test_one_that_is_gone(void **state)
{
	(void)state;
	struct machine machine = begin(NULL);
	kill(machine.pid, SIGKILL);
	waitpid(machine.pid, NULL, 0);
	assert_int_equal(ask(&machine), HOTSPOT_FAILED);
	close(machine.proc_fd);
	rmdir(machine.dir);
}

/* Giving up does not wait for an answer. */
static void test_giving_up(void **state)
{
	(void)state;
	struct machine machine = begin("0\n");
	struct hotspot_attach attach;
	kill(machine.pid, SIGSTOP); /* it will not make its socket */
	assert_int_equal(hotspot_attach_begin(&attach, machine.proc_fd), HOTSPOT_PENDING);
	pid_t child = attach.child;
	assert_int_equal(hotspot_attach_poll(&attach), HOTSPOT_PENDING);
	hotspot_attach_end(&attach);
	assert_int_equal(kill(child, 0), -1);
	hotspot_attach_end(&attach);
	char path[128];
	snprintf(path, sizeof(path), "%s/.attach_pid%d", machine.dir, (int)machine.pid);
	unlink(path); /* what was under way */
	end(&machine, true);
}

static void test_answers_that_are_none(void **state)
{
	(void)state;
	assert_int_equal(hotspot_read_answer("0\n", 2), HOTSPOT_WRITTEN);
	assert_int_equal(hotspot_read_answer("0", 1), HOTSPOT_REFUSED);
	assert_int_equal(hotspot_read_answer("01\n", 3), HOTSPOT_REFUSED);
	assert_int_equal(hotspot_read_answer("", 0), HOTSPOT_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_asked_as_by_jcmd),
		cmocka_unit_test(test_others_get_no_signal),
		cmocka_unit_test(test_only_the_process_itself_is_talked_to),
		cmocka_unit_test(test_one_that_is_gone),
		cmocka_unit_test(test_giving_up),
		cmocka_unit_test(test_answers_that_are_none),
	};
	return unit_run(tests);
}
