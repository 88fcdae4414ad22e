/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-dead-end WHICH: code that never returns, that no table describes and no symbol
   names, so that nothing tells how large its frame is. Its caller is there all the same.

   direct: a large frame, below a direct call. pointer: the same, called through a pointer.
   generated: a caller in generated code, in which the frame pointer is 0. */

#include "tests/targets/stack.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_FRAME           \
	"	sub $16384, %rsp\n" \
	"	mov %rsp, %rdi\n"   \
	"	mov $2048, %ecx\n"  \
	"	xor %eax, %eax\n"   \
	"	rep stosq\n"        \
	"2:	add $1, %rax\n"   \
	"	jmp 2b\n"           \
	"	.skip 64, 0xcc\n"

void call_directly(void), call_by_pointer(void);
__asm__(".text\n"
	".type call_directly, @function\n"
	"call_directly:\n"
	"	sub $8, %rsp\n"
	"	call 1f\n"
	"	add $8, %rsp\n"
	"	ret\n"
	".size call_directly, . - call_directly\n"
	"	.skip 64, 0xcc\n"
	"1:\n" LARGE_FRAME

	".type call_by_pointer, @function\n"
	"call_by_pointer:\n"
	"	sub $8, %rsp\n"
	"	lea 1f(%rip), %rax\n"
	"	call *%rax\n"
	"	add $8, %rsp\n"
	"	ret\n"
	".size call_by_pointer, . - call_by_pointer\n"
	"	.skip 64, 0xcc\n"
	"1:\n" LARGE_FRAME);

static const uint8_t generated[] = {
	0x48, 0x83, 0xec, 0x18,	      /* sub $24, %rsp */
	0x31, 0xed,		      /* xor %ebp, %ebp */
	0x48, 0x8d, 0x05, 6, 0, 0, 0, /* lea leaf(%rip), %rax */
	0xff, 0xd0,		      /* again: call *%rax */
	0xeb, 0xfc,		      /* jmp again */
	0xcc, 0xcc,		      /* */
	0xb9, 0x40, 0x42, 0x0f, 0,    /* leaf: mov $1000000, %ecx */
	0xff, 0xc9,		      /* dec %ecx */
	0x75, 0xfc,		      /* jnz back to it */
	0xc3,			      /* ret */
};

static void call_generated(void)
{
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*code)(void);
	if (memory == MAP_FAILED)
		return;
	memcpy(memory, generated, sizeof(generated));
	memcpy(&code, &memory, sizeof(code));
	code();
}

FRAME static void run(const char *which)
{
	stack_ready();
	if (strcmp(which, "direct") == 0)
		call_directly();
	else if (strcmp(which, "pointer") == 0)
		call_by_pointer();
	else
		call_generated();
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	run(argc > 1 ? argv[1] : "");
	return 0;
}
