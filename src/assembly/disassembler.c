/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/assembly/disassembler.h"

#include "src/assembly/assembly-wire.h"
#include "src/assembly/disassembler-worker.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/base/vec.h"
#include "src/outside/worker.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The CPU time of two children, on a machine that has little to spare. */
#define PATIENCE_NS (8 * ASSEMBLY_WIRE_CPU_S * NS_PER_SEC)

struct disassembler {
	struct worker worker;
	uint32_t child;	 /* so many have died before this one */
	uint64_t cpu_ns; /* of the current child, as it last reported */

	VEC(unsigned char) code;
	uint64_t address;
	size_t asked;	 /* the request in flight begins here in the code */
	size_t done;	 /* the instructions before this are known */
	uint32_t serial; /* of that request */
	bool is_busy;	 /* there is such a request, or has to be */
	bool is_sent;
	bool is_suspect; /* a child has died of it */
	uint64_t until_ns;
	const char *failure;

	VEC(struct disassembled) result;
	VEC(char) strings;
	size_t asked_results, asked_strings; /* how many there were at ASKED */
};

struct disassembler *disassembler_create(void)
{
	struct disassembler *disassembler = mem_zalloc(sizeof(*disassembler));
	worker_start(&disassembler->worker, &disassembler_worker_kind);
	return disassembler;
}

void disassembler_destroy(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	worker_stop(&disassembler->worker);
	vec_free(&disassembler->code);
	vec_free(&disassembler->result);
	vec_free(&disassembler->strings);
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
	*count = disassembler->result.len;
	return disassembler->result.data;
}

const char *disassembler_strings(const struct disassembler *disassembler, size_t *bytes)
{
	*bytes = disassembler->strings.len;
	return disassembler->strings.data;
}

/* --- questions --------------------------------------------------------------------- */

static void fail(struct disassembler *disassembler, const char *why)
{
	disassembler->failure = why;
	disassembler->is_busy = false;
}

/* The code from DONE on is to be asked about next. */
static void ask_next(struct disassembler *disassembler)
{
	disassembler->serial++;
	disassembler->asked = disassembler->done;
	disassembler->asked_results = disassembler->result.len;
	disassembler->asked_strings = disassembler->strings.len;
	disassembler->is_sent = false;
	disassembler->is_suspect = false;
	disassembler->is_busy = disassembler->done < disassembler->code.len;
}

static void send_request(struct disassembler *disassembler)
{
	size_t left = disassembler->code.len - disassembler->asked;
	size_t length = left < ASSEMBLY_WIRE_CODE_MAX ? left : ASSEMBLY_WIRE_CODE_MAX;
	struct assembly_wire_request head = {
		.address = disassembler->address + disassembler->asked,
		.child = disassembler->child,
		.serial = disassembler->serial,
		.length = (uint32_t)length,
		.is_last = length == left,
	};
	disassembler->is_sent = worker_send(&disassembler->worker, &head, sizeof(head),
		disassembler->code.data + disassembler->asked, length, -1);
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
	disassembler->done = 0;
	disassembler->failure = NULL;
	disassembler->result.len = disassembler->strings.len = 0;
	disassembler->until_ns = clock_monotonic_ns() + PATIENCE_NS;
	ask_next(disassembler);
	disassembler_advance(disassembler);
}

/* --- answers ----------------------------------------------------------------------- */

static bool is_printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

static uint32_t keep(struct disassembler *disassembler, const char *text, size_t length)
{
	uint32_t at = (uint32_t)disassembler->strings.len;
	vec_reserve(&disassembler->strings, at + length + 1);
	memcpy(disassembler->strings.data + at, text, length);
	disassembler->strings.data[at + length] = '\0';
	disassembler->strings.len += length + 1;
	return at;
}

/* Take one instruction from *AT, where LEFT bytes are; returns how many it took, or 0 if
   it makes no sense. */
static size_t take_one(struct disassembler *disassembler, const char *at, size_t left)
{
	struct assembly_wire_instruction head;
	if (left < sizeof(head))
		return 0;
	memcpy(&head, at, sizeof(head));
	size_t taken = sizeof(head);
	if (head.length == 0 || head.length > disassembler->code.len - disassembler->done)
		return 0;
	struct disassembled result = {
		.offset = (uint32_t)disassembler->done,
		.length = head.length,
		.is_unknown = head.is_unknown,
	};
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		size_t length = head.text_lengths[i];
		if (length > left - taken || !is_printable(at + taken, length))
			return 0;
		result.texts[i] = keep(disassembler, at + taken, length);
		taken += length;
	}
	vec_push(&disassembler->result, result);
	disassembler->done += head.length;
	return taken;
}

/* The instructions of one packet. False if they make no sense. */
static bool take_all(struct disassembler *disassembler,
	const struct assembly_wire_reply *reply, const char *at)
{
	size_t left = reply->bytes;
	for (uint32_t i = 0; i < reply->count; i++) {
		size_t taken = take_one(disassembler, at, left);
		if (taken == 0)
			return false;
		at += taken;
		left -= taken;
	}
	bool is_last = reply->kind == ASSEMBLY_WIRE_LAST;
	if (is_last && disassembler->done == disassembler->asked)
		return false;
	if (is_last)
		ask_next(disassembler);
	return left == 0;
}

static void take_back(struct disassembler *disassembler)
{
	disassembler->done = disassembler->asked;
	disassembler->result.len = disassembler->asked_results;
	disassembler->strings.len = disassembler->asked_strings;
	disassembler->is_sent = false;
	disassembler->serial++;
}

/* A request that two children die of is guilty. */
static void replace_child(struct disassembler *disassembler)
{
	disassembler->child++;
	disassembler->cpu_ns = 0;
	if (!disassembler->is_busy || !disassembler->is_sent)
		return;
	take_back(disassembler);
	if (disassembler->is_suspect)
		fail(disassembler, "the decoder died of this code, or took too long");
	disassembler->is_suspect = true;
}

static void count_cpu(struct disassembler *disassembler, uint64_t cpu_ns)
{
	if (cpu_ns > disassembler->cpu_ns)
		own_cpu_add(cpu_ns - disassembler->cpu_ns);
	disassembler->cpu_ns = cpu_ns;
}

static void receive_all(struct disassembler *disassembler)
{
	struct worker *worker = &disassembler->worker;
	struct assembly_wire_reply reply;
	while (worker_receive(worker)) {
		bool is_sane = worker->length >= sizeof(reply);
		if (is_sane)
			memcpy(&reply, worker->packet, sizeof(reply));
		if (is_sane && reply.kind == ASSEMBLY_WIRE_ANEW) {
			replace_child(disassembler);
			continue;
		}
		is_sane = is_sane && reply.kind <= ASSEMBLY_WIRE_LAST &&
			  reply.bytes == worker->length - sizeof(reply);
		if (!is_sane) {
			worker_dismiss(worker);
			return;
		}
		count_cpu(disassembler, reply.cpu_ns);
		bool is_awaited = disassembler->is_busy && disassembler->is_sent &&
				  reply.serial == disassembler->serial;
		if (is_awaited &&
			!take_all(disassembler, &reply, worker->packet + sizeof(reply)))
			worker_dismiss(worker);
	}
}

bool disassembler_advance(struct disassembler *disassembler)
{
	receive_all(disassembler);
	if (disassembler->is_busy && !disassembler->is_sent)
		send_request(disassembler);
	if (disassembler->is_busy && disassembler->worker.socket < 0)
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
