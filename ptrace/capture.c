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

bool capture_stack_at(int mem_fd, uint64_t sp, size_t stack_bytes, struct snapshot *slot)
{
	slot->stack_address = sp < CAPTURE_RED_ZONE ? 0 : sp - CAPTURE_RED_ZONE;
	ssize_t got = pread(mem_fd, slot->stack, stack_bytes, (off_t)slot->stack_address);
	if (got < 0 && sp) { /* the red zone may lie in a guard page */
		slot->stack_address = sp;
		got = pread(mem_fd, slot->stack, stack_bytes, (off_t)sp);
	}
	slot->stack_length = got > 0 ? (uint32_t)got : 0;
	slot->stack_cut = slot->stack_length == stack_bytes;
	return got != 0;
}

bool capture_stack(int mem_fd, size_t stack_bytes, struct snapshot *slot)
{
	return capture_stack_at(mem_fd, arch_regset_sp(&slot->regset), stack_bytes, slot);
}
