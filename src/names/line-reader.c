/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/line-reader.h"

#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/base/vec.h"
#include "src/names/line-wire.h"
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
	TRIES = 2,	    /* the child may have died of something else */
};

enum file_state {
	FILE_NEW,
	FILE_GIVEN, /* the child has its descriptor */
	FILE_USELESS,
};

struct line_reader {
	int socket; /* -1: there is no child */
	pid_t child;
	struct line_reader_question questions[LINE_READER_QUESTIONS_MAX];
	size_t count, next; /* the questions, and the next one to be answered */
	uint64_t serial;    /* of the first of them */
	uint64_t cpu_ns;    /* CPU time of the current child, as it last reported */
	unsigned deaths;
	VEC(enum file_state) files;
	size_t packet_length, packet_taken;
	char packet[LINE_WIRE_PACKET_MAX];
	char texts[LINE_FRAMES_MAX][LINE_WIRE_NAME_MAX + LINE_WIRE_FILE_MAX + 2];
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

void line_reader_destroy(struct line_reader *reader)
{
	if (!reader)
		return;
	if (reader->socket >= 0) {
		close(reader->socket);
		end_child(reader->child);
	}
	vec_free(&reader->files);
	free(reader);
}

void line_reader_cancel(struct line_reader *reader)
{
	if (reader->socket >= 0)
		shutdown(reader->socket, SHUT_RDWR);
}

unsigned line_reader_deaths(const struct line_reader *reader)
{
	return reader->deaths;
}

/* --- packets ----------------------------------------------------------------------- */

static bool send_question(
	struct line_reader *reader, const struct line_question *question, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS}};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	struct iovec part = {
		.iov_base = (void *)(uintptr_t)question, .iov_len = sizeof(*question)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
	}
	ssize_t length;
	do
		length = sendmsg(reader->socket, &message, MSG_NOSIGNAL);
	while (length < 0 && errno == EINTR);
	return length > 0;
}

/* Wait for a packet. False if there will never be any. */
static bool receive_packet(struct line_reader *reader)
{
	ssize_t length;
	do
		length = recv(reader->socket, reader->packet, sizeof(reader->packet), 0);
	while (length < 0 && errno == EINTR);
	reader->packet_length = length > 0 ? (size_t)length : 0;
	reader->packet_taken = 0;
	return length > 0;
}

/* The next reply; *TEXT are its two texts, in the packet. The reply may be forged by the
   file: false if it makes no sense, or if there is none. */
static bool receive(
	struct line_reader *reader, struct line_reply *reply, const char **text)
{
	if (reader->packet_taken == reader->packet_length && !receive_packet(reader))
		return false;
	size_t left = reader->packet_length - reader->packet_taken;
	if (left < sizeof(*reply))
		return false;
	memcpy(reply, reader->packet + reader->packet_taken, sizeof(*reply));
	left -= sizeof(*reply);
	if (reply->kind > LINE_REPLY_ANEW || reply->left >= LINE_FRAMES_MAX ||
		reply->name_length > LINE_WIRE_NAME_MAX ||
		reply->file_length > LINE_WIRE_FILE_MAX ||
		reply->name_length + reply->file_length > left)
		return false;
	*text = reader->packet + reader->packet_taken + sizeof(*reply);
	reader->packet_taken += sizeof(*reply) + reply->name_length + reply->file_length;
	return true;
}

static void count_cpu(struct line_reader *reader, uint64_t cpu_ns)
{
	if (cpu_ns > reader->cpu_ns)
		own_cpu_add(cpu_ns - reader->cpu_ns);
	reader->cpu_ns = cpu_ns;
}

static void take_frame(struct line_reader *reader, const struct line_reply *reply,
	const char *text, struct line_frame *frame, size_t index)
{
	char *name = reader->texts[index], *file = name + reply->name_length + 1;
	memcpy(name, text, reply->name_length);
	name[reply->name_length] = '\0';
	memcpy(file, text + reply->name_length, reply->file_length);
	file[reply->file_length] = '\0';
	*frame = (struct line_frame){.name = name,
		.file = file,
		.line = reply->line,
		.start_line = reply->start_line};
}

/* --- questions --------------------------------------------------------------------- */

static enum file_state *state_of(struct line_reader *reader, uint32_t file)
{
	while (reader->files.len <= file)
		vec_push(&reader->files, FILE_NEW);
	return &reader->files.data[file];
}

static void send_one(struct line_reader *reader, size_t index)
{
	const struct line_reader_question *asked = &reader->questions[index];
	enum file_state *state = state_of(reader, asked->file);
	struct line_question question = {
		.serial = reader->serial + index,
		.vaddr = asked->vaddr,
		.file = asked->file,
		.trusted = asked->trusted,
		.in_hurry = asked->in_hurry,
	};
	if (*state == FILE_USELESS || reader->socket < 0)
		return;
	if (!send_question(reader, &question, *state == FILE_NEW ? asked->fd : -1))
		line_reader_cancel(reader); /* there would be no answer */
	*state = FILE_GIVEN;
}

/* Those that are not answered yet. */
static void send_rest(struct line_reader *reader)
{
	for (size_t i = reader->next; i < reader->count; i++)
		send_one(reader, i);
}

void line_reader_ask(struct line_reader *reader,
	const struct line_reader_question *questions, size_t count)
{
	memcpy(reader->questions, questions, count * sizeof(*questions));
	reader->serial += reader->count;
	reader->count = count;
	reader->next = 0;
	send_rest(reader);
}

/* --- answers ----------------------------------------------------------------------- */

enum outcome {
	OUTCOME_ANSWERED,
	OUTCOME_DIED, /* there is a new child, which has no files */
	OUTCOME_OVER, /* there is no child any more */
};

static void child_is_new(struct line_reader *reader)
{
	reader->cpu_ns = 0;
	vec_each (&reader->files, state)
		if (*state == FILE_GIVEN)
			*state = FILE_NEW;
}

static enum outcome receive_answer(struct line_reader *reader,
	struct line_frame frames[LINE_FRAMES_MAX], size_t *count, bool *useless)
{
	struct line_reply reply;
	const char *text;
	*count = 0;
	for (;;) {
		if (!receive(reader, &reply, &text))
			return OUTCOME_OVER;
		if (reply.kind == LINE_REPLY_ANEW) {
			child_is_new(reader);
			return OUTCOME_DIED;
		}
		if (reply.serial != reader->serial + reader->next)
			continue; /* from an earlier child */
		count_cpu(reader, reply.cpu_ns);
		*useless = reply.kind == LINE_REPLY_USELESS;
		if (reply.kind != LINE_REPLY_FRAME)
			return OUTCOME_ANSWERED;
		take_frame(reader, &reply, text, &frames[*count], *count);
		if (++*count == LINE_FRAMES_MAX || reply.left == 0)
			return OUTCOME_ANSWERED;
	}
}

/* Wait until the next question is answered, or has failed too often. */
static size_t wait_for_answer(struct line_reader *reader,
	struct line_frame frames[LINE_FRAMES_MAX], bool *useless)
{
	size_t count;
	for (int tries = 0; tries < TRIES; tries++) {
		switch (receive_answer(reader, frames, &count, useless)) {
		case OUTCOME_ANSWERED:
			return count;
		case OUTCOME_OVER:
			*useless = true;
			return 0;
		case OUTCOME_DIED:
			if (tries + 1 < TRIES)
				send_rest(reader);
			break;
		}
	}
	reader->deaths++;
	*useless = true;
	return 0;
}

size_t line_reader_answer(struct line_reader *reader,
	struct line_frame frames[LINE_FRAMES_MAX], bool *useless)
{
	unsigned deaths = reader->deaths;
	enum file_state *state = state_of(reader, reader->questions[reader->next].file);
	*useless = *state == FILE_USELESS || reader->socket < 0;
	size_t count = *useless ? 0 : wait_for_answer(reader, frames, useless);
	if (*useless)
		*state = FILE_USELESS;
	reader->next++;
	if (reader->deaths > deaths)
		send_rest(reader); /* the old child had them */
	return count;
}

void line_reader_rest(struct line_reader *reader)
{
	struct line_question rest = {.file = LINE_WIRE_REST};
	if (reader->socket >= 0)
		send_question(reader, &rest, -1);
}
