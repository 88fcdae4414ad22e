/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire: the fields of a protobuf message one after the other
 * (https://protobuf.dev/programming-guides/encoding/), so that a message need not be in
 * memory as a whole tree. Pure; it reads no byte behind the end.
 */
#ifndef CPROFTOP_WIRE_H
#define CPROFTOP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5
};

struct wire {
	const uint8_t *at, *end;
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;	      /* of a varint */
	const uint8_t *bytes; /* of WIRE_BYTES */
	size_t length;
};

/* A number of seven bits a byte; false if there is none. */
bool wire_varint(struct wire *wire, uint64_t *value);

/* The next field. False at the end, where AT is END, and where no field can be read. */
bool wire_next(struct wire *wire, struct wire_field *field);

#endif
