/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code like Java's: an interpreter with a frame pointer, and compiled code
   without one. The interpreter does not call that code: it pushes a return address and
   jumps. */

#include "tests/targets/stack.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t interpreter[] = {
	0x55,			      /* push %rbp */
	0x48, 0x89, 0xe5,	      /* mov %rsp, %rbp */
	0x48, 0x83, 0xec, 0x20,	      /* sub $32, %rsp */
	0x48, 0x8d, 0x05, 8, 0, 0, 0, /* lea back(%rip), %rax */
	0x50,			      /* push %rax */
	0xe9, 4, 0, 0, 0,	      /* jmp compiled */
	0xcc, 0xcc,		      /* */
	0xc9, 0xc3,		      /* back: leave, ret */
};

static const uint8_t compiled[] = {
	0x48, 0x83, 0xec, 0x18,	      /* sub $24, %rsp */
	0x48, 0x89, 0x6c, 0x24, 0x10, /* mov %rbp, 16(%rsp) */
	0x31, 0xed,		      /* xor %ebp, %ebp */
	0xb9, 0x40, 0x42, 0x0f, 0,    /* mov $1000000, %ecx */
	0xff, 0xc9,		      /* dec %ecx */
	0x75, 0xfc,		      /* jnz back to it */
	0x48, 0x8b, 0x6c, 0x24, 0x10, /* mov 16(%rsp), %rbp */
	0x48, 0x83, 0xc4, 0x18,	      /* add $24, %rsp */
	0xc3,			      /* ret */
};

FRAME static void run(void (*code)(void))
{
	stack_ready();
	while (stack_goes_on)
		code();
	NO_TAIL_CALL();
}

int main(void)
{
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, interpreter, sizeof(interpreter));
	memcpy(memory + sizeof(interpreter), compiled, sizeof(compiled));
	void (*code)(void);
	memcpy(&code, &memory, sizeof(code));
	run(code);
	return 0;
}
