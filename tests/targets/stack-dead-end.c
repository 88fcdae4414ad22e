/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-dead-end WHICH: code that never returns, that no table describes and no symbol
   names, so that nothing tells how large its frame is. Its caller is there all the same.

   direct: a large frame, below a direct call. pointer: the same, called through a
   pointer. generated: a caller in generated code, in which the frame pointer is 0.
   entered: generated code that a dispatcher jumps to, in the dispatcher's frame. last:
   the caller has a symbol, and ends with the call, so that the return address is that of
   the next function. linked: generated code with frame pointers, on a stack of its own,
   whose first frame pointer is 0; above that lies what looks like a return address. */

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

static const uint8_t linked[] = {
	0x48, 0x89, 0xfc,	       /* mov %rdi, %rsp */
	0x31, 0xed,		       /* xor %ebp, %ebp */
	0x48, 0x8d, 0x05, 44, 0, 0, 0, /* lea exit(%rip), %rax */
	0x50,			       /* push %rax */
	0x55,			       /* first: push %rbp */
	0x48, 0x89, 0xe5,	       /* mov %rsp, %rbp */
	0xe8, 2, 0, 0, 0,	       /* call second */
	0xc9, 0xc3,		       /* leave, ret */
	0x55,			       /* second: push %rbp */
	0x48, 0x89, 0xe5,	       /* mov %rsp, %rbp */
	0xe8, 6, 0, 0, 0,	       /* again: call leaf */
	0x85, 0xff,		       /* test %edi, %edi */
	0x75, 0xf7,		       /* jnz again */
	0xc9, 0xc3,		       /* leave, ret */
	0x55,			       /* leaf: push %rbp */
	0x48, 0x89, 0xe5,	       /* mov %rsp, %rbp */
	0xb9, 0xff, 0xff, 0xff, 0x7f,  /* mov $0x7fffffff, %ecx */
	0xff, 0xc9,		       /* dec %ecx */
	0x75, 0xfc,		       /* jnz back to it */
	0xc9, 0xc3,		       /* leave, ret */
	0xcc, 0xcc,		       /* */
	0x0f, 0x0b,		       /* exit: ud2 */
};

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

/* As valgrind's, and that of the Haskell runtime. */
void dispatch(const void *code);
__asm__(".text\n"
	".type dispatch, @function\n"
	"dispatch:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	sub $4096, %rsp\n"
	"	jmp *%rdi\n"
	"	add $4096, %rsp\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	".size dispatch, . - dispatch\n");

static const uint8_t endless[] = {
	0xff, 0xc9, /* dec %ecx */
	0xeb, 0xfc, /* jmp back to it */
};

void never_back(void), ends_with_call(void);
FRAME void never_back(void)
{
	for (volatile int n = 0; stack_goes_on; n++)
		;
}

__asm__(".text\n"
	".type ends_with_call, @function\n"
	"ends_with_call:\n"
	"	push %rbx\n"
	"	sub $48, %rsp\n"
	"	call never_back\n"
	".size ends_with_call, . - ends_with_call\n"
	".type behind_it, @function\n"
	"behind_it:\n"
	"	pop %rbx\n"
	"	ret\n"
	".size behind_it, . - behind_it\n");

static void *executable(const void *code, size_t size)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memcpy(memory, code, size);
}

static void call_generated(void)
{
	void *memory = executable(generated, sizeof(generated));
	void (*code)(void);
	if (!memory)
		return;
	memcpy(&code, &memory, sizeof(code));
	code();
}

/* As processes of Erlang's, whose stacks lie in their heaps. */
static void call_linked(void *like_above)
{
	enum {
		BYTES = 64 << 10,
		WORDS_ABOVE = 64,
	};
	void *memory = executable(linked, sizeof(linked));
	char *stack = mmap(
		NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*code)(void *);
	if (!memory || stack == MAP_FAILED)
		return;
	void **top = (void **)(void *)(stack + BYTES) - WORDS_ABOVE;
	for (int i = 1; i < WORDS_ABOVE; i++)
		top[i] = like_above;
	memcpy(&code, &memory, sizeof(code));
	code(top);
}

FRAME static void run(const char *which)
{
	void (*volatile by_pointer)(void) = ends_with_call;
	stack_ready();
	if (strcmp(which, "direct") == 0)
		call_directly();
	else if (strcmp(which, "pointer") == 0)
		call_by_pointer();
	else if (strcmp(which, "generated") == 0)
		call_generated();
	else if (strcmp(which, "last") == 0)
		by_pointer();
	else if (strcmp(which, "linked") == 0)
		call_linked(__builtin_return_address(0));
	else
		dispatch(executable(endless, sizeof(endless)));
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	run(argc > 1 ? argv[1] : "");
	return 0;
}
