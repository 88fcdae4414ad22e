/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/line-reader.h"

#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/elf/elf-lines.h"
#include "src/names/line-worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 1000, /* to wait for a child that was told to end */
};

struct line_reader {
	int socket; /* -1: there is no child, or it is not listened to */
	pid_t child;
	uint64_t cpu_ns; /* CPU time of the current child, as it last reported */
	size_t packet_length, packet_taken;
	char packet[LINE_WIRE_PACKET_MAX];
};

struct line_reader *line_reader_create(void)
{
	struct line_reader *reader = mem_zalloc(sizeof(*reader));
	int pair[2];
	pid_t self = getpid();
	reader->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return reader;
	reader->child = fork();
	if (reader->child == 0)
		line_worker_main(pair[1], self);
	close(pair[1]);
	if (reader->child > 0)
		reader->socket = pair[0];
	else
		close(pair[0]);
	return reader;
}

/* CHILD ends its own child and waits for it, so that no zombie is left to an init that
   does not reap, as in some containers. If it does not end in time, both are killed. */
static void end_child(pid_t child)
{
	int pidfd = pidfd_open(child, 0);
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	kill(child, SIGTERM);
	kill(child, SIGCONT); /* if somebody stopped it */
	if (pidfd < 0 || poll(&ended, 1, PATIENCE_MS) != 1) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	if (pidfd >= 0)
		close(pidfd);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void stop_listening(struct line_reader *reader)
{
	if (reader->socket >= 0)
		close(reader->socket);
	reader->socket = -1;
	reader->packet_length = reader->packet_taken = 0;
}

void line_reader_destroy(struct line_reader *reader)
{
	if (!reader)
		return;
	stop_listening(reader);
	if (reader->child > 0)
		end_child(reader->child);
	free(reader);
}

int line_reader_fd(const struct line_reader *reader)
{
	return reader->socket;
}

bool line_reader_send(
	struct line_reader *reader, const struct line_request *request, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS}};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	struct iovec part = {
		.iov_base = (void *)(uintptr_t)request, .iov_len = sizeof(*request)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
	}
	if (reader->socket < 0)
		return false;
	ssize_t length;
	do
		length = sendmsg(reader->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (length < 0 && errno == EINTR);
	if (length < 0 && errno != EAGAIN)
		stop_listening(reader);
	return length > 0;
}

static bool receive_packet(struct line_reader *reader)
{
	ssize_t length;
	if (reader->socket < 0)
		return false;
	do
		length = recv(reader->socket, reader->packet, sizeof(reader->packet),
			MSG_DONTWAIT);
	while (length < 0 && errno == EINTR);
	if (length == 0 || (length < 0 && errno != EAGAIN))
		stop_listening(reader);
	reader->packet_length = length > 0 ? (size_t)length : 0;
	reader->packet_taken = 0;
	return length > 0;
}

static bool is_sane(const struct line_reply *reply, size_t text_length)
{
	return reply->kind <= LINE_REPLY_ANEW && reply->left < LINE_FRAMES_MAX &&
	       reply->name_length <= LINE_WIRE_NAME_MAX &&
	       reply->file_length <= LINE_WIRE_FILE_MAX &&
	       reply->name_length + reply->file_length <= text_length;
}

static void count_cpu(struct line_reader *reader, const struct line_reply *reply)
{
	if (reply->cpu_ns > reader->cpu_ns)
		own_cpu_add(reply->cpu_ns - reader->cpu_ns);
	reader->cpu_ns = reply->cpu_ns; /* that of a new child is 0 */
}

bool line_reader_receive(
	struct line_reader *reader, struct line_reply *reply, const char **text)
{
	if (reader->packet_taken == reader->packet_length && !receive_packet(reader))
		return false;
	const char *packet = reader->packet + reader->packet_taken;
	size_t left = reader->packet_length - reader->packet_taken;
	if (left >= sizeof(*reply))
		memcpy(reply, packet, sizeof(*reply));
	if (left < sizeof(*reply) || !is_sane(reply, left - sizeof(*reply))) {
		stop_listening(reader);
		return false;
	}
	*text = packet + sizeof(*reply);
	reader->packet_taken += sizeof(*reply) + reply->name_length + reply->file_length;
	count_cpu(reader, reply);
	return true;
}
