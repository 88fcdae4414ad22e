/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-call.h"

#include <string.h>
#include <sys/user.h>

bool arch_hides_call(const struct arch_regset *regset, long *number)
{
	(void)regset;
	*number = -1;
	return false;
}

uint64_t arch_left_handler(const struct arch_regset *regset)
{
	(void)regset;
	return 0;
}

void arch_reveal_call(struct arch_regset *regset, const struct arch_call *call)
{
	(void)regset, (void)call;
}

bool arch_left_call(const struct arch_regset *regset, struct arch_call *call)
{
	struct user_regs_struct r;
	if (regset->size != sizeof(r))
		return false;
	memcpy(&r, regset->bytes, sizeof(r));
	*call = (struct arch_call){
		.number = (long)r.orig_rax,
		.arguments = {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9},
	};
	/* -1 when it came by an interrupt or an exception. */
	return call->number >= 0;
}

int64_t arch_call_result(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	return (int64_t)r.rax;
}

void arch_set_call_result(struct arch_regset *regset, int64_t result)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	r.rax = (unsigned long long)result;
	memcpy(regset->bytes, &r, sizeof(r));
}

uint64_t arch_call_address(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	return r.rip - ARCH_CALL_BYTES;
}

bool arch_is_call(const unsigned char code[ARCH_CALL_BYTES])
{
	return code[0] == 0x0f && code[1] == 0x05; /* syscall */
}

void arch_forget_call(struct arch_regset *regset)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	r.orig_rax = (unsigned long long)-1;
	memcpy(regset->bytes, &r, sizeof(r));
}

bool arch_forgets_call(const struct arch_regset *regset)
{
	(void)regset;
	return false;
}

void arch_ask_call(struct arch_regset *regset, const struct arch_call *call)
{
	arch_ask_call_at(regset, call, arch_call_address(regset));
}

void arch_ask_call_at(
	struct arch_regset *regset, const struct arch_call *call, uint64_t address)
{
	struct user_regs_struct r;
	memcpy(&r, regset->bytes, sizeof(r));
	r.rip = address;
	r.rax = (unsigned long long)call->number;
	r.orig_rax = (unsigned long long)-1;
	r.rdi = call->arguments[0];
	r.rsi = call->arguments[1];
	r.rdx = call->arguments[2];
	r.r10 = call->arguments[3];
	r.r8 = call->arguments[4];
	r.r9 = call->arguments[5];
	memcpy(regset->bytes, &r, sizeof(r));
}
