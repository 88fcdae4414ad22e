#include "ptrace/capture.h"

#include <elf.h>
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
};

/* The stack that a handler on a stack of its own has interrupted, behind the copy of the
   handler's. */
static void copy_interrupted(int mem_fd, const struct arch_alternate *alternate,
	size_t stack_bytes, struct snapshot *slot)
{
	uint64_t used = alternate->limit - slot->stack_address;
	if (used < slot->stack_length)
		slot->stack_length = (uint32_t)used;
	uint64_t start = alternate->interrupted_sp;
	start -= start < CAPTURE_RED_ZONE ? start : CAPTURE_RED_ZONE;
	size_t room = stack_bytes - slot->stack_length;
	ssize_t got = pread(mem_fd, slot->stack + slot->stack_length, room, (off_t)start);
	if (got <= 0)
		return;
	slot->stack_cut = false;
	slot->other_address = start;
	slot->other_length = (uint32_t)got;
	slot->other_cut = (size_t)got == room;
}

bool capture_stack_at(int mem_fd, uint64_t sp, size_t stack_bytes, uint64_t *home,
	struct snapshot *slot)
{
	slot->other_length = 0;
	slot->stack_address = sp < CAPTURE_RED_ZONE ? 0 : sp - CAPTURE_RED_ZONE;
	ssize_t got = pread(mem_fd, slot->stack, stack_bytes, (off_t)slot->stack_address);
	if (got < 0 && sp) { /* the red zone may lie in a guard page */
		slot->stack_address = sp;
		got = pread(mem_fd, slot->stack, stack_bytes, (off_t)sp);
	}
	slot->stack_length = got > 0 ? (uint32_t)got : 0;
	slot->stack_cut = slot->stack_length == stack_bytes;

	struct arch_alternate alternate = {.interrupted_sp = sp};
	size_t look = slot->stack_length < LOOK_BYTES ? slot->stack_length : LOOK_BYTES;
	bool is_near = *home != 0 && sp - *home + HOME_BYTES <= 2 * HOME_BYTES;
	if (!is_near && got > 0 &&
		arch_find_alternate(
			slot->stack, look, slot->stack_address, sp, &alternate))
		copy_interrupted(mem_fd, &alternate, stack_bytes, slot);
	*home = alternate.interrupted_sp;
	return got != 0;
}

bool capture_stack(int mem_fd, size_t stack_bytes, uint64_t *home, struct snapshot *slot)
{
	return capture_stack_at(
		mem_fd, arch_regset_sp(&slot->regset), stack_bytes, home, slot);
}
