/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/worker.h"

#include "src/base/packet.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 1000, /* to wait for a worker that was told to end */
};

void worker_start(struct worker *worker, const struct worker_kind *kind)
{
	const char *const none[] = {NULL};
	worker_start_reading(worker, kind, none);
}

void worker_start_reading(
	struct worker *worker, const struct worker_kind *kind, const char *const *folders)
{
	int pair[2];
	pid_t self = getpid();
	worker->socket = -1;
	worker->child = -1;
	worker->length = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	worker->child = fork();
	if (worker->child == 0)
		worker_main(kind, pair[1], self, folders);
	close(pair[1]);
	if (worker->child > 0)
		worker->socket = pair[0];
	else
		close(pair[0]);
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

void worker_dismiss(struct worker *worker)
{
	if (worker->socket >= 0)
		close(worker->socket);
	worker->socket = -1;
	worker->length = 0;
}

void worker_stop(struct worker *worker)
{
	worker_dismiss(worker);
	if (worker->child > 0)
		end_child(worker->child);
	worker->child = -1;
}

bool worker_send(struct worker *worker, const void *head, size_t head_length,
	const void *body, size_t body_length, int fd)
{
	if (worker->socket < 0)
		return false;
	bool sent = packet_send(
		worker->socket, PACKET_AT_ONCE, head, head_length, body, body_length, fd);
	if (!sent && errno != EAGAIN)
		worker_dismiss(worker);
	return sent;
}

bool worker_receive(struct worker *worker)
{
	ssize_t length;
	if (worker->socket < 0)
		return false;
	do
		length = recv(worker->socket, worker->packet, sizeof(worker->packet),
			MSG_DONTWAIT);
	while (length < 0 && errno == EINTR);
	if (length == 0 || (length < 0 && errno != EAGAIN))
		worker_dismiss(worker);
	worker->length = length > 0 ? (size_t)length : 0;
	return length > 0;
}
