/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptor: the kinds of this process's own descriptors; and a file system that never
   answers is not asked. What /proc says of rings (ring-wait) and signals
   (signals-waiting). */

#include "tests/lib/unit.h"

#include "ptrace/call/descriptor.h"
#include "ptrace/call/ring-wait.h"
#include "ptrace/signals-waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum {
	ANYTHING = ~0
};

/* Looks at FD, and closes it. */
static struct descriptor look(int fd, int wanted)
{
	assert_true(fd >= 0);
	struct descriptor found = descriptor_look(getpid(), fd, (unsigned)wanted);
	close(fd);
	return found;
}

static void test_sockets_are_told_apart(void **state)
{
	(void)state;
	const struct {
		int family, type;
		enum descriptor_kind kind;
	} table[] = {
		{AF_UNIX, SOCK_STREAM, DESCRIPTOR_UNIX_STREAM},
		{AF_UNIX, SOCK_DGRAM, DESCRIPTOR_DATAGRAMS},
		{AF_UNIX, SOCK_SEQPACKET, DESCRIPTOR_DATAGRAMS},
		{AF_INET, SOCK_STREAM, DESCRIPTOR_TCP},
		{AF_INET, SOCK_DGRAM, DESCRIPTOR_DATAGRAMS},
		{AF_NETLINK, SOCK_RAW, DESCRIPTOR_OTHER},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct descriptor found =
			look(socket(table[i].family, table[i].type, 0), ANYTHING);
		assert_int_equal(found.kind, table[i].kind);
		assert_true(found.blocks || found.kind == DESCRIPTOR_OTHER);
	}
	assert_int_equal(descriptor_of_protocol("TCPv6"), DESCRIPTOR_TCP);
	assert_int_equal(descriptor_of_protocol("SCTP"), DESCRIPTOR_OTHER);
	assert_false(
		look(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), ANYTHING).blocks);
}

/* The error is only seen, and bytes come before it. */
static void test_a_connection_that_failed_is_seen(void **state)
{
	(void)state;
	int ends[2];
	char bytes[4];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_false(descriptor_has_failed(getpid(), ends[0]));
	assert_int_equal(write(ends[0], "a", 1), 1); /* is never read: a reset */
	assert_int_equal(write(ends[1], "abcd", 4), 4);
	close(ends[1]);
	assert_false(descriptor_has_failed(getpid(), ends[0]));
	assert_int_equal(read(ends[0], bytes, 4), 4);
	assert_true(descriptor_has_failed(getpid(), ends[0]));
	assert_int_equal(read(ends[0], bytes, 4), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_false(descriptor_has_failed(getpid(), ends[0]));
	close(ends[0]);
	assert_false(descriptor_has_failed(getpid(), ends[0]));
}

static void test_devices_are_told_apart(void **state)
{
	(void)state;
	const struct {
		const char *path;
		enum descriptor_kind kind;
	} table[] = {
		{"/dev/zero", DESCRIPTOR_ZEROS},
		{"/dev/full", DESCRIPTOR_ZEROS},
		{"/dev/random", DESCRIPTOR_RANDOM},
		{"/dev/urandom", DESCRIPTOR_RANDOM},
		{"/dev/null", DESCRIPTOR_FILE},
		{"/dev/ptmx", DESCRIPTOR_TERMINAL},
		{"/proc/self/exe", DESCRIPTOR_FILE},
		{"/", DESCRIPTOR_OTHER},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct descriptor found = look(
			open(table[i].path, O_RDONLY | O_NOCTTY | O_CLOEXEC), ANYTHING);
		assert_int_equal(found.kind, table[i].kind);
		assert_true(found.blocks || found.kind == DESCRIPTOR_OTHER);
	}
	assert_int_equal(descriptor_of_file(S_IFCHR, 136, 3), DESCRIPTOR_TERMINAL);
	assert_int_equal(descriptor_of_file(S_IFCHR, 10, 183), DESCRIPTOR_HWRNG);
	assert_int_equal(descriptor_of_file(S_IFCHR, 10, 200), DESCRIPTOR_OTHER);
	assert_int_equal(descriptor_of_file(S_IFCHR, 1, 11), DESCRIPTOR_OTHER);
	assert_int_equal(descriptor_of_file(S_IFBLK, 1, 5), DESCRIPTOR_FILE);
}

static void test_pipes_are_found(void **state)
{
	(void)state;
	int ends[2];
	char path[] = "/tmp/unit-descriptorXXXXXX";
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	struct descriptor found = look(ends[1], ANYTHING);
	assert_int_equal(found.kind, DESCRIPTOR_PIPE);
	assert_true(found.blocks);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	assert_false(look(ends[0], ANYTHING).blocks);

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	found = look(open(path, O_RDWR | O_CLOEXEC), ANYTHING);
	unlink(path);
	assert_int_equal(found.kind, DESCRIPTOR_PIPE);
	assert_true(found.blocks);
}

static void test_what_is_nothing_of_the_kind(void **state)
{
	(void)state;
	assert_int_equal(look(eventfd(0, EFD_CLOEXEC), ANYTHING).kind, DESCRIPTOR_OTHER);
	assert_int_equal(descriptor_look(getpid(), 12345, 1).kind, DESCRIPTOR_OTHER);
	assert_int_equal(look(memfd_create("pipe:[1]", MFD_CLOEXEC), ANYTHING).kind,
		DESCRIPTOR_FILE);
	/* A name is not believed. */
	assert_int_equal(
		look(memfd_create("/zero", MFD_CLOEXEC), ANYTHING).kind, DESCRIPTOR_FILE);
	/* What is not wanted is not looked at. */
	assert_int_equal(look(open("/dev/null", O_RDONLY), DESCRIPTOR_ENDLESS).kind,
		DESCRIPTOR_OTHER);
	assert_int_equal(look(open("/dev/zero", O_RDONLY), DESCRIPTOR_ENDLESS).kind,
		DESCRIPTOR_ZEROS);
}

static void test_flags_are_read(void **state)
{
	(void)state;
	assert_true(descriptor_blocks("pos:\t0\nflags:\t0100002\nmnt_id:\t9\n"));
	assert_false(descriptor_blocks("pos:\t0\nflags:\t0104002\nmnt_id:\t9\n"));
	assert_false(descriptor_blocks(""));
}

/* --- a file system that lets a file be opened, and then never says anything ------ */

static void answer(int fd, const struct fuse_in_header *question)
{
	struct {
		struct fuse_out_header header;
		union {
			struct fuse_init_out init;
			struct fuse_entry_out entry;
			struct fuse_open_out open;
		};
	} reply;
	size_t length = 0;
	memset(&reply, 0, sizeof(reply));
	reply.header.unique = question->unique;
	switch (question->opcode) {
	case FUSE_INIT:
		reply.init.major = FUSE_KERNEL_VERSION;
		reply.init.minor = 31;
		reply.init.max_write = 4096;
		length = sizeof(reply.init);
		break;
	case FUSE_LOOKUP:
		reply.entry.nodeid = 2;
		reply.entry.attr.ino = 2;
		reply.entry.attr.mode = S_IFREG | 0600;
		reply.entry.attr.nlink = 1;
		length = sizeof(reply.entry);
		break;
	case FUSE_OPEN:
		length = sizeof(reply.open);
		break;
	default:
		return;
	}
	reply.header.len = (uint32_t)(sizeof(reply.header) + length);
	ssize_t ignored = write(fd, &reply, reply.header.len);
	(void)ignored;
}

static pid_t start_server(const char *directory)
{
	static _Alignas(struct fuse_in_header) char question[128 << 10];
	char options[80];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0",
		fd);
	/* In a mount namespace of our own, which ends with us. */
	if (fd < 0 || unshare(CLONE_NEWNS) != 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("unit-descriptor", directory, "fuse", 0, options) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(fd, question, sizeof(question)) > 0)
			answer(fd, (const struct fuse_in_header *)question);
		_exit(0);
	}
	close(fd);
	return pid;
}

static void test_a_file_system_is_not_asked(void **state)
{
	(void)state;
	char directory[] = "/tmp/unit-descriptorXXXXXX", path[sizeof(directory) + 5];
	assert_non_null(mkdtemp(directory));
	pid_t server = start_server(directory);
	if (server < 0) {
		rmdir(directory);
		skip();
	}
	snprintf(path, sizeof(path), "%s/file", directory);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	alarm(30); /* asking it would wait for ever */
	struct descriptor found = descriptor_look(getpid(), fd, (unsigned)ANYTHING);
	alarm(0);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(fd);
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	assert_int_equal(found.kind, DESCRIPTOR_FILE);
}

/* --- rings ----------------------------------------------------------------------- */

/* As Linux 6.18 prints it (io_uring/fdinfo.c). */
static void test_a_ring_says_what_has_come(void **state)
{
	(void)state;
	static const char *const lines[] = {"SqHead:\t4", "CQEs:\t2",
		"    0: user_data:7, res:-6, flag:0",
		"    1: user_data:8, res:0, flag:0"};
	struct ring_text ring = {0};
	assert_false(ring.has_counts);
	for (size_t i = 0; i < COUNT(lines); i++)
		ring_text_add(&ring, lines[i]);
	assert_true(ring.has_counts);
	assert_int_equal(ring.completions, 2);
	assert_false(ring.has_timeout);
	ring_text_add(&ring, "    2: user_data:9, res:-62, flag:0");
	assert_true(ring.has_timeout);
}

/* --- signals --------------------------------------------------------------------- */

static void test_signals_are_told_apart(void **state)
{
	(void)state;
	/* Pending: 17 (SIGCHLD) to the thread, 10 and 12 to the process, of which 12 is
	   blocked. Ignored: 10. Caught: 23 (SIGURG). */
	struct signals_waiting waiting = signals_waiting_parse(
		"Name:\tSigPnd:\nGroups:\t0 \nSigQ:\t0/1\nSigPnd:\t0000000000010000\n"
		"ShdPnd:\t0000000000000a00\nSigBlk:\t0000000000000800\n"
		"SigIgn:\t0000000000000200\nSigCgt:\t0000000000400000\nSeccomp:\t2\n");
	assert_int_equal(waiting.pending, 0x10200);
	assert_int_equal(waiting.pending & ~waiting.unheard, 0);
	assert_false(waiting.unheard >> (SIGURG - 1) & 1);
	assert_true(waiting.unheard >> (SIGWINCH - 1) & 1);
	assert_false(waiting.unheard >> (SIGTERM - 1) & 1);
	assert_true(waiting.filtered);

	waiting = signals_waiting_parse("Name:\tcut off here");
	assert_int_equal(waiting.unheard, 0);
	assert_int_not_equal(waiting.pending, 0);
	assert_true(waiting.filtered);
}

static void test_signals_of_this_process(void **state)
{
	(void)state;
	struct signals_waiting before = signals_waiting_look(getpid());
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, SIG_IGN);
	struct signals_waiting after = signals_waiting_look(getpid());
	assert_int_equal(before.pending, 0);
	assert_false(before.unheard >> (SIGUSR1 - 1) & 1);
	assert_int_equal(after.pending, 0);
	assert_true(after.unheard >> (SIGUSR1 - 1) & 1);
	signal(SIGUSR1, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets_are_told_apart),
		cmocka_unit_test(test_a_connection_that_failed_is_seen),
		cmocka_unit_test(test_devices_are_told_apart),
		cmocka_unit_test(test_pipes_are_found),
		cmocka_unit_test(test_what_is_nothing_of_the_kind),
		cmocka_unit_test(test_flags_are_read),
		cmocka_unit_test(test_a_file_system_is_not_asked),
		cmocka_unit_test(test_a_ring_says_what_has_come),
		cmocka_unit_test(test_signals_are_told_apart),
		cmocka_unit_test(test_signals_of_this_process),
	};
	return unit_run(tests);
}
