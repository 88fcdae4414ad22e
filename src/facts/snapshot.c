/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/snapshot.h"

#include <string.h>

bool snapshot_registers(const struct snapshot *snapshot, struct arch_registers *out)
{
	if (snapshot->regset.size)
		return arch_decode_regset(&snapshot->regset, out);
	*out = snapshot->known;
	return out->known != 0;
}

static bool holds(uint64_t start, uint64_t bytes, uint64_t address, size_t length)
{
	uint64_t offset = address - start;
	return address >= start && offset <= bytes && length <= bytes - offset;
}

const void *snapshot_stack_at(
	const struct snapshot *snapshot, uint64_t address, size_t length)
{
	uint64_t bytes = snapshot->stack_length;
	if (holds(snapshot->stack_address, bytes, address, length))
		return snapshot->stack + (address - snapshot->stack_address);
	if (snapshot->other_length > 0 &&
		holds(snapshot->other_address, snapshot->other_length, address, length))
		return snapshot->stack + bytes + (address - snapshot->other_address);
	bytes += snapshot->other_length;
	for (uint32_t i = 0; i < snapshot->n_pieces; i++) {
		const struct snapshot_piece *piece = &snapshot->pieces[i];
		if (holds(piece->address, piece->length, address, length))
			return snapshot->stack + bytes + (address - piece->address);
		bytes += piece->length;
	}
	return NULL;
}

static const unsigned char *block_at(const struct snapshot *snapshot, uint64_t address)
{
	for (uint32_t i = 0; i < snapshot->second_blocks && i < RECIPE_BLOCKS; i++)
		if (address - snapshot->second_addresses[i] < RECIPE_BLOCK)
			return snapshot->stack + snapshot->second_at +
			       (size_t)i * RECIPE_BLOCK +
			       (address - snapshot->second_addresses[i]);
	return NULL;
}

bool snapshot_read(
	const struct snapshot *snapshot, uint64_t address, void *out, size_t length)
{
	const void *whole = snapshot_stack_at(snapshot, address, length);
	if (whole) {
		memcpy(out, whole, length);
		return true;
	}
	for (size_t done = 0; done < length;) {
		uint64_t at = address + done;
		size_t rest = RECIPE_BLOCK - at % RECIPE_BLOCK;
		const unsigned char *bytes = block_at(snapshot, at);
		if (!bytes)
			return false;
		if (rest > length - done)
			rest = length - done;
		memcpy((unsigned char *)out + done, bytes, rest);
		done += rest;
	}
	return true;
}

bool snapshot_is_cut_at(
	const struct snapshot *snapshot, uint64_t address, size_t length, uint64_t *limit)
{
	uint64_t other = snapshot->other_address;
	bool has_other = snapshot->other_length > 0;
	*limit = snapshot->stack_address + snapshot->stack_length;
	/* Between the two copies it is the first that was cut. */
	bool is_behind = has_other && (other < *limit || address >= other);
	if (!is_behind)
		return snapshot->stack_cut && address + length > *limit;
	*limit = other + snapshot->other_length;
	return snapshot->other_cut && address + length > *limit;
}
