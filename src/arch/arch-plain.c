/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor of which only registers are known (ARCH_KNOWS_CODE is 0). libunwind walks the stacks. A
   system call that a stop cuts short stays cut short, if the kernel does not start it again. */
#include "src/arch/arch-call.h"
#include "src/arch/arch-code.h"

/* --- instructions -------------------------------------------------------------------- */

const arch_set arch_preserved, arch_handler_arguments;

bool arch_decode_insn(const unsigned char *code, size_t length, struct arch_insn *out)
{
	(void)code, (void)length;
	*out = (struct arch_insn){.length = 0};
	return false;
}

bool arch_ends_with_call(const unsigned char *after, size_t count)
{
	(void)after, (void)count;
	return false;
}

bool arch_is_plt_push(const unsigned char *code)
{
	(void)code;
	return false;
}

bool arch_called_slot(const unsigned char *after, int32_t *distance)
{
	(void)after, (void)distance;
	return false;
}

enum arch_reference arch_reference(const unsigned char *code, int64_t *to)
{
	(void)code, (void)to;
	return ARCH_REFERENCE_NONE;
}

bool arch_may_start_behind(const unsigned char *after)
{
	(void)after;
	return false;
}

bool arch_is_thread_record(
	const uint64_t words[ARCH_RECORD_WORDS], uint64_t thread_pointer)
{
	(void)words, (void)thread_pointer;
	return false;
}

/* --- system calls: no thread seems to leave one --------------------------------------- */

bool arch_hides_call(const struct arch_regset *regset, long *number)
{
	(void)regset, (void)number;
	return false;
}

void arch_reveal_call(struct arch_regset *regset, const struct arch_call *call)
{
	(void)regset, (void)call;
}

uint64_t arch_left_handler(const struct arch_regset *regset)
{
	(void)regset;
	return 0;
}

bool arch_left_call(const struct arch_regset *regset, struct arch_call *call)
{
	(void)regset;
	*call = (struct arch_call){.number = -1};
	return false;
}

int64_t arch_call_result(const struct arch_regset *regset)
{
	(void)regset;
	return 0;
}

void arch_set_call_result(struct arch_regset *regset, int64_t result)
{
	(void)regset, (void)result;
}

uint64_t arch_call_address(const struct arch_regset *regset)
{
	(void)regset;
	return 0;
}

bool arch_is_call(const unsigned char code[ARCH_CALL_BYTES])
{
	(void)code;
	return false;
}

void arch_forget_call(struct arch_regset *regset)
{
	(void)regset;
}

bool arch_forgets_call(const struct arch_regset *regset)
{
	(void)regset;
	return false;
}

void arch_ask_call(struct arch_regset *regset, const struct arch_call *call)
{
	(void)regset, (void)call;
}

void arch_ask_call_at(
	struct arch_regset *regset, const struct arch_call *call, uint64_t address)
{
	(void)regset, (void)call, (void)address;
}

bool arch_restart_interrupted_syscall(struct arch_regset *regset)
{
	(void)regset;
	return false;
}

bool arch_restart_whole_syscall(struct arch_regset *regset)
{
	(void)regset;
	return false;
}
