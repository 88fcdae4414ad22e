/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the line reader answers, if a hostile file has taken it over:
 * packets of any kind at any time. The functions of src/base/worker/worker.h are here in place of
 * the real ones: there is no other process, and a packet is what the bytes say. Each byte
 * is a step. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include "src/base/worker/worker.h"
#include "src/facts/profile.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/line-names.h"
#include "src/read/names/line-resolver.h"
#include "src/read/names/line-wire.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FILES = 2,
	STEPS_MAX = 256,
};

/* --- the worker -------------------------------------------------------------------------- */

static struct {
	char packet[WORKER_PACKET_MAX]; /* that comes next */
	size_t length;			/* 0: nothing comes */
	bool is_full;			/* nothing can be sent */
	bool has_ended;			/* which is not known yet */
} other;

void worker_init(struct worker *worker, const char *name, const char *argument)
{
	(void)name;
	(void)argument;
	*worker = (struct worker){.socket = memfd_create("worker", MFD_CLOEXEC)};
	FUZZ_CHECK(worker->socket >= 0);
}

void worker_dismiss(struct worker *worker)
{
	if (worker->socket >= 0)
		close(worker->socket);
	worker->socket = -1;
	worker->is_over = true;
	worker->length = 0;
}

void worker_stop(struct worker *worker)
{
	worker_dismiss(worker);
}

bool worker_send(struct worker *worker, const void *head, size_t head_length,
	const void *body, size_t body_length, int fd)
{
	(void)head;
	(void)head_length;
	(void)body;
	(void)body_length;
	(void)fd;
	return worker->socket >= 0 && !other.is_full;
}

enum worker_arrival worker_receive(struct worker *worker)
{
	if (worker->socket >= 0 && other.has_ended) {
		other.has_ended = false;
		return WORKER_END;
	}
	worker->length = worker->socket < 0 ? 0 : other.length;
	memcpy(worker->packet, other.packet, worker->length);
	other.length = 0;
	return worker->length > 0 ? WORKER_PACKET : WORKER_NOTHING_YET;
}

/* --- the bytes --------------------------------------------------------------------------- */

/* The next packet: so many of the bytes, as they are. */
static void send_bytes(struct input *input)
{
	other.length = input_bytes(input, other.packet, input_number(input, 2));
}

/* --- lines ------------------------------------------------------------------------------- */

/* A packet of one reply and more, most of whose numbers make sense. */
static void send_lines(struct input *input)
{
	other.length = 0;
	for (unsigned left = input_number(input, 1) % 8 + 1; left > 0; left--) {
		struct line_reply reply = {.kind = 0};
		reply.kind = (uint32_t)input_number(input, 1) % 5;
		reply.left = (uint32_t)input_number(input, 1);
		reply.vaddr = input_number(input, 2);
		reply.more = (uint32_t)input_number(input, 1) % 4;
		reply.line = (uint32_t)input_number(input, 1);
		reply.name_length = (uint32_t)input_number(input, 1);
		reply.file_length = (uint32_t)input_number(input, 1);
		memcpy(other.packet + other.length, &reply, sizeof(reply));
		other.length += sizeof(reply);
		memset(other.packet + other.length, (int)input_number(input, 1),
			reply.name_length + reply.file_length);
		other.length += reply.name_length + reply.file_length;
	}
	other.length -= input_number(input, 1) % other.length / 4;
}

static struct line_question question(struct input *input, uint64_t serial, bool is_range)
{
	struct line_question question = {.vaddr = input_number(input, 2),
		.file = input_number(input, 1) % FILES,
		.serial = serial};
	if (is_range)
		question.limit = question.vaddr + 1 + input_number(input, 2);
	return question;
}

static void check_rows(struct code_lines *rows)
{
	if (!rows)
		return;
	FUZZ_CHECK(rows->rows.len <= CODE_ROWS_MAX);
	for (size_t i = 0; i < rows->rows.len; i++) {
		const struct code_row *row = &rows->rows.data[i];
		FUZZ_CHECK(row->vaddr >= rows->start && row->vaddr < rows->limit);
		FUZZ_CHECK(i == 0 || row->vaddr > row[-1].vaddr);
		FUZZ_CHECK(row->n_frames <= LINE_FRAMES_MAX);
		for (uint32_t k = 0; k < row->n_frames; k++)
			FUZZ_CHECK(
				strlen(code_lines_frame(rows, row, k)->name) < SIZE_MAX);
		const struct code_row *found = code_lines_find(rows, row->vaddr);
		FUZZ_CHECK(found == (row->n_frames ? row : NULL));
	}
	code_lines_find(rows, rows->limit);
	code_lines_destroy(rows);
}

/* The profile's location, under a name from a symbol table. */
static uint32_t add_location(struct profile *profile, uint64_t address)
{
	const struct function named = {
		.name = "known", .system_name = "known", .module = "m", .file = ""};
	struct line line = {.function = profile_intern_function(profile, &named)};
	return profile_add_location(profile, PROFILE_NONE, address, &line, 1);
}

static void ask_lines(struct input *input)
{
	struct line_resolver *resolver = line_resolver_create(NULL);
	struct profile *profile = profile_create();
	struct idmap renamed = {0};
	for (int i = 0; i < FILES; i++)
		line_resolver_add_file(resolver, memfd_create("file", MFD_CLOEXEC), i);
	for (uint64_t step = 0; input->at < input->end && step < STEPS_MAX; step++) {
		struct line_question asked;
		switch (input_number(input, 1) % 8) {
		case 0:
			asked = question(input, step, false);
			asked.location = add_location(profile, asked.vaddr);
			line_resolver_ask(resolver, &asked);
			break;
		case 1:
			asked = question(input, step, true);
			line_resolver_ask_range(resolver, &asked);
			break;
		case 2:
			line_resolver_start(resolver);
			break;
		case 3:
			send_bytes(input);
			break;
		case 4:
		case 5:
			send_lines(input);
			break;
		case 6:
			line_names_take(resolver, profile, &renamed);
			check_rows(line_resolver_take_range(resolver));
			break;
		default:
			other.is_full = !other.is_full;
			other.has_ended = !other.is_full;
			line_resolver_hurry(resolver);
		}
		line_resolver_advance(resolver);
	}
	line_names_take(resolver, profile, &renamed);
	line_resolver_advance(resolver);
	line_resolver_deaths(resolver);
	line_resolver_destroy(resolver);
	idmap_finish(&renamed);
	profile_unref(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, bytes + size};
	other.length = 0;
	other.is_full = other.has_ended = false;
	input_number(&input, 1); /* the corpus has a byte here that chose, once */
	ask_lines(&input);
	return 0;
}
