/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs code that only a table registered with debuggers describes; with "object", one as LLVM
   makes it. */

#include "tests/targets/registered-file.h"
#include "tests/targets/stack.h"

#include <sys/mman.h>

/* --- gdb's interface, as its manual has it --------------------------------------------- */

struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const void *file;
	uint64_t file_bytes;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
};

/* Names that the interface demands; nobody calls the function. */
/* NOLINTBEGIN */
struct jit_descriptor __jit_debug_descriptor = {.version = 1};
void __jit_debug_register_code(void);
FRAME void __jit_debug_register_code(void)
{
	NO_TAIL_CALL();
}
/* NOLINTEND */

static void register_file(void)
{
	static struct jit_code_entry entry = {
		.file = &file,
		.file_bytes = sizeof(file),
	};
	__jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &entry;
	__jit_debug_register_code();
}

FRAME static void run(void (*code)(void **next), void **next)
{
	stack_ready();
	while (stack_goes_on)
		code(next);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	(void)argv;
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, instructions, sizeof(instructions));
	make_file((uint64_t)(uintptr_t)memory, argc > 1);
	register_file();
	void *next = memory + EXIT_AT;
	void (*code)(void **);
	memcpy(&code, &memory, sizeof(code));
	run(code, &next);
	return 0;
}
