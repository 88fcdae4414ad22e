/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and tables that lead an unwinder in a circle. The argument: "frames", frame
   pointers that form a ring, in code of no file; "self", one that points to itself;
   "same", CFI by which the
   caller has the same stack pointer; "loop", CFI with an expression that never ends;
   "zero", a return address of 0 in the middle of nowhere; "away", a stack that goes on
   in another mapping. */

#include "tests/targets/stack.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* void spin_at(rbp): run with that frame pointer. 8 bytes of it are enough anywhere. */
void spin_at(void *frame_pointer);
void spin_same(void);
void spin_loop(void);
void spin_zero(void);
/* On the stack at STACK. */
void spin_away(void *stack);
__asm__(".text\n"
	".type spin_at, @function\n"
	"spin_at:\n"
	"	mov %rdi, %rbp\n"
	"1:	pause\n"
	"	jmp 1b\n"
	".size spin_at, . - spin_at\n"

	".type spin_same, @function\n"
	"spin_same:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa %rsp, 0\n"
	"	.cfi_offset %rip, 0\n"
	"1:	pause\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size spin_same, . - spin_same\n"

	/* DW_CFA_def_cfa_expression, 3 bytes: DW_OP_skip -3 */
	".type spin_loop, @function\n"
	"spin_loop:\n"
	"	.cfi_startproc\n"
	"	.cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\n"
	"1:	pause\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size spin_loop, . - spin_loop\n"

	".type spin_zero, @function\n"
	"spin_zero:\n"
	"	.cfi_startproc\n"
	"	mov %rsp, %rbp\n"
	"	pushq $0\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"1:	pause\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size spin_zero, . - spin_zero\n"

	".type spin_away, @function\n"
	"spin_away:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov %rdi, %rsp\n"
	"1:	pause\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size spin_away, . - spin_away\n");

/* As a JIT compiler does it: in memory of its own. */
static void spin_in_no_file(void *frame_pointer)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*spin)(void *);
	if (code == MAP_FAILED)
		return;
	memcpy(code, (const void *)(uintptr_t)spin_at, 8);
	memcpy(&spin, &code, sizeof(spin));
	stack_ready();
	spin(frame_pointer);
}

/* More than a copy is long, so that this is cut off. */
static void spin_elsewhere(void)
{
	enum {
		STACK = 1 << 20
	};
	char *stack = mmap(
		NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_ready();
	if (stack != MAP_FAILED)
		spin_away(stack + STACK / 2);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "frames";
	/* Pairs of frame pointer and return address, below main's own frame. */
	volatile uintptr_t ring[4];
	ring[0] = (uintptr_t)&ring[2];
	ring[2] = strcmp(how, "self") == 0 ? (uintptr_t)&ring[2] : (uintptr_t)&ring[0];
	ring[1] = ring[3] = (uintptr_t)spin_at;
	if (strcmp(how, "frames") == 0 || strcmp(how, "self") == 0)
		spin_in_no_file((void *)ring);
	if (strcmp(how, "away") == 0)
		spin_elsewhere();
	stack_ready();
	if (strcmp(how, "same") == 0)
		spin_same();
	else if (strcmp(how, "loop") == 0)
		spin_loop();
	else if (strcmp(how, "zero") == 0)
		spin_zero();
	return (int)ring[0];
}
