/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/call-rule.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum {
	ENDLESS = DESCRIPTOR_ENDLESS,
	STREAMS = DESCRIPTOR_STREAMS,
	/* These wait until everything was written, unless O_NONBLOCK is set. */
	TAKERS = STREAMS | DESCRIPTOR_PIPE | DESCRIPTOR_TERMINAL | DESCRIPTOR_RANDOM,
	/* Not a pipe: sendfile returns when the pipe is full. */
	SENDFILE = STREAMS | DESCRIPTOR_FILE | DESCRIPTOR_TERMINAL,
	SOCKETS = STREAMS | DESCRIPTOR_DATAGRAMS,

	/* Not MSG_OOB (the last byte is urgent), MSG_ZEROCOPY (calls are counted),
	   MSG_DONTWAIT. */
	SENDING = MSG_NOSIGNAL | MSG_MORE | MSG_DONTROUTE | MSG_EOR,
	/* Not MSG_PEEK, MSG_DONTWAIT, MSG_WAITFORONE. */
	RECEIVING = MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC,

	SPLICING = SPLICE_F_MOVE | SPLICE_F_MORE | SPLICE_F_NONBLOCK,

	/* IORING_ENTER_ABS_TIMER and _NO_IOWAIT are not in all versions of
	   linux/io_uring.h. */
	RING_WAITING = IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP |
		       IORING_ENTER_EXT_ARG | IORING_ENTER_REGISTERED_RING | 1 << 5 |
		       1 << 7,
};

#define USUAL	     .descriptor = 1, .pointer = 2, .count = 3
#define BYTES	     .unit = 1
#define MESSAGES     .unit = sizeof(struct mmsghdr)
#define EVENTS	     .count = 2, .room = 3, .pointer = 4, .unit = sizeof(struct io_event)
#define SENDS(at)    .flags = at, .flags_may = SENDING
#define RECEIVES(at) .flags = at, .flags_must = MSG_WAITALL, .flags_may = RECEIVING

static const struct call_rule rules[] = {
	{SYS_getrandom, CALL_SPAN, .pointer = 1, .count = 2, BYTES},
	{SYS_read, CALL_SPAN, USUAL, BYTES, .kinds = ENDLESS},
	{SYS_pread64, CALL_SPAN, USUAL, BYTES, .position = 4, .kinds = ENDLESS},
	{SYS_readv, CALL_VECTOR, USUAL, .kinds = ENDLESS, .piece = SYS_read},
	{SYS_preadv, CALL_VECTOR, USUAL, .position = 4, .kinds = ENDLESS,
		.piece = SYS_pread64},
	/* These devices have no position. */
	{SYS_preadv2, CALL_VECTOR, USUAL, .kinds = ENDLESS, .flags = 6,
		.piece = SYS_read},
	{SYS_write, CALL_SPAN, USUAL, BYTES, .kinds = TAKERS},
	{SYS_pwrite64, CALL_SPAN, USUAL, BYTES, .position = 4,
		.kinds = DESCRIPTOR_RANDOM},
	{SYS_writev, CALL_VECTOR, USUAL, .kinds = TAKERS, .piece = SYS_write},
	/* With a position it fails on these, but for /dev/random. */
	{SYS_pwritev2, CALL_VECTOR, USUAL, .kinds = TAKERS, .flags = 6,
		.piece = SYS_write},
	{SYS_sendto, CALL_SPAN, USUAL, BYTES, .kinds = STREAMS, SENDS(4)},
	{SYS_sendmsg, CALL_MESSAGE, .descriptor = 1, .pointer = 2, .kinds = STREAMS,
		SENDS(3), .piece = SYS_sendto},
	{SYS_recvfrom, CALL_SPAN, USUAL, BYTES, .kinds = STREAMS, RECEIVES(4)},
	{SYS_recvmsg, CALL_MESSAGE, .descriptor = 1, .pointer = 2, .kinds = STREAMS,
		RECEIVES(3), .piece = SYS_recvfrom},
	{SYS_sendmmsg, CALL_SPAN, USUAL, MESSAGES, .kinds = DESCRIPTOR_DATAGRAMS,
		SENDS(4)},
	{SYS_recvmmsg, CALL_SPAN, USUAL, MESSAGES, .kinds = SOCKETS, .limit = 5,
		.flags = 4, .flags_may = RECEIVING | MSG_TRUNC},
	{SYS_sendfile, CALL_SPAN, .descriptor = 1, .count = 4, BYTES, .kinds = SENDFILE},
	/* Out of a pipe. It waits for a first byte, but not for more than there is. */
	{SYS_splice, CALL_SPAN, .descriptor = 1, .count = 5, BYTES,
		.kinds = DESCRIPTOR_PIPE, .flags = 6, .flags_may = SPLICING,
		.flags_rest = SPLICE_F_NONBLOCK},
	{SYS_copy_file_range, CALL_SPAN, .count = 5, BYTES},
	{SYS_io_getevents, CALL_SPAN, EVENTS, .null = 5},
	{SYS_io_pgetevents, CALL_SPAN, EVENTS, .null = 5},
	{SYS_bpf, CALL_AGAIN},
	{SYS_io_uring_enter, CALL_WAIT, .count = 2, .flags = 4,
		.flags_must = IORING_ENTER_GETEVENTS, .flags_may = RING_WAITING},
};

const struct call_rule *call_rule_of_number(long number)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].number == number)
			return &rules[i];
	return NULL;
}

static bool has_its_flags(const struct call_rule *rule, const struct arch_call *call)
{
	/* The verifier fails with EAGAIN, a test run with EINTR. */
	if (rule->number == SYS_bpf)
		return call->arguments[0] == BPF_PROG_LOAD ||
		       call->arguments[0] == BPF_PROG_TEST_RUN;
	if (rule->null && call_argument(call, rule->null) != 0)
		return false;
	if (!rule->flags)
		return true;
	uint32_t flags = (uint32_t)call_argument(call, rule->flags);
	return (flags & rule->flags_must) == rule->flags_must &&
	       (flags & ~rule->flags_may) == 0;
}

const struct call_rule *call_rule_find(const struct arch_call *call)
{
	const struct call_rule *rule = call_rule_of_number(call->number);
	return rule && has_its_flags(rule, call) ? rule : NULL;
}

bool call_was_cut(const struct call_rule *rule, int64_t result, uint64_t most)
{
	if (rule->shape == CALL_AGAIN)
		return result == -EAGAIN || result == -EINTR;
	if (rule->shape == CALL_WAIT)
		return result >= 0 && (uint64_t)result == most;
	return result > 0 && (uint64_t)result < most;
}

uint64_t call_asked(const struct call_rule *rule, const struct arch_call *call)
{
	uint64_t count = call_argument(call, rule->count);
	if (rule->unit > 1 || rule->shape == CALL_WAIT)
		return (uint32_t)count; /* an unsigned int, or no more than that */
	return count < CALL_MOST_BYTES ? count : CALL_MOST_BYTES;
}

static uint64_t *argument(struct arch_call *call, uint8_t which)
{
	return &call->arguments[which - 1];
}

void call_advance(const struct call_rule *rule, struct arch_call *call, uint64_t done)
{
	*argument(call, rule->count) = call_asked(rule, call) - done;
	if (rule->pointer)
		*argument(call, rule->pointer) += done * rule->unit;
	if (rule->position)
		*argument(call, rule->position) += done;
	if (rule->room)
		*argument(call, rule->room) -= done;
	if (rule->flags_rest)
		*argument(call, rule->flags) |= rule->flags_rest;
}

struct arch_call call_piece(const struct call_rule *rule, const struct arch_call *call,
	uint64_t done, uint64_t pointer, uint64_t length)
{
	const struct call_rule *by = call_rule_of_number(rule->piece);
	struct arch_call piece = {.number = by->number};
	*argument(&piece, by->descriptor) = call_argument(call, rule->descriptor);
	*argument(&piece, by->pointer) = pointer;
	*argument(&piece, by->count) = length;
	if (by->position)
		*argument(&piece, by->position) =
			call_argument(call, rule->position) + done;
	if (by->flags)
		*argument(&piece, by->flags) = call_argument(call, rule->flags);
	return piece;
}

void call_without_sigpipe(struct arch_call *call, enum descriptor_kind kind, bool any)
{
	if (!(kind & (unsigned)STREAMS))
		return;
	if (call->number == SYS_write && any)
		*call = (struct arch_call){SYS_sendto,
			{call->arguments[0], call->arguments[1], call->arguments[2]}};
	if (call->number == SYS_sendto)
		call->arguments[3] |= MSG_NOSIGNAL;
}
