/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole-calls-peer.h"

#include "whole-calls.h"
#include "work.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static unsigned char buffer[FILE_SENT];

/* MODULUS: the stream begins anew after so many bytes; 0: never. Slow: it sleeps after
   every 64 KB. */
static void run_reader(int fd, uint64_t modulus, bool slow, _Atomic uint64_t *wrong)
{
	uint64_t position = 0;
	for (;;) {
		size_t most = slow ? 64 << 10 : sizeof(buffer);
		if (slow)
			work_sleep_ns(20 * MS);
		if (modulus && most > modulus - position)
			most = modulus - position;
		ssize_t got = read(fd, buffer, most);
		if (got <= 0)
			return;
		*wrong += !stream_is(buffer, position, (size_t)got);
		position += (uint64_t)got;
		position = modulus ? position % modulus : position;
	}
}

static void run_writer(int fd)
{
	for (uint64_t position = 0;;) {
		stream_fill(buffer, position, SENT_TO_TERMINAL);
		ssize_t put = write(fd, buffer, SENT_TO_TERMINAL);
		if (put <= 0)
			return;
		position += (uint64_t)put;
	}
}

/* Each message of SENT bytes comes with a descriptor, which is received with its first
   bytes, perhaps after the last ones of the message before. */
static void run_descriptor_reader(int fd, _Atomic uint64_t *wrong)
{
	for (uint64_t position = 0, passed = 0;;) {
		_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
		struct iovec piece = {buffer, sizeof(buffer)};
		struct msghdr message = {.msg_iov = &piece,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};
		ssize_t got = recvmsg(fd, &message, 0);
		if (got <= 0)
			return;
		bool same = stream_is(buffer, position, (size_t)got);
		position += (uint64_t)got;
		if (CMSG_FIRSTHDR(&message)) {
			int one;
			memcpy(&one, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(one));
			close(one);
			passed++;
		}
		*wrong += !same || passed != (position + SENT - 1) / SENT;
	}
}

static void run_message_reader(int fd, _Atomic uint64_t *wrong)
{
	for (uint64_t position = 0;; position += MESSAGE_BYTES) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
		*wrong += got != MESSAGE_BYTES ||
			  !stream_is(buffer, position, MESSAGE_BYTES);
	}
}

static void run_message_writer(int fd)
{
	for (uint64_t position = 0;; position += MESSAGE_BYTES) {
		stream_fill(buffer, position, MESSAGE_BYTES);
		if (send(fd, buffer, MESSAGE_BYTES, 0) <= 0)
			return;
	}
}

/* Writes what is short by nature: the next ones only when the last were taken. */
static void run_little_by_little(int fd)
{
	char byte;
	for (uint64_t position = 0;; position += ORDINARY) {
		stream_fill(buffer, position, ORDINARY);
		if (write(fd, buffer, ORDINARY) <= 0 || read(fd, &byte, 1) <= 0)
			return;
	}
}

static void run_peer(enum peer what, int fd, _Atomic uint64_t *wrong)
{
	switch (what) {
	case READS:
		run_reader(fd, 0, false, wrong);
		break;
	case READS_SLOWLY:
		run_reader(fd, 0, true, wrong);
		break;
	case READS_FILE:
		run_reader(fd, FILE_SENT, false, wrong);
		break;
	case READS_DESCRIPTORS:
		run_descriptor_reader(fd, wrong);
		break;
	case READS_MESSAGES:
		run_message_reader(fd, wrong);
		break;
	case WRITES:
		run_writer(fd);
		break;
	case WRITES_MESSAGES:
		run_message_writer(fd);
		break;
	case WRITES_LITTLE:
		run_little_by_little(fd);
		break;
	}
}

/* Have another process do WHAT with THEIRS, for as long as we live. */
static bool start_peer(struct stream *stream, int ours, int theirs, enum peer what)
{
	pid_t us = getpid();
	stream->fd = ours;
	stream->wrong = mmap(NULL, sizeof(*stream->wrong), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ours < 0 || theirs < 0 || stream->wrong == MAP_FAILED)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGTERM, SIG_DFL);
		if (getppid() == us)
			run_peer(what, theirs, stream->wrong);
		_exit(0);
	}
	close(theirs);
	return pid > 0;
}

/* --- what lies between ----------------------------------------------------------- */

bool peer_on_pipe(struct stream *stream, enum peer what)
{
	int ends[2];
	return pipe2(ends, O_CLOEXEC) == 0 && start_peer(stream, ends[1], ends[0], what);
}

bool peer_on_fifo(struct stream *stream, enum peer what)
{
	char path[] = "/tmp/whole-callsXXXXXX";
	close(mkstemp(path));
	unlink(path);
	if (mkfifo(path, 0600) != 0)
		return false;
	int theirs = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int ours = open(path, O_WRONLY | O_CLOEXEC);
	unlink(path);
	fcntl(theirs, F_SETFL, 0);
	return start_peer(stream, ours, theirs, what);
}

bool peer_on_terminal(struct stream *stream, enum peer what)
{
	int theirs = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (theirs < 0 || grantpt(theirs) != 0 || unlockpt(theirs) != 0)
		return false;
	int ours = open(ptsname(theirs), O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;
	if (tcgetattr(ours, &raw) != 0)
		return false;
	cfmakeraw(&raw);
	return tcsetattr(ours, TCSANOW, &raw) == 0 &&
	       start_peer(stream, ours, theirs, what);
}

bool peer_on_unix(struct stream *stream, int type, enum peer what)
{
	int ends[2];
	return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0 &&
	       start_peer(stream, ends[0], ends[1], what);
}

bool peer_on_tcp(struct stream *stream, enum peer what)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ours = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&here, length) != 0 ||
		listen(listener, 1) != 0 ||
		getsockname(listener, (struct sockaddr *)&here, &length) != 0 ||
		connect(ours, (struct sockaddr *)&here, length) != 0)
		return false;
	int theirs = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	return start_peer(stream, ours, theirs, what);
}
