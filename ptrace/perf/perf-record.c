/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/perf/perf-record.h"

#include <linux/perf_event.h>
#include <string.h>

/* What is left of a record. */
struct rest {
	const unsigned char *at;
	size_t left;
};

/* False, and nothing is taken, if there is less. */
static bool take(struct rest *rest, void *out, size_t length)
{
	if (rest->left < length)
		return false;
	memcpy(out, rest->at, length);
	rest->at += length;
	rest->left -= length;
	return true;
}

/* What the kernel appends to all records but samples (sample_id_all), which are thread and time. */
struct identity {
	uint32_t pid, tid;
	uint64_t time_ns;
};

static void set_identity(struct perf_record *out, const struct identity *identity)
{
	out->pid = (pid_t)identity->pid;
	out->tid = (pid_t)identity->tid;
	out->time_ns = identity->time_ns;
}

/* PERF_SAMPLE_REGS_USER: the ABI, and the registers that were asked for, unless there are none. */
static bool take_registers(struct rest *rest, struct perf_record *out)
{
	uint64_t abi, values[ARCH_PERF_REGISTERS];
	if (!take(rest, &abi, sizeof(abi)))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	if (!take(rest, values, sizeof(values)))
		return false;
	arch_regset_of_perf(values, abi == PERF_SAMPLE_REGS_ABI_64, &out->regset);
	return true;
}

/* PERF_SAMPLE_STACK_USER: how much room there is, the room, and how much of it is used. */
static bool take_stack(struct rest *rest, struct perf_record *out)
{
	uint64_t room, used;
	if (!take(rest, &room, sizeof(room)))
		return false;
	if (room == 0)
		return true;
	if (room > rest->left)
		return false;
	out->stack = rest->at;
	rest->at += room;
	rest->left -= room;
	if (!take(rest, &used, sizeof(used)) || used > room)
		return false;
	out->stack_length = (uint32_t)used;
	out->stack_cut = used == room;
	return true;
}

static bool take_sample(struct rest rest, struct perf_record *out)
{
	struct identity identity;
	if (!take(&rest, &identity, sizeof(identity)) || !take_registers(&rest, out) ||
		!take_stack(&rest, out))
		return false;
	set_identity(out, &identity);
	return true;
}

static bool take_lost(struct rest rest, struct perf_record *out)
{
	uint64_t id;
	return take(&rest, &id, sizeof(id)) && take(&rest, &out->lost, sizeof(out->lost));
}

static bool take_identity(struct rest rest, struct perf_record *out)
{
	struct identity identity;
	if (rest.left < sizeof(identity))
		return false;
	memcpy(&identity, rest.at + rest.left - sizeof(identity), sizeof(identity));
	set_identity(out, &identity);
	return true;
}

size_t perf_record_length(const void *bytes, size_t length)
{
	struct perf_event_header header;
	if (length < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	return header.size >= sizeof(header) && header.size <= length ? header.size : 0;
}

void perf_record_read(const void *bytes, size_t length, struct perf_record *out)
{
	struct perf_event_header header;
	struct rest rest = {.at = bytes, .left = length};
	*out = (struct perf_record){.kind = PERF_OTHER};
	if (!take(&rest, &header, sizeof(header)))
		return;
	if (header.type == PERF_RECORD_SAMPLE && take_sample(rest, out))
		out->kind = PERF_SAMPLE;
	else if (header.type == PERF_RECORD_LOST && take_lost(rest, out))
		out->kind = PERF_LOST;
	else if (header.type == PERF_RECORD_COMM &&
		 (header.misc & PERF_RECORD_MISC_COMM_EXEC) && take_identity(rest, out))
		out->kind = PERF_EXEC;
	else if (header.type == PERF_RECORD_THROTTLE && take_identity(rest, out))
		out->kind = PERF_THROTTLED;
}
