/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/wire.h"

bool wire_varint(struct wire *wire, uint64_t *value)
{
	uint64_t sum = 0;
	for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
		uint8_t byte = *wire->at++;
		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*value = sum;
		return true;
	}
	return false;
}

static bool skip(struct wire *wire, size_t length)
{
	if ((size_t)(wire->end - wire->at) < length)
		return false;
	wire->at += length;
	return true;
}

/* What is behind the tag; AT moves past it only if it is whole. */
static bool take_content(struct wire *wire, struct wire_field *field)
{
	uint64_t length;
	switch (field->type) {
	case WIRE_VARINT:
		return wire_varint(wire, &field->value);
	case WIRE_FIXED64:
		return skip(wire, 8);
	case WIRE_FIXED32:
		return skip(wire, 4);
	case WIRE_BYTES:
		if (!wire_varint(wire, &length) || length > SIZE_MAX)
			return false;
		field->bytes = wire->at;
		field->length = (size_t)length;
		return skip(wire, field->length);
	default:
		return false;
	}
}

bool wire_next(struct wire *wire, struct wire_field *field)
{
	struct wire rest = *wire;
	uint64_t tag;

	if (rest.at == rest.end || !wire_varint(&rest, &tag) || tag >> 3 == 0 ||
		tag >> 3 > UINT32_MAX)
		return false;
	*field = (struct wire_field){
		.number = (uint32_t)(tag >> 3), .type = (enum wire_type)(tag & 7)};
	if (!take_content(&rest, field))
		return false;
	*wire = rest;
	return true;
}
