/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages between a session and its tracer; and those of ctl, if nobody answers. */

#include "tests/lib/unit.h"

#include "ptrace/tracer/control.h"
#include "src/run/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void connect_both(int pair[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static void assert_none(int socket, bool is_end)
{
	struct tracer_message message;
	int fds[TRACER_FDS];
	bool end = !is_end;
	assert_false(tracer_receive(socket, &message, fds, &end));
	assert_int_equal(end, is_end);
}

static void assert_same_file(int a, int b)
{
	struct stat stat_a, stat_b;
	assert_int_equal(fstat(a, &stat_a), 0);
	assert_int_equal(fstat(b, &stat_b), 0);
	assert_int_equal(stat_a.st_ino, stat_b.st_ino);
	assert_int_equal(stat_a.st_dev, stat_b.st_dev);
}

static void test_messages_arrive_whole_and_in_order(void **state)
{
	(void)state;
	int pair[2], fds[TRACER_FDS], ring;
	bool end;
	connect_both(pair);
	assert_none(pair[1], false);
	for (int i = 0; i < 20; i++) {
		struct tracer_message message = {
			.kind = TRACER_ADDED, .ring = (void *)&ring, .errnum = i};
		assert_true(tracer_send(pair[0], &message, NULL, 0));
	}
	for (int i = 0; i < 20; i++) {
		struct tracer_message message;
		assert_true(tracer_receive(pair[1], &message, fds, &end));
		assert_false(end);
		assert_int_equal(message.kind, TRACER_ADDED);
		assert_ptr_equal(message.ring, (void *)&ring);
		assert_int_equal(message.errnum, i);
		for (int k = 0; k < TRACER_FDS; k++)
			assert_int_equal(fds[k], -1);
	}
	assert_none(pair[1], false);
	close(pair[0]);
	close(pair[1]);
}

static void test_descriptors_go_with_a_process(void **state)
{
	(void)state;
	const char *const paths[TRACER_FDS] = {"/proc/self", "/proc/self/task", "/"};
	int pair[2], sent[TRACER_FDS], fds[TRACER_FDS];
	bool end;
	connect_both(pair);
	for (int i = 0; i < TRACER_FDS; i++)
		sent[i] = open(paths[i], O_RDONLY);
	struct tracer_message message = {.kind = TRACER_ADD, .pid = 42, .is_again = true},
			      got;
	assert_true(tracer_send(pair[0], &message, sent, TRACER_FDS));
	assert_true(tracer_receive(pair[1], &got, fds, &end));
	assert_int_equal(got.kind, TRACER_ADD);
	assert_int_equal(got.pid, 42);
	assert_true(got.is_again);
	for (int i = 0; i < TRACER_FDS; i++) {
		assert_int_not_equal(fds[i], sent[i]);
		assert_same_file(fds[i], sent[i]);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(fds[i]);
		close(sent[i]);
	}
	close(pair[0]);
	close(pair[1]);
}

/* What was said before the other side went is heard; then it is the end, and to speak is
   no harm (SIGPIPE would end this test). */
static void test_the_end_of_the_other_side_is_seen(void **state)
{
	(void)state;
	int pair[2], fds[TRACER_FDS];
	bool end;
	connect_both(pair);
	struct tracer_message message = {.kind = TRACER_WAKE}, got;
	assert_true(tracer_send(pair[0], &message, NULL, 0));
	close(pair[0]);
	assert_true(tracer_receive(pair[1], &got, fds, &end));
	assert_int_equal(got.kind, TRACER_WAKE);
	assert_none(pair[1], true);
	assert_none(pair[1], true);
	assert_false(tracer_send(pair[1], &message, NULL, 0));
	close(pair[1]);
}

static void test_who_asks_does_not_wait_for_ever(void **state)
{
	(void)state;
	char folder[] = "/tmp/cproftop-unit-control.XXXXXX", answer[CONTROL_TEXT_MAX];
	struct control control;
	struct error err = {""};
	assert_non_null(mkdtemp(folder));
	assert_true(control_open(&control, folder, CONTROL_RECORDING, getpid(), &err));
	assert_false(control_ask(folder, getpid(), "status", -1, 1, answer, &err));
	assert_non_null(strstr(err.text, "it has not answered for 1 s"));
	control_close(&control);
	rmdir(folder);
}

/* The socket is its owner's alone from the start: nothing is done to it by its path, where
   something else may have been put. And there is none where others may do that. */
static void test_the_socket_is_for_its_owner(void **state)
{
	(void)state;
	char folder[] = "/tmp/cproftop-unit-control.XXXXXX", change[4096];
	struct control control;
	struct error err;
	struct stat status;
	assert_non_null(mkdtemp(folder));
	int changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(inotify_add_watch(changes, folder, IN_ATTRIB) >= 0);
	mode_t before = umask(0);
	assert_true(control_open(&control, folder, CONTROL_RECORDING, getpid(), &err));
	assert_int_equal(umask(before), 0);
	assert_int_equal(stat(control.path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(read(changes, change, sizeof(change)), -1);
	assert_int_equal(errno, EAGAIN);
	control_close(&control);

	assert_int_equal(chmod(folder, 0777), 0);
	assert_false(control_open(&control, folder, CONTROL_RECORDING, getpid(), &err));
	assert_non_null(strstr(err.text, "nobody else may write to"));
	assert_int_equal(control.fd, -1);
	close(changes);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_socket_is_for_its_owner),
		cmocka_unit_test(test_messages_arrive_whole_and_in_order),
		cmocka_unit_test(test_descriptors_go_with_a_process),
		cmocka_unit_test(test_the_end_of_the_other_side_is_seen),
		cmocka_unit_test(test_who_asks_does_not_wait_for_ever),
	};
	return unit_run(tests);
}
