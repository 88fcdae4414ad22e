/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor of whose code nothing is known (ARCH_KNOWS_CODE is 0): all answers are no. libunwind walks the
   stacks. */
#include "src/arch/arch-code.h"

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
