/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a call leaves its number and all arguments but the first in registers, and the result takes the place
   of the first: aarch64, riscv64. */
#include "src/arch/arch-call.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* Words of a regset. At a stop the kernel has already decided whether it starts the call again. It shows
   neither the first argument nor that there was a call: ptrace/left-call.h has both from it by a
   detour, and they are kept behind the registers. */
enum {
	CALL = ARCH_REGSET_BYTES / 8 - 2, /* its number and 1; 0: not looked for; or: */
	FIRST_ARGUMENT,
	FORGOTTEN = -1,
	NOT_TOLD = -2,
	NUMBERS = 1 << 10, /* of calls */
};

static uint64_t get(const struct arch_regset *regset, unsigned word)
{
	uint64_t value;
	memcpy(&value, regset->bytes + word * sizeof(value), sizeof(value));
	return value;
}

static void set(struct arch_regset *regset, unsigned word, uint64_t value)
{
	memcpy(regset->bytes + word * sizeof(value), &value, sizeof(value));
}

static bool is_native(const struct arch_regset *regset)
{
	return regset->size == ARCH_GENERAL_BYTES;
}

bool arch_hides_call(const struct arch_regset *regset, long *number)
{
	*number = (long)get(regset, ARCH_WORD_NUMBER);
	return is_native(regset) && get(regset, CALL) == 0 && (uint64_t)*number < NUMBERS;
}

void arch_reveal_call(struct arch_regset *regset, const struct arch_call *call)
{
	set(regset, CALL, (uint64_t)(call ? call->number + 1 : NOT_TOLD));
	set(regset, FIRST_ARGUMENT, call ? call->arguments[0] : 0);
}

bool arch_left_call(const struct arch_regset *regset, struct arch_call *call)
{
	int64_t told = (int64_t)get(regset, CALL);
	call->number = (long)told - 1;
	call->arguments[0] = get(regset, FIRST_ARGUMENT);
	for (unsigned i = 1; i < ARCH_CALL_ARGUMENTS; i++)
		call->arguments[i] = get(regset, ARCH_WORD_ARGUMENT + i);
	return is_native(regset) && told > 0;
}

int64_t arch_call_result(const struct arch_regset *regset)
{
	return (int64_t)get(regset, ARCH_WORD_ARGUMENT);
}

void arch_set_call_result(struct arch_regset *regset, int64_t result)
{
	set(regset, ARCH_WORD_ARGUMENT, (uint64_t)result);
}

uint64_t arch_call_address(const struct arch_regset *regset)
{
	return get(regset, ARCH_WORD_PC) - ARCH_CALL_BYTES;
}

bool arch_is_call(const unsigned char code[ARCH_CALL_BYTES])
{
	uint32_t word;
	memcpy(&word, code, sizeof(word));
	return word == (uint32_t)ARCH_CALL_CODE;
}

/* Without a note the number itself says so, and is lost: programs load it anew for each call. */
void arch_forget_call(struct arch_regset *regset)
{
	set(regset, CALL, (uint64_t)FORGOTTEN);
	if (ARCH_CALL_NOTE == 0)
		set(regset, ARCH_WORD_NUMBER, (uint64_t)FORGOTTEN);
}

bool arch_forgets_call(const struct arch_regset *regset)
{
	return ARCH_CALL_NOTE != 0 && is_native(regset) &&
	       get(regset, CALL) == (uint64_t)FORGOTTEN;
}

void arch_ask_call(struct arch_regset *regset, const struct arch_call *call)
{
	arch_ask_call_at(regset, call, arch_call_address(regset));
}

void arch_ask_call_at(
	struct arch_regset *regset, const struct arch_call *call, uint64_t address)
{
	set(regset, ARCH_WORD_PC, address);
	set(regset, ARCH_WORD_NUMBER, (uint64_t)call->number);
	for (unsigned i = 0; i < ARCH_CALL_ARGUMENTS; i++)
		set(regset, ARCH_WORD_ARGUMENT + i, call->arguments[i]);
	set(regset, CALL, (uint64_t)FORGOTTEN);
}

/* A signal that comes now would not be noticed by who waits for it with this call only. */
static bool has_own_mask(const struct arch_call *call)
{
	return (call->number == SYS_epoll_pwait || call->number == SYS_epoll_pwait2) &&
	       call->arguments[4] != 0;
}

bool arch_restart_interrupted_syscall(struct arch_regset *regset)
{
	struct arch_call call;
	if (!arch_left_call(regset, &call) || arch_call_result(regset) != -EINTR ||
		has_own_mask(&call))
		return false;
	arch_ask_call(regset, &call);
	return true;
}

/* The kernel has chosen the other call before the stop. */
bool arch_restart_whole_syscall(struct arch_regset *regset)
{
	(void)regset;
	return false;
}
