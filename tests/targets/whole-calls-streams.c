/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that another process reads from or writes to: pipes, terminals, sockets. */

#include "whole-calls-peer.h"
#include "whole-calls.h"
#include "work.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	RECEIVED = 256 << 10,
	MESSAGES = 64,
};

static unsigned char buffer[FILE_SENT];

/* --- sending --------------------------------------------------------------------- */

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

static enum whole_outcome do_pwritev2(struct stream *stream)
{
	struct iovec pieces[PIECES];
	stream_fill(buffer, stream->position, SENT);
	whole_cut_up(pieces, buffer, SENT);
	return sent(stream,
		call(SYS_pwritev2, stream->fd, (long)pieces, PIECES, -1, -1, 0), SENT);
}

/* What a pipe holds, to the socket; more is asked for. */
static int spliced[2];

static enum whole_outcome do_splice(struct stream *stream)
{
	stream_fill(buffer, stream->position, SENT);
	for (long have = 0; have < SENT;) {
		ssize_t put = write(spliced[1], buffer + have, (size_t)(SENT - have));
		have += put > 0 ? put : 0;
	}
	long result = call(SYS_splice, spliced[0], 0, stream->fd, 0, 2 * (long)SENT, 0);
	sent(stream, result, SENT);
	for (long rest = SENT - (result > 0 ? result : 0); rest > 0;) {
		ssize_t got = read(spliced[0], buffer, (size_t)rest);
		rest -= got > 0 ? got : 0;
	}
	return whole_judge(result, SENT, true);
}

static bool make_spliced(void)
{
	return (spliced[0] || pipe2(spliced, O_CLOEXEC) == 0) &&
	       fcntl(spliced[0], F_SETPIPE_SZ, SENT) == SENT;
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

/* --- receiving ------------------------------------------------------------------- */

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

/* --- many messages at once ------------------------------------------------------- */

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

static enum whole_outcome do_recvmmsg(struct stream *stream, struct timespec *limit)
{
	prepare_messages();
	long result = call(
		SYS_recvmmsg, stream->fd, (long)messages, MESSAGES, 0, (long)limit, 0);
	bool good = have_their_length(result);
	received(stream, result * MESSAGE_BYTES, MESSAGES);
	return whole_judge(result, MESSAGES, good);
}

/* --- short by nature ------------------------------------------------------------- */

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

/* --- the cases ------------------------------------------------------------------- */

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

CASE(write_pipe, peer_on_pipe(s, READS), do_write(s, SENT))
CASE(writev_pipe, peer_on_pipe(s, READS), do_writev(s))
CASE(write_fifo, peer_on_fifo(s, READS), do_write(s, SENT))
CASE(write_terminal, peer_on_terminal(s, READS), do_write(s, SENT_TO_TERMINAL))
CASE(write_unix, peer_on_unix(s, SOCK_STREAM, READS), do_write(s, SENT))
CASE(writev_unix, peer_on_unix(s, SOCK_STREAM, READS), do_writev(s))
CASE(send_unix, peer_on_unix(s, SOCK_STREAM, READS), do_send(s))
CASE(sendmsg_unix, peer_on_unix(s, SOCK_STREAM, READS_DESCRIPTORS), do_sendmsg(s))
CASE(write_tcp, peer_on_tcp(s, READS), do_write(s, SENT))
CASE(writev_tcp, peer_on_tcp(s, READS), do_writev(s))
CASE(sendfile_tcp, make_sent_file() && peer_on_tcp(s, READS_FILE), do_sendfile(s))
CASE(recv_unix, peer_on_unix(s, SOCK_STREAM, WRITES), do_recv(s))
CASE(recvmsg_unix, peer_on_unix(s, SOCK_STREAM, WRITES), do_recvmsg(s))
CASE(recv_tcp, peer_on_tcp(s, WRITES), do_recv(s))
CASE(sendmmsg, peer_on_unix(s, SOCK_DGRAM, READS_MESSAGES), do_sendmmsg(s))
CASE(recvmmsg, peer_on_unix(s, SOCK_DGRAM, WRITES_MESSAGES), do_recvmmsg(s, NULL))
CASE(recvmmsg_timed, peer_on_unix(s, SOCK_DGRAM, WRITES_MESSAGES),
	do_recvmmsg(s, &(struct timespec){.tv_sec = 1000}))
CASE(pwritev2_pipe, peer_on_pipe(s, READS), do_pwritev2(s))
CASE(pwritev2_unix, peer_on_unix(s, SOCK_STREAM, READS), do_pwritev2(s))
CASE(sendfile_unix, make_sent_file() && peer_on_unix(s, SOCK_STREAM, READS_FILE),
	do_sendfile(s))
CASE(splice_unix, make_spliced() && peer_on_unix(s, SOCK_STREAM, READS), do_splice(s))
CASE(splice_tcp, make_spliced() && peer_on_tcp(s, READS), do_splice(s))
CASE(ordinary_read, peer_on_unix(s, SOCK_STREAM, WRITES_LITTLE), do_read_little(s))
CASE(ordinary_closed, make_nothing(s), do_recv_closed(s))
CASE(ordinary_nonblocking, make_nonblocking(s), do_write_nonblocking(s))

/* Its calls wait most of the time. */
CASE(slow_pipe, peer_on_pipe(s, READS_SLOWLY), do_write(s, SENT))

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
	LIST("recvmmsg-timed", recvmmsg_timed),
	LIST("pwritev2-pipe", pwritev2_pipe),
	BY_NAME("pwritev2-unix", pwritev2_unix),
	BY_NAME("sendfile-unix", sendfile_unix),
	LIST("splice-unix", splice_unix),
	BY_NAME("splice-tcp", splice_tcp),
	LIST("ordinary-read", ordinary_read),
	ALONE("ordinary-closed", ordinary_closed),
	ALONE("ordinary-nonblocking", ordinary_nonblocking),
	BY_NAME("slow-pipe", slow_pipe),
};
const size_t whole_streams_count = sizeof(whole_streams) / sizeof(*whole_streams);
