#include "src/snapshot.h"

bool snapshot_registers(const struct snapshot *snapshot, struct arch_registers *out)
{
	if (snapshot->regset.size)
		return arch_decode_regset(&snapshot->regset, out);
	*out = snapshot->known;
	return out->known != 0;
}

const void *snapshot_stack_at(
	const struct snapshot *snapshot, uint64_t address, size_t length)
{
	if (address < snapshot->stack_address)
		return NULL;
	uint64_t offset = address - snapshot->stack_address;
	if (offset > snapshot->stack_length || length > snapshot->stack_length - offset)
		return NULL;
	return snapshot->stack + offset;
}
