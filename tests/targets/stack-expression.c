/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-expression: main -> outer -> middle -> spin, where the unwind table of middle is right
   only if its callee has changed the frame pointer. As it has not, the table skips a caller:
   it leads to main. The calls tell that it was outer. sbcl's call_into_lisp_ has such a table. */
#include "tests/targets/stack.h"

void outer(void), spin(void);

void spin(void)
{
	stack_ready();
	while (stack_goes_on)
		;
}

/* CFA: the word at the frame pointer, + 16. */
#define EXPRESSION ".cfi_escape 0x0f, 5, 0x76, 0, 0x06, 0x40, 0x22\n"

__asm__(".text\n"
	".type outer, @function\n"
	"outer:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	call middle\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size outer, . - outer\n"

	".type middle, @function\n"
	"middle:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n" EXPRESSION "	call spin\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size middle, . - middle\n");

int main(void)
{
	outer();
	return 0;
}
