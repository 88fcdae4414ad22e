/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/disassembler.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/base/worker/worker.h"
#include "src/read/assembly/assembly-wire.h"
#include "src/read/assembly/decoded-code.h"
#include "src/read/assembly/decoder.h"
#include "src/read/assembly/disassembler-worker.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The CPU time of two children, on a machine that has little to spare. */
#define PATIENCE_NS (8 * ASSEMBLY_WIRE_CPU_S * NS_PER_SEC)

struct disassembler {
	struct worker worker;

	VEC(unsigned char) code;
	uint64_t address;
	struct decoded_code decoded; /* up to what was kept: the request begins there */
	uint32_t serial;	     /* of the request in flight */
	bool is_busy;		     /* there is such a request, or has to be */
	bool is_sent;
	bool is_suspect; /* a child has died of it */
	uint64_t until_ns;
	const char *failure;
};

struct disassembler *disassembler_create(void)
{
	struct disassembler *disassembler = mem_zalloc(sizeof(*disassembler));
	worker_init(&disassembler->worker, disassembler_worker_kind.name, NULL);
	return disassembler;
}

void disassembler_destroy(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	worker_stop(&disassembler->worker);
	vec_free(&disassembler->code);
	decoded_code_finish(&disassembler->decoded);
	free(disassembler);
}

int disassembler_fd(const struct disassembler *disassembler)
{
	return disassembler ? disassembler->worker.socket : -1;
}

const char *disassembler_failure(const struct disassembler *disassembler)
{
	return disassembler->failure;
}

const struct disassembled *disassembler_result(
	const struct disassembler *disassembler, size_t *count)
{
	*count = disassembler->decoded.list.len;
	return disassembler->decoded.list.data;
}

const char *disassembler_strings(const struct disassembler *disassembler, size_t *bytes)
{
	*bytes = disassembler->decoded.strings.len;
	return disassembler->decoded.strings.data;
}

/* --- questions --------------------------------------------------------------------- */

static void fail(struct disassembler *disassembler, const char *why)
{
	disassembler->failure = why;
	disassembler->is_busy = false;
}

/* The code behind what is decoded is to be asked about next. */
static void ask_next(struct disassembler *disassembler)
{
	disassembler->serial++;
	decoded_code_keep(&disassembler->decoded);
	disassembler->is_sent = false;
	disassembler->is_suspect = false;
	disassembler->is_busy = disassembler->decoded.done < disassembler->code.len;
}

static void send_request(struct disassembler *disassembler)
{
	size_t from = disassembler->decoded.kept_done;
	size_t left = disassembler->code.len - from;
	size_t length = left < ASSEMBLY_WIRE_CODE_MAX ? left : ASSEMBLY_WIRE_CODE_MAX;
	struct assembly_wire_request head = {
		.address = disassembler->address + from,
		.serial = disassembler->serial,
		.length = (uint32_t)length,
		.is_last = length == left,
	};
	disassembler->is_sent = worker_send(&disassembler->worker, &head, sizeof(head),
		disassembler->code.data + from, length, -1);
}

void disassembler_start(struct disassembler *disassembler, const unsigned char *code,
	size_t length, uint64_t address)
{
	disassembler->code.len = 0;
	vec_reserve(&disassembler->code, length);
	if (length > 0)
		memcpy(disassembler->code.data, code, length);
	disassembler->code.len = length;
	disassembler->address = address;
	disassembler->failure = NULL;
	decoded_code_begin(&disassembler->decoded, length);
	if (!decoder_is_there()) {
		fail(disassembler,
			"this program is linked statically, without a disassembler");
		return;
	}
	disassembler->until_ns = clock_monotonic_ns() + PATIENCE_NS;
	ask_next(disassembler);
	disassembler_advance(disassembler);
}

/* --- answers ----------------------------------------------------------------------- */

/* False if REPLY, and what follows it at BYTES, makes no sense. */
static bool take_reply(struct disassembler *disassembler,
	const struct assembly_wire_reply *reply, const char *bytes)
{
	struct decoded_code *decoded = &disassembler->decoded;
	if (!decoded_code_take(decoded, reply, bytes))
		return false;
	if (reply->kind != ASSEMBLY_WIRE_LAST)
		return true;
	if (decoded->done == decoded->kept_done)
		return false;
	ask_next(disassembler);
	return true;
}

/* A request that two children die of is guilty. */
static void replace_child(struct disassembler *disassembler)
{
	if (!disassembler->is_busy || !disassembler->is_sent)
		return;
	decoded_code_drop(&disassembler->decoded);
	disassembler->is_sent = false;
	disassembler->serial++;
	if (disassembler->is_suspect)
		fail(disassembler, "the decoder died of this code, or took too long");
	disassembler->is_suspect = true;
}

enum {
	AT_ONCE_MAX = 10 * 1000, /* replies that are read before anything else is done */
};

static void receive_all(struct disassembler *disassembler)
{
	struct worker *worker = &disassembler->worker;
	struct assembly_wire_reply reply;
	/* Whoever was taken over and sends without an end must not hold us. */
	for (unsigned left = AT_ONCE_MAX; left > 0; left--) {
		enum worker_arrival arrival = worker_receive(worker);
		if (arrival == WORKER_END)
			replace_child(disassembler);
		if (arrival != WORKER_PACKET)
			return;
		bool is_sane = worker->length >= sizeof(reply);
		if (is_sane)
			memcpy(&reply, worker->packet, sizeof(reply));
		is_sane = is_sane && reply.kind <= ASSEMBLY_WIRE_NONE &&
			  reply.bytes == worker->length - sizeof(reply);
		if (!is_sane) {
			worker_dismiss(worker);
			return;
		}
		if (reply.kind == ASSEMBLY_WIRE_NONE && disassembler->is_busy) {
			fail(disassembler, "libcapstone is not installed");
			return;
		}
		bool is_awaited = disassembler->is_busy && disassembler->is_sent &&
				  reply.serial == disassembler->serial;
		if (is_awaited &&
			!take_reply(disassembler, &reply, worker->packet + sizeof(reply)))
			worker_dismiss(worker);
	}
}

bool disassembler_advance(struct disassembler *disassembler)
{
	receive_all(disassembler);
	if (disassembler->is_busy && !disassembler->is_sent)
		send_request(disassembler);
	if (disassembler->is_busy && disassembler->worker.is_over)
		fail(disassembler, "the process that decodes it is gone");
	else if (disassembler->is_busy && clock_monotonic_ns() > disassembler->until_ns)
		fail(disassembler, "the process that decodes it does not answer");
	return !disassembler->is_busy;
}

void disassembler_wait(struct disassembler *disassembler)
{
	enum {
		LOOK_EVERY_MS = 100
	};
	while (!disassembler_advance(disassembler)) {
		struct pollfd wait = {
			.fd = disassembler->worker.socket, .events = POLLIN};
		poll(&wait, 1, LOOK_EVERY_MS);
	}
}
