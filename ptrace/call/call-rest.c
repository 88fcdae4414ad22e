/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/call-rest.h"

#include "ptrace/call/ring-wait.h"
#include "ptrace/signals-waiting.h"
#include "src/process/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Opened for each use, which is rare: so it is always the memory of the present program,
   and no descriptor lies in the struct, which another process may have to use. */
static int open_memory(pid_t tid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tid);
	return memory_open(AT_FDCWD, path, tid);
}

static bool is_vector(const struct call_rest *rest)
{
	return rest->rule->shape == CALL_VECTOR || rest->rule->shape == CALL_MESSAGE;
}

/* Its arguments say how much it asks for. */
static bool is_counted(const struct call_rest *rest)
{
	return rest->rule->shape == CALL_SPAN || rest->rule->shape == CALL_WAIT;
}

/* Choose one call for the rest. For a vector it asks only for the rest of the current
   piece: the entries lie in the memory of the program, where nothing is written, so a
   vector with a shortened first piece cannot be made. */
static void choose_next(struct call_rest *rest)
{
	if (is_vector(rest)) {
		uint64_t length = rest->vector.length;
		rest->next = call_piece(rest->rule, &rest->call, rest->done,
			rest->vector.piece, length < rest->left ? length : rest->left);
	} else {
		rest->next = rest->call;
		if (is_counted(rest))
			call_advance(rest->rule, &rest->next, rest->done);
	}
	call_without_sigpipe(&rest->next, rest->kind, !rest->filtered);
}

/* Count DONE units as done, without choosing the next call. MEMORY is only used for a
   vector. */
static bool advance(struct call_rest *rest, int memory, uint64_t done)
{
	rest->done += done;
	rest->left -= done < rest->left ? done : rest->left;
	return rest->left > 0 &&
	       (!is_vector(rest) || call_vector_advance(&rest->vector, memory, done));
}

bool call_rest_has_time(
	const struct call_rule *rule, const struct arch_call *call, int memory)
{
	uint64_t at = rule->limit ? call_argument(call, rule->limit) : 0;
	struct timespec left;
	if (at == 0)
		return true;
	return memory_read(memory, &left, sizeof(left), at) == sizeof(left) &&
	       (left.tv_sec != 0 || left.tv_nsec != 0);
}

/* Then the next call is to tell the program, and the rest must not. */
static bool is_reset(const struct call_rest *rest)
{
	return (rest->kind & (unsigned)DESCRIPTOR_STREAMS) &&
	       descriptor_has_failed(rest->tid,
		       (int)call_argument(&rest->call, rest->rule->descriptor));
}

bool call_rest_advance(struct call_rest *rest, uint64_t done)
{
	bool reads = is_vector(rest) || rest->rule->limit;
	int memory = reads ? open_memory(rest->tid) : -1;
	bool more = advance(rest, memory, done) &&
		    call_rest_has_time(rest->rule, &rest->call, memory) &&
		    !is_reset(rest);
	memory_close(memory);
	if (more)
		choose_next(rest);
	return more;
}

bool call_rest_waits(const struct call_rest *rest)
{
	int memory = open_memory(rest->tid);
	bool waits = memory != -1 && ring_wait_is_cut(rest->tid, memory, &rest->call);
	memory_close(memory);
	return waits;
}

uint64_t call_rest_asked(const struct call_rest *rest)
{
	return call_asked(call_rule_of_number(rest->next.number), &rest->next);
}

/* --- was it cut? ------------------------------------------------------------------- */

/* Find how much the call asked for, and where: sets rest->left and rest->vector. */
static bool find_extent(struct call_rest *rest, int memory, bool *control)
{
	const struct call_rule *rule = rest->rule;
	if (is_counted(rest))
		rest->left = call_asked(rule, &rest->call);
	if (!is_vector(rest))
		return true;
	uint64_t entries = call_argument(&rest->call, rule->pointer), count = 0;
	if (rule->shape == CALL_VECTOR)
		count = call_argument(&rest->call, rule->count);
	else if (!call_vector_of_message(memory, entries, &entries, &count, control))
		return false;
	if (!call_vector_begin(&rest->vector, memory, entries, count) ||
		!call_vector_total(&rest->vector, memory, &rest->left))
		return false;
	if (rest->left > CALL_MOST_BYTES)
		rest->left = CALL_MOST_BYTES;
	return true;
}

/* Is the descriptor of a kind on which the call is never short by itself? This is asked before the
   target's memory is read: those of most servers do not block, and a read may have to wait
   for mmap_lock. */
static bool has_its_descriptor(struct call_rest *rest)
{
	const struct call_rule *rule = rest->rule;
	if (rule->kinds == 0)
		return true;
	struct descriptor found = descriptor_look(rest->tid,
		(int)call_argument(&rest->call, rule->descriptor), rule->kinds);
	rest->kind = found.kind;
	return (found.kind & rule->kinds) && found.blocks;
}

/* Control data that is sent to a unix socket went with the first byte. For other sockets it
   may describe the bytes, and for receiving there must be room for it. */
static bool may_have_control(const struct call_rest *rest)
{
	return rest->rule->number == SYS_sendmsg && rest->kind == DESCRIPTOR_UNIX_STREAM;
}

/* Can the thread make the calls that the rest needs? They are made by the same
   instruction, and a seccomp filter, whose rules are not known, might kill the thread for
   another call. */
static bool can_be_asked(
	struct call_rest *rest, int memory, const struct arch_regset *regset)
{
	unsigned char code[ARCH_CALL_BYTES];
	uint64_t address = arch_call_address(regset);
	if (memory_read(memory, code, sizeof(code), address) != sizeof(code) ||
		!arch_is_call(code))
		return false;
	long piece = rest->rule->piece;
	if (piece != 0 || rest->rule->number == SYS_write)
		rest->filtered = signals_waiting_look(rest->tid).filtered;
	return !rest->filtered || piece == 0;
}

static bool has_a_rest(struct call_rest *rest, int memory, int64_t result)
{
	switch (rest->rule->shape) {
	case CALL_AGAIN:
		return true;
	case CALL_WAIT:
		rest->done = (uint64_t)result;
		return ring_wait_is_cut(rest->tid, memory, &rest->call);
	default:
		return advance(rest, memory, (uint64_t)result);
	}
}

static bool find_in_memory(struct call_rest *rest, int memory, int64_t result,
	const struct arch_regset *regset)
{
	bool control = false;
	return find_extent(rest, memory, &control) &&
	       call_was_cut(rest->rule, result, rest->left) &&
	       call_rest_has_time(rest->rule, &rest->call, memory) && !is_reset(rest) &&
	       (!control || may_have_control(rest)) &&
	       can_be_asked(rest, memory, regset) && has_a_rest(rest, memory, result);
}

bool call_rest_find(struct call_rest *rest, pid_t tid, const struct arch_regset *regset)
{
	*rest = (struct call_rest){.tid = tid};
	if (!arch_left_call(regset, &rest->call))
		return false;
	rest->rule = call_rule_find(&rest->call);
	int64_t result = arch_call_result(regset);
	if (!rest->rule)
		return false;
	uint64_t most =
		is_counted(rest) ? call_asked(rest->rule, &rest->call) : CALL_MOST_BYTES;
	if (!call_was_cut(rest->rule, result, most) || !has_its_descriptor(rest))
		return false;
	int memory = open_memory(tid);
	bool found = memory != -1 && find_in_memory(rest, memory, result, regset);
	memory_close(memory);
	if (found)
		choose_next(rest);
	return found;
}
