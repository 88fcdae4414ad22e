/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-call.h"

#include "src/arch/arch-aarch64-words.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>

/* A regset of this processor. At a stop the kernel has already decided whether it starts the call
   again. It shows neither the first argument, where the result is now, nor that there was a call:
   ptrace/left-call.h has both from it by a detour. */
struct a64_regset {
	struct user_regs_struct r;
	uint64_t thread_pointer;
	int64_t call; /* its number and 1; 0: not looked for; or: */
	uint64_t first_argument;
};

enum {
	FORGOTTEN = -1,
	NOT_TOLD = -2,
	NUMBERS = 1 << 10, /* of calls */
};

_Static_assert(sizeof(struct a64_regset) == ARCH_REGSET_BYTES, "what arch.h says");

static struct a64_regset get(const struct arch_regset *regset)
{
	struct a64_regset all;
	memcpy(&all, regset->bytes, sizeof(all));
	return all;
}

static void set(struct arch_regset *regset, const struct a64_regset *all)
{
	memcpy(regset->bytes, all, sizeof(*all));
}

static bool is_native(const struct arch_regset *regset)
{
	return regset->size == sizeof(struct user_regs_struct);
}

bool arch_hides_call(const struct arch_regset *regset, long *number)
{
	struct a64_regset all = get(regset);
	*number = (long)all.r.regs[8];
	return is_native(regset) && all.call == 0 && all.r.regs[8] < NUMBERS;
}

/* Below the record of a frame; both are aligned (get_sigframe in
   arch/arm64/kernel/signal.c). Vectors of more than 1024 bits make it larger. */
uint64_t arch_left_handler(const struct arch_regset *regset)
{
	enum {
		RECORD_BYTES = 16,
		SIGNAL_FRAME_BYTES = 128 + 176 + 288 + 4096,
	};
	return (get(regset).r.sp & ~UINT64_C(15)) - RECORD_BYTES - SIGNAL_FRAME_BYTES;
}

void arch_reveal_call(struct arch_regset *regset, const struct arch_call *call)
{
	struct a64_regset all = get(regset);
	all.call = call ? call->number + 1 : NOT_TOLD;
	all.first_argument = call ? call->arguments[0] : 0;
	set(regset, &all);
}

bool arch_left_call(const struct arch_regset *regset, struct arch_call *call)
{
	struct a64_regset all = get(regset);
	const unsigned long long *x = all.r.regs;
	*call = (struct arch_call){
		.number = (long)all.call - 1,
		.arguments = {all.first_argument, x[1], x[2], x[3], x[4], x[5]},
	};
	return is_native(regset) && all.call > 0;
}

int64_t arch_call_result(const struct arch_regset *regset)
{
	return (int64_t)get(regset).r.regs[0];
}

void arch_set_call_result(struct arch_regset *regset, int64_t result)
{
	struct a64_regset all = get(regset);
	all.r.regs[0] = (unsigned long long)result;
	set(regset, &all);
}

uint64_t arch_call_address(const struct arch_regset *regset)
{
	return get(regset).r.pc - ARCH_CALL_BYTES;
}

bool arch_is_call(const unsigned char code[ARCH_CALL_BYTES])
{
	return a64_word(code) == (uint32_t)A64_SVC;
}

void arch_forget_call(struct arch_regset *regset)
{
	struct a64_regset all = get(regset);
	all.call = FORGOTTEN;
	set(regset, &all);
}

bool arch_forgets_call(const struct arch_regset *regset)
{
	return is_native(regset) && get(regset).call == FORGOTTEN;
}

void arch_ask_call(struct arch_regset *regset, const struct arch_call *call)
{
	arch_ask_call_at(regset, call, arch_call_address(regset));
}

void arch_ask_call_at(
	struct arch_regset *regset, const struct arch_call *call, uint64_t address)
{
	struct a64_regset all = get(regset);
	all.r.pc = address;
	all.r.regs[8] = (unsigned long long)call->number;
	for (unsigned i = 0; i < ARCH_CALL_ARGUMENTS; i++)
		all.r.regs[i] = call->arguments[i];
	all.call = FORGOTTEN;
	set(regset, &all);
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
