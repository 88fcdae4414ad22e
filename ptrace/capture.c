/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/capture.h"

#include "ptrace/left-call.h"
#include "ptrace/linked-stack.h"
#include "src/base/small-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

bool capture_registers(pid_t tid, struct arch_regset *regset)
{
	for (int i = 0; i < ARCH_NOTES; i++) {
		const struct arch_note *note = &arch_notes[i];
		struct iovec io = {regset->bytes + note->at, note->bytes};
		if (ptrace(PTRACE_GETREGSET, tid, (long)note->type, &io) != 0)
			return i > 0; /* of a 32-bit task, or of one that has gone */
		if (i == 0)
			regset->size = io.iov_len;
		memset(regset->bytes + note->at + note->bytes, 0,
			sizeof(regset->bytes) - note->at - note->bytes);
	}
	return true;
}

bool capture_set_registers(pid_t tid, struct arch_regset *regset)
{
	struct iovec io = {regset->bytes, regset->size};
	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io) == 0 &&
	       (!arch_forgets_call(regset) || left_call_forget(tid));
}

static bool is_filtered(pid_t tid)
{
	char path[32], text[8 << 10];
	unsigned long long seccomp;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	return status_number(text, "\nSeccomp:", 0, 10, &seccomp) && seccomp != 0;
}

/* The kernel goes on with some calls by another one, restart_syscall(2), in the thread's name. A
   seccomp filter that does not know that one kills the program. */
bool capture_restart(pid_t tid, const struct arch_regset *regset)
{
	struct arch_regset again = *regset;
	left_call_find(tid, &again);
	return (arch_restart_interrupted_syscall(&again) ||
		       (arch_restart_whole_syscall(&again) && is_filtered(tid))) &&
	       capture_set_registers(tid, &again);
}

enum {
	/* a stack pointer that moved farther is on another stack, perhaps */
	HOME_BYTES = 16 << 10,
	LOOK_BYTES = 32 << 10, /* of a handler's stack that are searched */
};

/* Copy the stack that a handler on an alternate stack has interrupted, behind the copy of
   the handler's stack. */
static void copy_interrupted(const struct capture_memory *memory,
	const struct arch_alternate *alternate, size_t reach, size_t stack_bytes,
	struct snapshot *slot)
{
	uint64_t used = alternate->limit - slot->stack_address;
	if (used < slot->stack_length)
		slot->stack_length = (uint32_t)used;
	uint64_t start = alternate->interrupted_sp;
	start -= start < CAPTURE_RED_ZONE ? start : CAPTURE_RED_ZONE;
	size_t room =
		(reach > slot->stack_length ? reach : stack_bytes) - slot->stack_length;
	ssize_t got = capture_read(memory, slot->stack + slot->stack_length, room, start);
	if (got <= 0)
		return;
	slot->stack_cut = false;
	slot->other_address = start;
	slot->other_length = (uint32_t)got;
	slot->other_cut = (size_t)got == room;
}

/* Copy from START up to the root that HABIT knows, and habit->beyond bytes above it, where
   there are so many. False if that is not possible. */
static bool copy_to_root(const struct capture_memory *memory, uint64_t start,
	size_t stack_bytes, const struct capture_habit *habit, struct snapshot *slot)
{
	const struct stack_root *root = &habit->root;
	uint64_t length = root->top - start;
	if (length < sizeof(root->word) || length > stack_bytes)
		return false;
	size_t room = stack_bytes - length;
	size_t beyond = habit->beyond < room ? habit->beyond : room;
	ssize_t got = capture_read(memory, slot->stack, length + beyond, start);
	if (got < (ssize_t)length || memcmp(slot->stack + length - sizeof(root->word),
					     &root->word, sizeof(root->word)) != 0)
		return false;
	slot->stack_address = start;
	slot->stack_length = (uint32_t)got;
	slot->stack_cut = true;
	return true;
}

/* Copy REACH bytes, or less if the mapping ends before. */
static enum capture_result copy_all(const struct capture_memory *memory, uint64_t sp,
	size_t reach, struct snapshot *slot)
{
	slot->stack_address = sp < CAPTURE_RED_ZONE ? 0 : sp - CAPTURE_RED_ZONE;
	ssize_t got = capture_read(memory, slot->stack, reach, slot->stack_address);
	if (got < 0 && sp && errno != ETIMEDOUT) {
		/* Without the red zone, which may lie in a guard page. */
		slot->stack_address = sp;
		got = capture_read(memory, slot->stack, reach, sp);
	}
	slot->stack_length = got > 0 ? (uint32_t)got : 0;
	slot->stack_cut = slot->stack_length == reach;
	slot->is_not_read = got < 0 && errno == ETIMEDOUT;
	return got > 0 ? CAPTURE_DONE : got < 0 ? CAPTURE_NOTHING : CAPTURE_GONE;
}

/* Are the stack pointers A and B so close that they are probably on one stack? */
static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + HOME_BYTES <= 2 * HOME_BYTES;
}

/* Read what is between START and LIMIT, no more than ROOM bytes. *CUT: there was more, or
   not all of it could be read. */
static uint32_t read_between(const struct capture_memory *memory, uint64_t start,
	uint64_t limit, size_t room, unsigned char *out, bool *cut)
{
	size_t length = limit - start < room ? limit - start : room;
	ssize_t got = capture_read(memory, out, length, start);
	*cut = got != (ssize_t)(limit - start);
	return got > 0 ? (uint32_t)got : 0;
}

/* The stack that SP is on, if it is known how far it goes, and behind it the one that was
   left for it, if that is so. */
static bool copy_linked(const struct capture_memory *memory, uint64_t sp,
	size_t stack_bytes, struct snapshot *slot)
{
	struct linked_stack stack = linked_stack_find(memory, sp);
	slot->link.is_none = stack.kind == LINKED_STACK_NONE;
	uint64_t start = sp - CAPTURE_RED_ZONE;
	if ((stack.kind != LINKED_STACK_OWN && stack.kind != LINKED_STACK_LEFT) ||
		stack.limit - start > stack_bytes)
		return false;
	slot->stack_address = start;
	slot->stack_length = read_between(
		memory, start, stack.limit, stack_bytes, slot->stack, &slot->stack_cut);
	if (slot->stack_cut)
		return false;
	if (stack.kind == LINKED_STACK_OWN)
		return true;
	uint64_t left = stack.saved.sp - CAPTURE_RED_ZONE; /* a frame may begin there */
	slot->link = stack.saved;
	slot->other_address = left;
	slot->other_length = read_between(memory, left, stack.saved_limit,
		stack_bytes - slot->stack_length, slot->stack + slot->stack_length,
		&slot->other_cut);
	return true;
}

/* If the thread is in a signal handler on a stack of its own: the one that it has
   interrupted. Returns where that is in use. */
static uint64_t look_for_interrupted(const struct capture_memory *memory, uint64_t sp,
	size_t reach, size_t stack_bytes, struct snapshot *slot)
{
	struct arch_alternate alternate = {.interrupted_sp = sp};
	uint64_t below = sp > slot->stack_address ? sp - slot->stack_address : 0;
	size_t look = slot->stack_length > below ? slot->stack_length - below : 0;
	if (look > 0 && arch_find_alternate(slot->stack + below,
				look < LOOK_BYTES ? look : LOOK_BYTES,
				slot->stack_address + below, sp, &alternate))
		copy_interrupted(memory, &alternate, reach, stack_bytes, slot);
	return alternate.interrupted_sp;
}

/* Copy the far part of the stack, or what of it is not copied yet. */
static void copy_far(
	const struct capture_memory *memory, size_t stack_bytes, struct snapshot *slot)
{
	uint64_t start = memory->far.low, limit = memory->far.high;
	uint64_t copied = slot->stack_address + slot->stack_length;
	if (start < copied && limit > slot->stack_address)
		start = copied;
	if (limit <= start || limit - start > stack_bytes || slot->other_length > 0)
		return;
	size_t room = stack_bytes - (limit - start);
	if (slot->stack_length > room) {
		slot->stack_length = (uint32_t)room;
		slot->stack_cut = true;
	}
	slot->other_address = start;
	slot->other_length = read_between(memory, start, limit, stack_bytes,
		slot->stack + slot->stack_length, &slot->other_cut);
	slot->other_cut = true;
}

/* The end of the stack in the copy of LENGTH bytes, behind the first or the last frame of
   this piece. *NEXT is where it goes on, or 0. */
static size_t end_of_piece(const struct stack_link *link, const unsigned char *copy,
	size_t length, uint64_t *next)
{
	uint64_t word;
	*next = 0;
	for (size_t at = 0; at + 2 * sizeof(word) <= length; at += sizeof(word)) {
		memcpy(&word, copy + at, sizeof(word));
		if (word != 0 && (word == link->first || word == link->chunk)) {
			if (word == link->chunk)
				memcpy(next, copy + at + sizeof(word), sizeof(*next));
			return at + 2 * sizeof(word);
		}
	}
	return length;
}

/* Copy the piece of that stack from START on, at most ROOM bytes. */
static uint32_t copy_piece(const struct capture_memory *memory, uint64_t start,
	size_t room, unsigned char *out, uint64_t *next)
{
	const struct stack_link *link = memory->link;
	size_t bytes =
		link->frame_pointer_bytes < room ? link->frame_pointer_bytes : room;
	*next = 0;
	if (start % sizeof(start) != 0 || !capture_is_anonymous(memory, start))
		return 0;
	ssize_t got = capture_read(memory, out, bytes, start);
	return got > 0 ? (uint32_t)end_of_piece(link, out, (size_t)got, next) : 0;
}

/* The stack pointer in the next piece, at ADDRESS; 0 if it is not one. */
static uint64_t piece_sp(const struct capture_memory *memory, uint64_t address)
{
	uint64_t at = address + memory->link->chunk_sp, sp;
	return address && capture_is_anonymous(memory, at) &&
			       capture_read(memory, &sp, sizeof(sp), at) == sizeof(sp)
		       ? sp
		       : 0;
}

/* The stack that the frame pointer points to, if the link says that there is one. */
static void copy_by_frame_pointer(
	const struct capture_memory *memory, size_t stack_bytes, struct snapshot *slot)
{
	const struct stack_link *link = memory->link;
	uint64_t start = memory->frame_pointer, next;
	if (!link || link->frame_pointer_bytes == 0 || slot->other_length > 0 ||
		start - slot->stack_address < slot->stack_length)
		return;
	size_t used = slot->stack_length;
	slot->other_cut = false;
	slot->other_address = start;
	slot->other_length =
		copy_piece(memory, start, stack_bytes - used, slot->stack + used, &next);
	used += slot->other_length;
	while ((start = piece_sp(memory, next)) && slot->n_pieces < SNAPSHOT_PIECES) {
		struct snapshot_piece *piece = &slot->pieces[slot->n_pieces];
		piece->address = start;
		piece->length = copy_piece(
			memory, start, stack_bytes - used, slot->stack + used, &next);
		if (piece->length == 0)
			break;
		used += piece->length;
		slot->n_pieces++;
	}
}

enum capture_result capture_stack_at(const struct capture_memory *memory, uint64_t sp,
	size_t stack_bytes, struct capture_habit *habit, struct snapshot *slot)
{
	enum capture_result result = CAPTURE_DONE;
	size_t reach = advice_bytes(habit->reach, stack_bytes);
	slot->other_length = slot->kernel_length = 0;
	slot->n_pieces = 0;
	slot->second_blocks = slot->second_ns = 0;
	slot->second_result = RECIPE_NONE;
	slot->is_not_read = false;
	slot->link = (struct snapshot_link){0};
	bool is_all = copy_linked(memory, sp, stack_bytes, slot);
	if (!is_all &&
		!copy_to_root(memory, sp - CAPTURE_RED_ZONE, stack_bytes, habit, slot))
		result = copy_all(memory, sp, reach, slot);

	uint64_t home = sp;
	if (slot->link.sp)
		home = slot->link.sp;
	else if (habit->home == 0 || !is_near(sp, habit->home))
		home = look_for_interrupted(memory, sp, reach, stack_bytes, slot);
	habit->home = home;
	if (result == CAPTURE_DONE)
		copy_by_frame_pointer(memory, stack_bytes, slot);
	if (!is_all && result == CAPTURE_DONE)
		copy_far(memory, stack_bytes, slot);
	return result;
}

enum capture_result capture_stack(const struct capture_memory *memory, size_t stack_bytes,
	struct capture_habit *habit, struct snapshot *slot)
{
	struct capture_memory own = *memory;
	habit->thread_pointer = arch_regset_thread_pointer(&slot->regset);
	own.thread_pointer = habit->thread_pointer;
	own.frame_pointer = arch_regset_fp(&slot->regset);
	return capture_stack_at(
		&own, arch_regset_sp(&slot->regset), stack_bytes, habit, slot);
}
