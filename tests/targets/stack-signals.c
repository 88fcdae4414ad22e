/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Busy in a signal handler. The argument says what was interrupted: "raise", a function
   in a system call; "alternate", the same with the handler on its own stack; "first", the
   very first instruction of a function, where the byte before it belongs to another one
   with another frame; "null", a call through a null pointer. And "last": no signal, but a
   call that is the last instruction of a function, so that its return address is in the
   next one. */

#include "tests/targets/stack.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

void spin(void);
FRAME void spin(void)
{
	stack_ready();
	for (volatile unsigned long n = 0; stack_goes_on; n++)
		;
}

FRAME static void on_signal(int number)
{
	volatile int kept = number;
	spin();
	(void)kept;
	NO_TAIL_CALL();
}

/* A frame without a frame pointer, a call, and an instruction that faults. */
#ifdef __aarch64__
#define LARGE_FRAME                    \
	"	stp x29, x30, [sp, #-96]!\n" \
	"	.cfi_def_cfa_offset 96\n"    \
	"	.cfi_offset 29, -96\n"       \
	"	.cfi_offset 30, -88\n"
#define CALL_SPIN "	bl spin\n"
#define FAULT	  "	udf #0\n"
#else
#define LARGE_FRAME         \
	"	sub $120, %rsp\n" \
	"	.cfi_adjust_cfa_offset 120\n"
#define CALL_SPIN "	call spin\n"
#define FAULT	  "	ud2\n"
#endif

void last_instruction(void);
__asm__(".text\n"
	".type last_instruction, %function\n"
	"last_instruction:\n"
	"	.cfi_startproc\n" LARGE_FRAME CALL_SPIN "	.cfi_endproc\n"
	".size last_instruction, . - last_instruction\n"
	".type after_last, %function\n"
	"after_last:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size after_last, . - after_last\n");

/* before_first cannot return and leaves no byte between itself and the other. */
void first_instruction(void);
__asm__(".text\n"
	".type before_first, %function\n"
	"before_first:\n"
	"	.cfi_startproc\n" LARGE_FRAME FAULT "	.cfi_endproc\n"
	".size before_first, . - before_first\n"
	".type first_instruction, %function\n"
	"first_instruction:\n"
	"	.cfi_startproc\n" FAULT "	ret\n"
	"	.cfi_endproc\n"
	".size first_instruction, . - first_instruction\n");

FRAME static void interrupted(const char *how)
{
	void (*volatile nowhere)(void) = NULL;
	USE_STACK(24);
	if (strcmp(how, "first") == 0)
		first_instruction();
	else if (strcmp(how, "last") == 0)
		last_instruction();
	else if (strcmp(how, "null") == 0)
		nowhere();
	else
		raise(SIGUSR1);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "raise";
	struct sigaction action = {.sa_handler = on_signal};
	if (strcmp(how, "alternate") == 0) {
		stack_t stack = {.ss_size = 64 * 1024};
		stack.ss_sp = malloc(stack.ss_size);
		sigaltstack(&stack, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	interrupted(how);
	return 0;
}
