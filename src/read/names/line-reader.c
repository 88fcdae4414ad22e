/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/line-reader.h"

#include "src/base/mem.h"
#include "src/base/worker/worker.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/line-worker.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct line_reader {
	struct worker worker;
	size_t taken; /* of the worker's packet */
};

struct line_reader *line_reader_create(const char *debug_dirs)
{
	struct line_reader *reader = mem_zalloc(sizeof(*reader));
	worker_init(&reader->worker, line_worker_kind.name, debug_dirs);
	return reader;
}

void line_reader_destroy(struct line_reader *reader)
{
	if (!reader)
		return;
	worker_stop(&reader->worker);
	free(reader);
}

int line_reader_fd(const struct line_reader *reader)
{
	return reader->worker.socket;
}

bool line_reader_is_over(const struct line_reader *reader)
{
	return reader->worker.is_over;
}

bool line_reader_send(
	struct line_reader *reader, const struct line_request *request, int fd)
{
	return worker_send(&reader->worker, request, sizeof(*request), NULL, 0, fd);
}

static bool is_sane(const struct line_reply *reply, size_t text_length)
{
	return reply->kind <= LINE_REPLY_USELESS && reply->left < LINE_FRAMES_MAX &&
	       reply->more <= LINE_MORE_LEFT_OUT &&
	       reply->name_length <= LINE_WIRE_NAME_MAX &&
	       reply->file_length <= LINE_WIRE_FILE_MAX &&
	       reply->name_length + reply->file_length <= text_length;
}

enum worker_arrival line_reader_receive(
	struct line_reader *reader, struct line_reply *reply, const char **text)
{
	struct worker *worker = &reader->worker;
	if (reader->taken >= worker->length) {
		reader->taken = 0;
		enum worker_arrival arrival = worker_receive(worker);
		if (arrival != WORKER_PACKET)
			return arrival;
	}
	const char *packet = worker->packet + reader->taken;
	size_t left = worker->length - reader->taken;
	if (left >= sizeof(*reply))
		memcpy(reply, packet, sizeof(*reply));
	if (left < sizeof(*reply) || !is_sane(reply, left - sizeof(*reply))) {
		worker_dismiss(worker);
		reader->taken = 0;
		return WORKER_END;
	}
	*text = packet + sizeof(*reply);
	reader->taken += sizeof(*reply) + reply->name_length + reply->file_length;
	return WORKER_PACKET;
}
