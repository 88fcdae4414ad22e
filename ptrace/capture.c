#include "ptrace/capture.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

bool capture_registers(
	pid_t tid, struct arch_regset *regset, bool restart, bool *restarted)
{
	struct iovec io = {regset->bytes, sizeof(regset->bytes)};
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) != 0)
		return false;
	regset->size = io.iov_len;
	*restarted = false;
	if (restart && arch_restart_interrupted_syscall(regset))
		*restarted = ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io) == 0;
	return true;
}

enum {
	HOME_BYTES = 16 << 10, /* so far a stack pointer may move on one stack, unasked */
	LOOK_BYTES = 32 << 10, /* of a handler's stack, at most */
	REHEARSED_BYTES = 4 << 10, /* where the root is not known */
	DEEP_BYTES = 4 << 10,	   /* that much more of a copy takes a microsecond */
};

/* The stack that a handler on a stack of its own has interrupted, behind the copy of the
   handler's. */
static void copy_interrupted(int mem_fd, const struct arch_alternate *alternate,
	size_t reach, size_t stack_bytes, struct snapshot *slot)
{
	uint64_t used = alternate->limit - slot->stack_address;
	if (used < slot->stack_length)
		slot->stack_length = (uint32_t)used;
	uint64_t start = alternate->interrupted_sp;
	start -= start < CAPTURE_RED_ZONE ? start : CAPTURE_RED_ZONE;
	size_t room =
		(reach > slot->stack_length ? reach : stack_bytes) - slot->stack_length;
	ssize_t got = pread(mem_fd, slot->stack + slot->stack_length, room, (off_t)start);
	if (got <= 0)
		return;
	slot->stack_cut = false;
	slot->other_address = start;
	slot->other_length = (uint32_t)got;
	slot->other_cut = (size_t)got == room;
}

/* Copy LENGTH bytes from START, and no less, up to the root that HABIT knows. */
static bool copy_to_root(int mem_fd, uint64_t start, size_t length,
	const struct capture_habit *habit, struct snapshot *slot)
{
	const struct stack_root *root = &habit->root;
	if (pread(mem_fd, slot->stack, length, (off_t)start) != (ssize_t)length ||
		memcmp(slot->stack + length - sizeof(root->word), &root->word,
			sizeof(root->word)) != 0)
		return false;
	slot->stack_address = start;
	slot->stack_length = (uint32_t)length;
	slot->stack_cut = true;
	return true;
}

/* How far it is from START to the root; 0 if that is not known, or not on this stack. */
static size_t length_to_root(
	const struct capture_habit *habit, uint64_t start, size_t stack_bytes)
{
	uint64_t length = habit->root.top - start;
	return length >= sizeof(habit->root.word) && length <= stack_bytes ? length : 0;
}

void capture_rehearse(int mem_fd, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot)
{
	size_t length = length_to_root(habit, habit->low, stack_bytes);
	if (length == 0)
		length = stack_bytes < REHEARSED_BYTES ? stack_bytes : REHEARSED_BYTES;
	ssize_t ignored = pread(mem_fd, slot->stack, length, (off_t)habit->low);
	(void)ignored;
}

size_t capture_ahead(int mem_fd, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot)
{
	size_t length = length_to_root(habit, habit->low, stack_bytes);
	if (length == 0 || !copy_to_root(mem_fd, habit->low, length, habit, slot))
		return 0;
	return length;
}

/* Copy REACH bytes, or all there are. False if there is nothing at all. */
static bool copy_all(int mem_fd, uint64_t sp, size_t reach, struct snapshot *slot)
{
	slot->stack_address = sp < CAPTURE_RED_ZONE ? 0 : sp - CAPTURE_RED_ZONE;
	ssize_t got = pread(mem_fd, slot->stack, reach, (off_t)slot->stack_address);
	if (got < 0 && sp) { /* the red zone may lie in a guard page */
		slot->stack_address = sp;
		got = pread(mem_fd, slot->stack, reach, (off_t)sp);
	}
	slot->stack_length = got > 0 ? (uint32_t)got : 0;
	slot->stack_cut = slot->stack_length == reach;
	return got != 0;
}

/* If the stack pointer is somewhere else, it is another stack. */
static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + HOME_BYTES <= 2 * HOME_BYTES;
}

/* The lowest start of the last copies, slowly forgotten. */
static void remember_low(struct capture_habit *habit, uint64_t start)
{
	uint64_t above = start - habit->low;
	if (start <= habit->low || !is_near(start, habit->low))
		habit->low = start;
	else
		habit->low += above / (above > DEEP_BYTES ? 8 : 64);
}

bool capture_stack_at(int mem_fd, uint64_t sp, size_t stack_bytes,
	struct capture_habit *habit, size_t ahead, struct snapshot *slot)
{
	uint64_t start = sp - CAPTURE_RED_ZONE;
	bool done = ahead > 0 && start - slot->stack_address < ahead;
	if (!done) {
		size_t length = length_to_root(habit, start, stack_bytes);
		done = length > 0 && copy_to_root(mem_fd, start, length, habit, slot);
	}
	size_t reach = advice_bytes(habit->reach, stack_bytes);
	done = done || copy_all(mem_fd, sp, reach, slot);
	slot->other_length = 0;
	remember_low(habit, start);

	uint64_t below = start > slot->stack_address ? start - slot->stack_address : 0;
	struct arch_alternate alternate = {.interrupted_sp = sp};
	if ((habit->home == 0 || !is_near(sp, habit->home)) &&
		slot->stack_length > below) {
		size_t look = slot->stack_length - below;
		if (arch_find_alternate(slot->stack + below,
			    look < LOOK_BYTES ? look : LOOK_BYTES,
			    slot->stack_address + below, sp, &alternate))
			copy_interrupted(mem_fd, &alternate, reach, stack_bytes, slot);
	}
	habit->home = alternate.interrupted_sp;
	return done;
}

bool capture_stack(int mem_fd, size_t stack_bytes, struct capture_habit *habit,
	size_t ahead, struct snapshot *slot)
{
	return capture_stack_at(
		mem_fd, arch_regset_sp(&slot->regset), stack_bytes, habit, ahead, slot);
}
