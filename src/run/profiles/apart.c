/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/apart.h"

#include "src/base/input-file.h"
#include "src/base/packet.h"
#include "src/count/import/recording-stream.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 1000, /* for its end, when it speaks no more */
};

bool apart_begin(struct apart *apart, size_t most_bytes, struct error *err)
{
	int pair[2];
	char most[24];
	*apart = (struct apart){
		.most_bytes = most_bytes, .socket = -1, .name = "the profile"};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return error_errno(err, errno, "cannot open a socket");
	snprintf(most, sizeof(most), "%zu", most_bytes);
	apart->child = own_process_begin(apart_kind.name, most, &pair[1], 1);
	int errnum = errno;
	close(pair[1]);
	apart->socket = pair[0];
	return apart->child > 0 ||
	       error_errno(err, errnum, "cannot start the process that reads profiles");
}

/* Returns its status, as of waitpid. */
static int end(struct apart *apart)
{
	if (apart->socket >= 0)
		close(apart->socket);
	apart->socket = -1;
	if (apart->child <= 0)
		return 0;
	int status = own_process_end(apart->child);
	apart->child = 0;
	return status;
}

void apart_end(struct apart *apart)
{
	end(apart);
}

/* It has ended, and is to be reaped. */
static bool tell_end(struct apart *apart, struct error *err)
{
	if (apart->socket < 0)
		return error_set(
			err, "%s: the process that reads it has ended", apart->name);
	/* What we do to it below is not told as its own end. */
	struct pollfd ended = {.fd = pidfd_open(apart->child, 0), .events = POLLIN};
	if (ended.fd >= 0) {
		poll(&ended, 1, PATIENCE_MS);
		close(ended.fd);
	}
	int status = end(apart);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return error_set(err, "%s: the process that reads it has died of %s",
			apart->name, strsignal(WTERMSIG(status)));
	return error_set(err,
		"%s: the process that reads it was ended: it needs more than %d MiB of "
		"memory, or %d minutes of CPU time",
		apart->name, APART_MEMORY_MIB, APART_CPU_S / 60);
}

static bool tell_wrong(struct apart *apart, const char *what, struct error *err)
{
	end(apart);
	return error_set(err, "%s: the process that reads it does not obey: %s",
		apart->name, what);
}

static bool order(struct apart *apart, enum apart_order kind, int fd, struct error *err)
{
	struct apart_order_packet packet = {.order = kind};
	snprintf(packet.name, sizeof(packet.name), "%s", apart->name);
	return packet_send(apart->socket, PACKET_WAIT, &packet, sizeof(packet), NULL, 0,
		       fd) ||
	       tell_end(apart, err);
}

static ssize_t receive(const struct apart *apart, void *bytes, size_t size)
{
	ssize_t got;
	do
		got = recv(apart->socket, bytes, size, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

static enum apart_added add(
	struct apart *apart, enum apart_order kind, const char *path, struct error *err)
{
	struct apart_answer answer;
	int fd = input_file_descriptor(path, err);
	if (fd < 0)
		return kind == ORDER_READ_FOUND ? APART_LEFT_OUT : APART_FAILED;
	apart->name = input_file_name_of(path);
	bool ordered = order(apart, kind, fd, err);
	close(fd);
	if (!ordered)
		return APART_FAILED;
	ssize_t got = receive(apart, &answer, sizeof(answer));
	if (got <= 0)
		tell_end(apart, err);
	else if (got != (ssize_t)sizeof(answer) || answer.added > APART_FAILED ||
		 !memchr(answer.why.text, '\0', sizeof(answer.why.text)))
		tell_wrong(apart, "its answer", err);
	else if (answer.added == APART_ADDED)
		return APART_ADDED;
	else
		error_set(err, "%s", answer.why.text);
	return apart->socket >= 0 ? answer.added : APART_FAILED;
}

bool apart_add(struct apart *apart, const char *path, struct error *err)
{
	return add(apart, ORDER_READ, path, err) == APART_ADDED;
}

enum apart_added apart_add_found(struct apart *apart, const char *path, struct error *err)
{
	return add(apart, ORDER_READ_FOUND, path, err);
}

bool apart_is_profile(struct apart *apart, const char *path)
{
	return add(apart, ORDER_LOOK, path, NULL) == APART_ADDED;
}

/* --- what it has read ------------------------------------------------------------------ */

struct listener {
	const struct apart *apart;
	size_t at, length;
	bool has_ended;
	char packet[APART_PACKET_BYTES];
};

static bool pass_from(void *context, void *bytes, size_t length)
{
	struct listener *listener = context;
	for (char *to = bytes; length > 0;) {
		if (listener->at == listener->length) {
			ssize_t got = receive(listener->apart, listener->packet,
				sizeof(listener->packet));
			listener->has_ended = got <= 0;
			if (got <= 0)
				return false;
			listener->at = 0;
			listener->length = (size_t)got;
		}
		size_t part = listener->length - listener->at;
		part = part < length ? part : length;
		memcpy(to, listener->packet + listener->at, part);
		listener->at += part;
		to += part;
		length -= part;
	}
	return true;
}

bool apart_take(struct apart *apart, struct recording *recording, struct error *err)
{
	struct listener listener = {.apart = apart};
	const struct recording_stream stream = {pass_from, &listener};
	recording_init(recording);
	recording->most_bytes = apart->most_bytes;
	if (!order(apart, ORDER_TAKE, -1, err))
		return false;
	const char *wrong = recording_take(recording, &stream);
	if (!wrong && listener.at == listener.length)
		return true;
	if (listener.has_ended)
		return tell_end(apart, err);
	return tell_wrong(apart, wrong ? wrong : "what it says after the end", err);
}
