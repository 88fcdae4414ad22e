/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code in a file that is entered by a return, not by a call: V8 makes functions that it
   deoptimizes return to the start of a routine that continues in their frame. No table
   describes it. */

#include "tests/targets/stack.h"

/* Stands in a frame of its own, and jumps to "callee" behind a return address to
   "go_on", which is the start of a function. */
void interpreted(void);
__asm__(".text\n"
	".type callee, @function\n"
	"callee:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $16, %rsp\n"
	"	mov $1000000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	".size callee, . - callee\n"

	".type before, @function\n"
	"before:\n"
	"	ret\n"
	".size before, . - before\n"

	".type go_on, @function\n"
	"go_on:\n"
	"	lea 1f(%rip), %rax\n"
	"	jmp *%rax\n" /* the code does not tell what follows */
	"1:	leave\n"
	"	ret\n"
	".size go_on, . - go_on\n"

	".type interpreted, @function\n"
	"interpreted:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $32, %rsp\n"
	"	lea go_on(%rip), %rax\n"
	"	push %rax\n"
	"	jmp callee\n"
	".size interpreted, . - interpreted\n");

FRAME static void run(void)
{
	stack_ready();
	while (stack_goes_on)
		interpreted();
	NO_TAIL_CALL();
}

int main(void)
{
	run();
	return 0;
}
