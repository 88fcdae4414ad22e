/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/call-vector.h"

#include "src/process/memory.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	ENTRIES_AT_ONCE = 64,
	ENTRIES_MAX = 1024, /* UIO_MAXIOV, include/uapi/linux/uio.h */
};

static bool read_exactly(int memory, uint64_t address, void *out, size_t bytes)
{
	return memory_read(memory, out, bytes, address) == (ssize_t)bytes;
}

bool call_vector_begin(
	struct call_vector *vector, int memory, uint64_t entries, uint64_t count)
{
	*vector = (struct call_vector){.entries = entries, .entries_left = count};
	return count <= ENTRIES_MAX && call_vector_advance(vector, memory, 0);
}

bool call_vector_total(const struct call_vector *vector, int memory, uint64_t *total)
{
	struct iovec some[ENTRIES_AT_ONCE];
	uint64_t address = vector->entries, left = vector->entries_left;
	*total = vector->length;
	while (left > 0) {
		size_t count = left < ENTRIES_AT_ONCE ? (size_t)left : ENTRIES_AT_ONCE;
		if (!read_exactly(memory, address, some, count * sizeof(*some)))
			return false;
		for (size_t i = 0; i < count; i++)
			*total += some[i].iov_len;
		address += count * sizeof(*some);
		left -= count;
	}
	return true;
}

bool call_vector_advance(struct call_vector *vector, int memory, uint64_t bytes)
{
	while (bytes >= vector->length) {
		struct iovec entry;
		bytes -= vector->length;
		vector->length = 0;
		if (vector->entries_left == 0 ||
			!read_exactly(memory, vector->entries, &entry, sizeof(entry)))
			return false;
		vector->piece = (uint64_t)(uintptr_t)entry.iov_base;
		vector->length = entry.iov_len;
		vector->entries += sizeof(entry);
		vector->entries_left--;
	}
	vector->piece += bytes;
	vector->length -= bytes;
	return true;
}

bool call_vector_of_message(
	int memory, uint64_t address, uint64_t *entries, uint64_t *count, bool *control)
{
	struct msghdr message;
	if (!read_exactly(memory, address, &message, sizeof(message)))
		return false;
	*entries = (uint64_t)(uintptr_t)message.msg_iov;
	*count = message.msg_iovlen;
	/* Not by its length: after receiving, that is how much came, not the room. */
	*control = message.msg_control != NULL;
	return true;
}
