/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that another process reads from or writes to: pipes, terminals, sockets. It knows
   what each byte has to be. */

#include "whole-calls.h"

#include "work.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

enum {
	SENT = 1 << 20,
	SENT_TO_TERMINAL = 128 << 10,
	RECEIVED = 256 << 10,
	FILE_SENT = 4 << 20,
	MESSAGES = 64,
	MESSAGE_BYTES = 1024,
	ORDINARY = 4096,
};

static unsigned char buffer[FILE_SENT];

/* One end of a stream, of which another process has the other. */
struct stream {
	int fd;
	uint64_t position;
	_Atomic uint64_t *wrong; /* what that process found */
};

/* --- the other process
 * ------------------------------------------------------------------- */

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

enum other {
	READS,
	READS_SLOWLY,
	READS_FILE,
	READS_DESCRIPTORS,
	READS_MESSAGES,
	WRITES,
	WRITES_MESSAGES,
	WRITES_LITTLE,
};

static void run_other(enum other what, int fd, _Atomic uint64_t *wrong)
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
static bool start_other(struct stream *stream, int ours, int theirs, enum other what)
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
			run_other(what, theirs, stream->wrong);
		_exit(0);
	}
	close(theirs);
	return pid > 0;
}

/* --- what lies between
 * ------------------------------------------------------------------- */

static bool start_on_pipe(struct stream *stream, enum other what)
{
	int ends[2];
	return pipe2(ends, O_CLOEXEC) == 0 && start_other(stream, ends[1], ends[0], what);
}

static bool start_on_fifo(struct stream *stream)
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
	return start_other(stream, ours, theirs, READS);
}

static bool start_on_terminal(struct stream *stream)
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
	       start_other(stream, ours, theirs, READS);
}

static bool start_on_unix(struct stream *stream, int type, enum other what)
{
	int ends[2];
	return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0 &&
	       start_other(stream, ends[0], ends[1], what);
}

static bool start_on_tcp(struct stream *stream, enum other what)
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
	return start_other(stream, ours, theirs, what);
}

/* --- sending
 * ----------------------------------------------------------------------------- */

static enum whole_outcome sent(struct stream *stream, long result, long asked)
{
	stream->position += result > 0 ? (uint64_t)result : 0;
	return whole_judge(result, asked, true);
}

static enum whole_outcome do_write(struct stream *stream, long bytes)
{
	stream_fill(buffer, stream->position, (size_t)bytes);
	return sent(
		stream, call(SYS_write, stream->fd, (long)buffer, bytes, 0, 0, 0), bytes);
}

static enum whole_outcome do_writev(struct stream *stream)
{
	struct iovec pieces[PIECES];
	stream_fill(buffer, stream->position, SENT);
	whole_cut_up(pieces, buffer, SENT);
	return sent(stream, call(SYS_writev, stream->fd, (long)pieces, PIECES, 0, 0, 0),
		SENT);
}

static enum whole_outcome do_send(struct stream *stream)
{
	stream_fill(buffer, stream->position, SENT);
	return sent(stream,
		call(SYS_sendto, stream->fd, (long)buffer, SENT, MSG_NOSIGNAL, 0, 0),
		SENT);
}

static enum whole_outcome do_sendmsg(struct stream *stream)
{
	struct iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = PIECES};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &stream->fd, sizeof(int));
	stream_fill(buffer, stream->position, SENT);
	whole_cut_up(pieces, buffer, SENT);
	long result = call(SYS_sendmsg, stream->fd, (long)&message, 0, 0, 0, 0);
	/* The other process counts in messages. */
	for (long rest = result > 0 ? result : 0; rest < SENT;) {
		ssize_t put = write(stream->fd, buffer + rest, (size_t)(SENT - rest));
		rest += put > 0 ? put : 0;
	}
	stream->position += SENT;
	return whole_judge(result, SENT, true);
}

static int sent_fd = -1;

static bool make_sent_file(void)
{
	sent_fd = memfd_create("sent", MFD_CLOEXEC);
	stream_fill(buffer, 0, FILE_SENT);
	return sent_fd >= 0 && write(sent_fd, buffer, FILE_SENT) == FILE_SENT;
}

static enum whole_outcome do_sendfile(struct stream *stream)
{
	off_t offset = (off_t)(stream->position % FILE_SENT), began = offset;
	long asked = FILE_SENT - offset;
	long result = call(SYS_sendfile, stream->fd, sent_fd, (long)&offset, asked, 0, 0);
	bool good = result < 0 || offset == began + result;
	sent(stream, result, asked);
	return whole_judge(result, asked, good);
}

/* --- receiving
 * --------------------------------------------------------------------------- */

static enum whole_outcome received(struct stream *stream, long result, long asked)
{
	bool good = result < 0 || stream_is(buffer, stream->position, (size_t)result);
	stream->position += result > 0 ? (uint64_t)result : 0;
	return whole_judge(result, asked, good);
}

static enum whole_outcome do_recv(struct stream *stream)
{
	return received(stream,
		call(SYS_recvfrom, stream->fd, (long)buffer, RECEIVED, MSG_WAITALL, 0, 0),
		RECEIVED);
}

static enum whole_outcome do_recvmsg(struct stream *stream)
{
	struct iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = PIECES};
	whole_cut_up(pieces, buffer, RECEIVED);
	return received(stream,
		call(SYS_recvmsg, stream->fd, (long)&message, MSG_WAITALL, 0, 0, 0),
		RECEIVED);
}

/* --- many messages at once
 * --------------------------------------------------------------- */

static struct mmsghdr messages[MESSAGES];
static struct iovec message_pieces[MESSAGES];

static void prepare_messages(void)
{
	for (size_t i = 0; i < MESSAGES; i++) {
		message_pieces[i].iov_base = buffer + i * MESSAGE_BYTES;
		message_pieces[i].iov_len = MESSAGE_BYTES;
		messages[i] = (struct mmsghdr){
			.msg_hdr = {.msg_iov = &message_pieces[i], .msg_iovlen = 1}};
	}
}

static bool have_their_length(long count)
{
	for (long i = 0; i < count; i++)
		if (messages[i].msg_len != MESSAGE_BYTES)
			return false;
	return true;
}

static enum whole_outcome do_sendmmsg(struct stream *stream)
{
	prepare_messages();
	stream_fill(buffer, stream->position, (size_t)MESSAGES * MESSAGE_BYTES);
	long result = call(SYS_sendmmsg, stream->fd, (long)messages, MESSAGES, 0, 0, 0);
	sent(stream, result * MESSAGE_BYTES, MESSAGES);
	return whole_judge(result, MESSAGES, have_their_length(result));
}

static enum whole_outcome do_recvmmsg(struct stream *stream)
{
	prepare_messages();
	long result = call(SYS_recvmmsg, stream->fd, (long)messages, MESSAGES, 0, 0, 0);
	bool good = have_their_length(result);
	received(stream, result * MESSAGE_BYTES, MESSAGES);
	return whole_judge(result, MESSAGES, good);
}

/* --- short by nature
 * --------------------------------------------------------------------- */

static enum whole_outcome do_read_little(struct stream *stream)
{
	long result = call(SYS_read, stream->fd, (long)buffer, SENT, 0, 0, 0);
	enum whole_outcome outcome = received(stream, result, ORDINARY);
	return write(stream->fd, "", 1) == 1 ? outcome : WHOLE_WRONG;
}

/* The other side has closed after a little. */
static enum whole_outcome do_recv_closed(struct stream *unused)
{
	int ends[2];
	(void)unused;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return WHOLE_FAILED;
	stream_fill(buffer, 0, ORDINARY);
	ssize_t put = write(ends[1], buffer, ORDINARY);
	close(ends[1]);
	long result = call(SYS_recvfrom, ends[0], (long)buffer, SENT, MSG_WAITALL, 0, 0);
	close(ends[0]);
	return whole_judge(result, put, stream_is(buffer, 0, ORDINARY));
}

/* Nobody else reads it: a call that waited would wait for ever. */
static enum whole_outcome do_write_nonblocking(struct stream *stream)
{
	stream_fill(buffer, 0, SENT);
	long result = call(SYS_write, stream->fd, (long)buffer, SENT, 0, 0, 0);
	return whole_judge(
		result, 64 << 10, read((int)stream->position, buffer, SENT) == result);
}

static bool make_nonblocking(struct stream *stream)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	stream->fd = ends[1];
	stream->position = (uint64_t)ends[0];
	return true;
}

static bool make_nothing(struct stream *unused)
{
	(void)unused;
	return true;
}

/* --- the cases
 * --------------------------------------------------------------------------- */

/* CASE(NAME, PREPARE, ENTER): its functions, on a stream of its own. */
#define CASE(name, prepare, enter)                   \
	static struct stream stream_##name;          \
	static bool prepare_##name(void)             \
	{                                            \
		struct stream *s = &stream_##name;   \
		return prepare;                      \
	}                                            \
	static enum whole_outcome enter_##name(void) \
	{                                            \
		struct stream *s = &stream_##name;   \
		return enter;                        \
	}

CASE(write_pipe, start_on_pipe(s, READS), do_write(s, SENT))
CASE(writev_pipe, start_on_pipe(s, READS), do_writev(s))
CASE(write_fifo, start_on_fifo(s), do_write(s, SENT))
CASE(write_terminal, start_on_terminal(s), do_write(s, SENT_TO_TERMINAL))
CASE(write_unix, start_on_unix(s, SOCK_STREAM, READS), do_write(s, SENT))
CASE(writev_unix, start_on_unix(s, SOCK_STREAM, READS), do_writev(s))
CASE(send_unix, start_on_unix(s, SOCK_STREAM, READS), do_send(s))
CASE(sendmsg_unix, start_on_unix(s, SOCK_STREAM, READS_DESCRIPTORS), do_sendmsg(s))
CASE(write_tcp, start_on_tcp(s, READS), do_write(s, SENT))
CASE(writev_tcp, start_on_tcp(s, READS), do_writev(s))
CASE(sendfile_tcp, make_sent_file() && start_on_tcp(s, READS_FILE), do_sendfile(s))
CASE(recv_unix, start_on_unix(s, SOCK_STREAM, WRITES), do_recv(s))
CASE(recvmsg_unix, start_on_unix(s, SOCK_STREAM, WRITES), do_recvmsg(s))
CASE(recv_tcp, start_on_tcp(s, WRITES), do_recv(s))
CASE(sendmmsg, start_on_unix(s, SOCK_DGRAM, READS_MESSAGES), do_sendmmsg(s))
CASE(recvmmsg, start_on_unix(s, SOCK_DGRAM, WRITES_MESSAGES), do_recvmmsg(s))
CASE(ordinary_read, start_on_unix(s, SOCK_STREAM, WRITES_LITTLE), do_read_little(s))
CASE(ordinary_closed, make_nothing(s), do_recv_closed(s))
CASE(ordinary_nonblocking, make_nonblocking(s), do_write_nonblocking(s))

/* Its calls wait most of the time. */
CASE(slow_pipe, start_on_pipe(s, READS_SLOWLY), do_write(s, SENT))

#define LIST(text, name)                                                        \
	{                                                                       \
		text, prepare_##name, enter_##name, &stream_##name.wrong, false \
	}
#define ALONE(text, name)                                       \
	{                                                       \
		text, prepare_##name, enter_##name, NULL, false \
	}
#define BY_NAME(text, name)                                                    \
	{                                                                      \
		text, prepare_##name, enter_##name, &stream_##name.wrong, true \
	}

const struct whole_case whole_streams[] = {
	LIST("write-pipe", write_pipe),
	LIST("writev-pipe", writev_pipe),
	LIST("write-fifo", write_fifo),
	LIST("write-terminal", write_terminal),
	LIST("write-unix", write_unix),
	LIST("writev-unix", writev_unix),
	LIST("send-unix", send_unix),
	LIST("sendmsg-unix", sendmsg_unix),
	LIST("write-tcp", write_tcp),
	LIST("writev-tcp", writev_tcp),
	LIST("sendfile-tcp", sendfile_tcp),
	LIST("recv-unix", recv_unix),
	LIST("recvmsg-unix", recvmsg_unix),
	LIST("recv-tcp", recv_tcp),
	LIST("sendmmsg", sendmmsg),
	LIST("recvmmsg", recvmmsg),
	LIST("ordinary-read", ordinary_read),
	ALONE("ordinary-closed", ordinary_closed),
	ALONE("ordinary-nonblocking", ordinary_nonblocking),
	BY_NAME("slow-pipe", slow_pipe),
};
const size_t whole_streams_count = sizeof(whole_streams) / sizeof(*whole_streams);
