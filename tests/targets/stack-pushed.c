/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code in a file that no table describes and that does with the stack what V8's builtins do: a loop
   that pushes as many words as the caller says, and a return address that is taken off and pushed
   again elsewhere before the return. */

#include "tests/targets/stack.h"

/* Has a frame with WORDS words of 0 below what it saved, and calls "entry". */
void interpreter(long words);
__asm__(".text\n"
	".type callee, @function\n"
	"callee:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov $1000000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".size callee, . - callee\n"

	/* r15 is the caller's stack pointer less a word, and the same address as that of the
	   return address if it has no arguments, as here. */
	".type entry, @function\n"
	"entry:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push $6\n"
	"	push $0\n"
	"	and $-16, %rsp\n"
	"	lea 8(%rbp), %r15\n"
	"	call callee\n"
	"	leave\n"
	"	pop %rcx\n"
	"	lea 8(%r15), %rsp\n"
	"	push %rcx\n"
	"	ret\n"
	".size entry, . - entry\n"

	".type interpreter, @function\n"
	"interpreter:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %r15\n"
	"	xor %eax, %eax\n"
	"	jmp 2f\n"
	"1:	push %rax\n"
	"2:	dec %rdi\n"
	"	jge 1b\n"
	"	call entry\n"
	"	mov -8(%rbp), %r15\n"
	"	leave\n"
	"	pop %rcx\n"
	"	push %rcx\n"
	"	ret\n"
	".size interpreter, . - interpreter\n");

FRAME static void run(void)
{
	stack_ready();
	while (stack_goes_on)
		interpreter(10);
	NO_TAIL_CALL();
}

int main(void)
{
	run();
	return 0;
}
