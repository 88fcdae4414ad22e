/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/worker.h"

#include "src/base/ask-opener.h"
#include "src/base/packet.h"
#include "src/base/worker/own-process.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void worker_init(struct worker *worker, const char *name, const char *argument)
{
	worker->name = name;
	worker->argument = argument;
	worker->socket = -1;
	worker->pid = 0;
	worker->is_over = false;
	worker->length = 0;
}

static void end(struct worker *worker)
{
	if (worker->socket >= 0)
		close(worker->socket);
	if (worker->pid > 0)
		own_process_end(worker->pid);
	worker->socket = -1;
	worker->pid = 0;
	worker->length = 0;
}

void worker_dismiss(struct worker *worker)
{
	end(worker);
	worker->is_over = true;
}

void worker_stop(struct worker *worker)
{
	worker_dismiss(worker);
}

static void begin_itself(struct worker *worker)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	worker->pid = own_process_begin(worker->name, worker->argument, &pair[1], 1);
	worker->socket = pair[0];
	close(pair[1]);
	if (worker->pid < 0)
		end(worker);
}

static void begin(struct worker *worker)
{
	struct opener_question question = {.kind = OPENER_WORKER};
	if (worker->is_over || worker->socket >= 0)
		return;
	if (ask_opener_is_used())
		worker->socket = ask_opener_file(&question, -1, worker->name);
	else
		begin_itself(worker);
	worker->is_over = worker->socket < 0;
}

bool worker_send(struct worker *worker, const void *head, size_t head_length,
	const void *body, size_t body_length, int fd)
{
	begin(worker);
	return worker->socket >= 0 && packet_send(worker->socket, PACKET_AT_ONCE, head,
					      head_length, body, body_length, fd);
}

enum worker_arrival worker_receive(struct worker *worker)
{
	ssize_t length;
	worker->length = 0;
	if (worker->socket < 0)
		return WORKER_NOTHING_YET;
	do
		length = recv(worker->socket, worker->packet, sizeof(worker->packet),
			MSG_DONTWAIT);
	while (length < 0 && errno == EINTR);
	if (length > 0) {
		worker->length = (size_t)length;
		return WORKER_PACKET;
	}
	if (length < 0 && errno == EAGAIN)
		return WORKER_NOTHING_YET;
	end(worker);
	return WORKER_END;
}
