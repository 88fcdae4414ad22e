/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/worker.h"

#include "src/base/ask-opener.h"
#include "src/base/packet.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine.h"
#include "src/base/worker/own-process.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	LIFE_CPU_S = 900, /* of one; a question may take 20 */
};

/* --- for who asks ------------------------------------------------------------------- */

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

/* --- for what works ----------------------------------------------------------------- */

void worker_confine(const char *const *folders, size_t memory_bytes)
{
	own_process_confine(folders, 0);
	confine_time(LIFE_CPU_S);
	if (memory_bytes)
		confine_memory(memory_bytes);
	confine_reader_calls();
}

enum worker_arrival worker_await(
	void *out, size_t size, size_t *length, int *fd, bool wait)
{
	ssize_t got = packet_receive(OWN_PROCESS_SOCKET,
		wait ? PACKET_WAIT : PACKET_AT_ONCE, out, 0, out, size, fd);
	*length = got > 0 ? (size_t)got : 0;
	if (got == -1 && errno == EAGAIN)
		return WORKER_NOTHING_YET;
	return got == -1 ? WORKER_END : WORKER_PACKET;
}

void worker_answer(const void *packet, size_t length)
{
	if (!packet_send(OWN_PROCESS_SOCKET, PACKET_WAIT, packet, length, NULL, 0, -1))
		_exit(0);
}

void worker_set_alarm(unsigned seconds)
{
	struct itimerval alarm = {.it_value = {.tv_sec = (time_t)seconds}};
	setitimer(ITIMER_PROF, &alarm, NULL);
}
