/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own-process: who may begin one, and what it is given. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "src/base/packet.h"
#include "src/base/worker/own-process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int too_early, errnum_too_early;

struct told {
	char argument[16];
	bool has_secret, has_locale, has_more;
	pid_t group;
};

/* The process: says what it has. */
static void tell(const char *argument)
{
	struct told told = {
		.has_secret = getenv("OWN_PROCESS_TOKEN") != NULL,
		.has_locale = getenv("LC_OWN_PROCESS") != NULL,
		.has_more = fcntl(OWN_PROCESS_SOCKET + 1, F_GETFD) >= 0,
		.group = getpgrp(),
	};
	strncpy(told.argument, argument, sizeof(told.argument) - 1);
	packet_send(OWN_PROCESS_SOCKET, PACKET_WAIT, &told, sizeof(told), NULL, 0, -1);
}

static void wait_for_the_end(const char *argument)
{
	char byte;
	(void)argument;
	ssize_t ignored = read(OWN_PROCESS_SOCKET, &byte, 1);
	(void)ignored;
}

static const struct own_process_kind tells = {"tells", tell},
				     waits = {"waits", wait_for_the_end};

static void test_it_has_what_it_is_given(void **state)
{
	(void)state;
	int pair[2];
	struct told told;
	setenv("OWN_PROCESS_TOKEN", "secret", 1);
	setenv("LC_OWN_PROCESS", "C", 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	pid_t pid = own_process_begin("tells", "a word", &pair[1], 1);
	assert_true(pid > 0);
	close(pair[1]);
	assert_int_equal(
		packet_receive(pair[0], PACKET_WAIT, &told, sizeof(told), NULL, 0, NULL),
		0);
	assert_string_equal(told.argument, "a word");
	assert_false(told.has_secret);
	assert_true(told.has_locale);
	assert_false(told.has_more);
	assert_int_equal(told.group, pid);
	own_process_end(pid);
	assert_int_equal(process_state(pid), 0);
	close(pair[0]);
}

static void test_it_is_ended_and_reaped(void **state)
{
	(void)state;
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	pid_t pid = own_process_begin("waits", NULL, &pair[1], 1);
	assert_true(pid > 0);
	int status = own_process_end(pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(process_state(pid), 0);
	close(pair[0]);
	close(pair[1]);
}

/* What does not know the name would do what it does, and begin another one. */
static void test_only_what_the_program_can_be_is_begun(void **state)
{
	(void)state;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(own_process_begin("other", NULL, &null, 1), -1);
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(too_early, -1);
	assert_int_equal(errnum_too_early, ENOEXEC);
	close(null);
}

int main(int argc, char **argv)
{
	static const struct own_process_kind *const kinds[] = {&tells, &waits, NULL};
	too_early = own_process_begin("tells", NULL, NULL, 0);
	errnum_too_early = errno;
	own_process_is(argc, argv, kinds);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_has_what_it_is_given),
		cmocka_unit_test(test_it_is_ended_and_reaped),
		cmocka_unit_test(test_only_what_the_program_can_be_is_begun),
	};
	return unit_run(tests);
}
