/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-contexts WHERE: a coroutine on a stack of its own, which begins where a return
   address was made by hand. Above it there may be the stack of others.

   static, heap, inside (a part of main's stack): by makecontext. jump: by assembly without
   an unwind table, as that of boost. start: the return address is the start of a function
   that never returns, just behind another one. */

#include "tests/targets/stack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	BYTES = 64 << 10,
};

static ucontext_t outside, coroutine;

FRAME static void spin(void)
{
	for (volatile int n = 0; stack_goes_on; n++)
		;
}

void body(void);
FRAME void body(void)
{
	stack_ready();
	spin();
	NO_TAIL_CALL();
}

FRAME static void switch_to_context(char *stack)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = BYTES;
	coroutine.uc_link = &outside;
	makecontext(&coroutine, body, 0);
	swapcontext(&outside, &coroutine);
	NO_TAIL_CALL();
}

/* jump_to_stack(TOP) continues at the code that lies there. */
void jump_to_stack(void *top), begin_of_stack(void), crash(void);
__asm__(".text\n"
	".type begin_of_stack, @function\n"
	"begin_of_stack:\n"
	"	push %rbp\n" /* a return address: the next but one */
	"	jmp *%rbx\n"
	"1:	xor %edi, %edi\n"
	"	call abort\n"
	"	hlt\n"
	".size begin_of_stack, . - begin_of_stack\n"

	".type jump_to_stack, @function\n"
	"jump_to_stack:\n"
	"	lea body(%rip), %rbx\n"
	"	lea 1b(%rip), %rbp\n"
	"	mov %rdi, %rsp\n"
	"	ret\n"
	".size jump_to_stack, . - jump_to_stack\n"

	".type before_crash, @function\n"
	"before_crash:\n"
	"	ret\n"
	".size before_crash, . - before_crash\n"
	".type crash, @function\n"
	"crash:\n"
	"	sub $8, %rsp\n"
	"	call abort\n"
	".size crash, . - crash\n"
	".type after_crash, @function\n"
	"after_crash:\n"
	"	ret\n"
	".size after_crash, . - after_crash\n");

FRAME static void jump(char *stack, void (*first)(void), void (*second)(void))
{
	uintptr_t *top = (uintptr_t *)(void *)(stack + BYTES) - 32;
	top[0] = (uintptr_t)first;
	top[1] = (uintptr_t)second;
	/* what looks like a caller */
	for (int i = 2; i < 32; i++)
		top[i] = (uintptr_t)__builtin_return_address(0);
	jump_to_stack(top);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	static char stack[BYTES];
	char inside[BYTES];
	const char *where = argc > 1 ? argv[1] : "";
	if (strcmp(where, "static") == 0)
		switch_to_context(stack);
	else if (strcmp(where, "heap") == 0)
		switch_to_context(malloc(BYTES));
	else if (strcmp(where, "inside") == 0)
		switch_to_context(inside);
	else if (strcmp(where, "jump") == 0)
		jump(stack, begin_of_stack, NULL);
	else
		jump(stack, body, crash);
	return 0;
}
