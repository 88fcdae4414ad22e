/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/disassembler-worker.h"

#include "src/arch/arch.h"
#include "src/base/worker/worker.h"
#include "src/read/assembly/assembly-wire.h"
#include "src/read/assembly/decoder.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum {
	MEMORY_BYTES = 64 << 20,
};

struct request {
	struct assembly_wire_request head;
	unsigned char code[ASSEMBLY_WIRE_CODE_MAX];
};

/* A packet that is being filled. */
struct answer {
	struct assembly_wire_reply head;
	char packet[WORKER_PACKET_MAX];
};

static void begin(struct answer *answer)
{
	answer->head.count = answer->head.bytes = 0;
}

static void send_off(struct answer *answer, enum assembly_wire_kind kind)
{
	answer->head.kind = kind;
	memcpy(answer->packet, &answer->head, sizeof(answer->head));
	worker_answer(answer->packet, sizeof(answer->head) + answer->head.bytes);
	begin(answer);
}

static void append(struct answer *answer, const void *bytes, size_t length)
{
	memcpy(answer->packet + sizeof(answer->head) + answer->head.bytes, bytes, length);
	answer->head.bytes += (uint32_t)length;
}

static void add(struct answer *answer, const struct decoded *decoded)
{
	struct assembly_wire_instruction instruction = {
		.length = decoded->length, .is_unknown = decoded->is_unknown};
	size_t length = sizeof(instruction);
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		instruction.text_lengths[i] =
			(uint8_t)strnlen(decoded->texts[i], ASSEMBLY_WIRE_TEXT_MAX);
		length += instruction.text_lengths[i];
	}
	if (sizeof(answer->head) + answer->head.bytes + length > sizeof(answer->packet))
		send_off(answer, ASSEMBLY_WIRE_PART);
	append(answer, &instruction, sizeof(instruction));
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++)
		append(answer, decoded->texts[i], instruction.text_lengths[i]);
	answer->head.count++;
}

static void answer_request(struct decoder *decoder, const struct request *request)
{
	static struct answer answer; /* large */
	const struct assembly_wire_request *head = &request->head;
	size_t at = 0;
	answer.head.serial = head->serial;
	begin(&answer);
	while (at < head->length) {
		size_t left = head->length - at;
		struct decoded decoded;
		if (!head->is_last && left < ARCH_INSN_MAX && at > 0)
			break; /* an instruction may be cut here */
		decoder_next(
			decoder, request->code + at, left, head->address + at, &decoded);
		add(&answer, &decoded);
		at += decoded.length;
	}
	send_off(&answer, ASSEMBLY_WIRE_LAST);
}

static void answer_none(void)
{
	const struct assembly_wire_reply none = {.kind = ASSEMBLY_WIRE_NONE};
	worker_answer(&none, sizeof(none));
}

static void serve(const char *argument)
{
	const char *const none[] = {NULL};
	static struct request request; /* large */
	struct decoder *decoder = decoder_create();
	size_t length;
	int fd;
	(void)argument;
	worker_confine(none, MEMORY_BYTES);
	while (worker_await(&request, sizeof(request), &length, &fd, true) ==
		WORKER_PACKET) {
		if (fd >= 0)
			close(fd); /* none is expected */
		if (length < sizeof(request.head) ||
			request.head.length != length - sizeof(request.head))
			continue;
		worker_set_alarm(ASSEMBLY_WIRE_CPU_S);
		if (decoder)
			answer_request(decoder, &request);
		else
			answer_none();
	}
	decoder_destroy(decoder);
}

const struct own_process_kind disassembler_worker_kind = {"cproftop-asm", serve};
