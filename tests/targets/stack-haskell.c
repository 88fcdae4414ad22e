/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-haskell WHAT: code as GHC makes it, with a stack in the heap, where the frame pointer
   points to. scheduler enters it by a jump, as GHC's runtime does.

   The callers of leaf are, from the inside: returned, large, counted, update and handler,
   with frames of the kinds that there are, and the first frame of a Haskell thread. leaf and
   returned take turns; returned keeps its frame meanwhile.

   whole: just that. foreign: leaf calls C. arguments: below leaf's callers are words that are
   in no frame. endless: the first frame of the thread is missing. chunks: counted, update and
   handler are in another chunk of the stack each. */

#include "tests/targets/stack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A runtime is known by this (src/read/runtimes/haskell/haskell-stack.h). */
__attribute__((used)) static const char version[] = "(GHC version %s for %s)";

enum {
	STACK_BYTES = 32 << 10,
	WORDS = STACK_BYTES / 8,
	WORK = 200000,
	SMALL = 3,  /* words of a frame, without the first one, as its bitmap says */
	LARGE = 70, /* as its bitmap says, which is elsewhere */
	COUNTED = 5,
	CHUNK_SP = 2, /* a word of a chunk */
};

/* Before each piece of code is a table: the frame's layout, and its kind. */
#define CODE(name, layout, kind)     \
	"	.balign 8\n"               \
	"	.quad " layout "\n"  \
	"	.long " kind ", 0\n" \
	".type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"
#define NEVER_RETURNED_TO(name, layout, kind) \
	CODE(name, layout, kind) "	ud2\n" END(name)
#define SPIN "	mov $200000, %ecx\n1:	dec %ecx\n	jnz 1b\n"

extern const char first[], underflow[], handler[], update[], counted[], large[],
	returned[], leaf[];
extern void enter(const void *code, void *stack);

__attribute__((used)) static int calls_c;
__attribute__((used)) static int has_arguments;

__asm__(".section .rodata\n"
	"	.balign 8\n"
	"bitmap: .quad 70, 0, 0\n"
	".text\n" /* clang-format off */
	NEVER_RETURNED_TO("first", "0", "36")
	NEVER_RETURNED_TO("underflow", "1", "35")
	NEVER_RETURNED_TO("handler", "(1 << 6) + 2", "34")
	NEVER_RETURNED_TO("update", "1", "33")
	NEVER_RETURNED_TO("counted", "0", "32")
	NEVER_RETURNED_TO("large", "bitmap - large", "31")
	CODE("returned", "(2 << 6) + 3", "30")
	SPIN
	"	lea leaf(%rip), %rax\n"
	"	cmpl $0, has_arguments(%rip)\n"
	"	jne 2f\n"
	"	jmp *%rax\n"
	"2:	sub $24, %rbp\n"
	"	jmp *%rax\n"
	END("returned")
	CODE("leaf", "0", "8")
	SPIN
	"	cmpl $0, calls_c(%rip)\n"
	"	je 2f\n"
	"	sub $8, %rsp\n"
	"	call in_c\n"
	"	add $8, %rsp\n"
	"2:	cmpl $0, has_arguments(%rip)\n"
	"	je 3f\n"
	"	add $24, %rbp\n"
	"3:	jmp *(%rbp)\n"
	END("leaf") /* clang-format on */
	/* StgRun in rts/StgCRun.c */
	".type enter, @function\n"
	"enter:\n"
	"	.cfi_startproc\n"
	"	sub $48, %rsp\n"
	"	mov %rsp, %rax\n"
	"	sub $16384, %rsp\n"
	"	mov %rbx, 0(%rax)\n"
	"	mov %rbp, 8(%rax)\n"
	"	mov %r12, 16(%rax)\n"
	"	mov %r13, 24(%rax)\n"
	"	mov %r14, 32(%rax)\n"
	"	mov %r15, 40(%rax)\n"
	"	mov %rsi, %rbp\n"
	"	mov %rdi, %rax\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n" END("enter"));

__attribute__((used)) FRAME static void in_c(void)
{
	for (volatile int i = 0; i < WORK; i++)
		;
}

/* A stack of WORDS words. A chunk has a head, in which the stack pointer is kept. */
static uint64_t *new_chunk(void)
{
	uint64_t *chunk = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (chunk == MAP_FAILED)
		exit(EXIT_FAILURE);
	return chunk;
}

/* Put a frame of N words on the stack that ends at *TOP. */
static void push(uint64_t **top, const char *code, size_t n)
{
	*top -= n;
	memset(*top, 0, n * sizeof(**top));
	**top = (uintptr_t)code;
}

/* If IN_CHUNKS, go on in another chunk than *CHUNK. */
static void grow(uint64_t **chunk, uint64_t **top, bool in_chunks)
{
	if (!in_chunks)
		return;
	uint64_t *left = *chunk;
	left[CHUNK_SP] = (uintptr_t)*top;
	*chunk = new_chunk();
	*top = *chunk + WORDS;
	push(top, underflow, 2);
	(*top)[1] = (uintptr_t)left;
}

FRAME static void scheduler(bool is_endless, bool in_chunks)
{
	uint64_t *chunk = new_chunk(), *top = chunk + WORDS;
	if (!is_endless)
		push(&top, first, 1);
	push(&top, handler, 3);
	grow(&chunk, &top, in_chunks);
	push(&top, update, 2);
	grow(&chunk, &top, in_chunks);
	push(&top, counted, 3 + COUNTED);
	top[1] = COUNTED;
	grow(&chunk, &top, in_chunks);
	push(&top, large, 1 + LARGE);
	push(&top, returned, 1 + SMALL);
	stack_ready();
	enter(returned, top);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	calls_c = strcmp(what, "foreign") == 0;
	has_arguments = strcmp(what, "arguments") == 0;
	scheduler(strcmp(what, "endless") == 0, strcmp(what, "chunks") == 0);
	return EXIT_SUCCESS;
}
