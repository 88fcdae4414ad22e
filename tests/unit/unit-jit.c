/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jit-code: lists of registered code in a made-up memory, as compilers make them, and as
   nobody should. */

#include "tests/lib/unit.h"
#include "tests/targets/registered-file.h"

#include "src/read/runtimes/jit/jit-code.h"
#include "src/read/runtimes/jit/jit-object.h"

#include <stdlib.h>
#include <string.h>

#define CODE   UINT64_C(0x7f1000000000)
#define SECOND UINT64_C(1000000000) /* in ns */

enum {
	ENTRIES = 4,
	DESCRIPTOR_AT = 0x10000,
	ENTRY_AT = 0x20000, /* the next one 0x100 behind it, */
	FILE_AT = 0x30000,  /* its file 0x1000 */
	ROUNDS = 20000,
};

struct process {
	struct {
		uint32_t version, action;
		uint64_t relevant, first;
	} descriptor;
	struct {
		uint64_t next, previous, file, bytes;
	} entries[ENTRIES];
	struct file files[ENTRIES];
	unsigned reads;
};

static size_t read_from(
	uint64_t at, const void *bytes, size_t size, void *out, size_t length)
{
	if (at >= size)
		return 0;
	length = length < size - at ? length : size - at;
	memcpy(out, (const char *)bytes + at, length);
	return length;
}

static size_t read_process(void *context, uint64_t address, void *out, size_t length)
{
	struct process *process = context;
	process->reads++;
	if (address < ENTRY_AT)
		return read_from(address - DESCRIPTOR_AT, &process->descriptor,
			sizeof(process->descriptor), out, length);
	size_t number = address >> 8 & 0xff, which = address >> 12 & 0xf;
	if (address < FILE_AT)
		return number >= ENTRIES
			       ? 0
			       : read_from(address & 0xff, &process->entries[number], 32,
					 out, length);
	return which >= ENTRIES ? 0
				: read_from(address & 0xfff, &process->files[which],
					  sizeof(struct file), out, length);
}

/* A process with a list of COUNT pieces of code, 0x1000 from one to the next. */
static struct process make_process(unsigned count)
{
	struct process process = {.descriptor = {.version = 1}};
	process.descriptor.first = count ? ENTRY_AT : 0;
	for (unsigned i = 0; i < count; i++) {
		make_file(CODE + i * 0x1000, i % 2 == 1);
		process.files[i] = file;
		process.entries[i].next = i + 1 < count ? ENTRY_AT + (i + 1) * 0x100 : 0;
		process.entries[i].file = FILE_AT + i * 0x1000;
		process.entries[i].bytes = sizeof(file);
	}
	return process;
}

static struct jit_code *create(void)
{
	struct jit_code *code = jit_code_create();
	jit_code_add_descriptor(code, DESCRIPTOR_AT);
	return code;
}

static void assert_code(struct elf_image *image, uint64_t pc)
{
	uint64_t start, size;
	assert_non_null(image);
	assert_true(elf_image_fde_range(image, pc, &start, &size));
	assert_int_equal(start, pc & ~UINT64_C(0xfff));
	assert_int_equal(size, sizeof(instructions));
}

static void test_what_is_registered_is_found(void **state)
{
	(void)state;
	struct process process = make_process(ENTRIES);
	struct target_memory memory = {read_process, &process};
	struct jit_code *code = create();
	for (unsigned i = 0; i < ENTRIES; i++) {
		uint64_t pc = CODE + i * 0x1000 + 5;
		assert_code(jit_code_find(code, &memory, SECOND, pc), pc);
	}
	unsigned reads = process.reads;
	assert_null(jit_code_find(code, &memory, SECOND, CODE - 1));
	assert_null(jit_code_find(code, &memory, SECOND, CODE + sizeof(instructions)));
	assert_int_equal(process.reads, reads); /* it was read just now */
	jit_code_destroy(code);
}

static void test_what_is_gone_is_forgotten(void **state)
{
	(void)state;
	struct process process = make_process(2);
	struct target_memory memory = {read_process, &process};
	struct jit_code *code = create();
	assert_code(jit_code_find(code, &memory, SECOND, CODE), CODE);
	process.descriptor.first = process.entries[0].next;
	assert_null(jit_code_find(code, &memory, 3 * SECOND, CODE));
	assert_code(
		jit_code_find(code, &memory, 3 * SECOND, CODE + 0x1000), CODE + 0x1000);
	/* Another file of the same size in its place. */
	make_file(CODE + 0x5000, 0);
	process.files[1] = file;
	assert_code(
		jit_code_find(code, &memory, 4 * SECOND, CODE + 0x5000), CODE + 0x5000);
	assert_null(jit_code_find(code, &memory, 4 * SECOND, CODE + 0x1000));
	jit_code_destroy(code);
}

static void test_lists_end(void **state)
{
	(void)state;
	struct process process = make_process(2);
	struct target_memory memory = {read_process, &process};
	process.entries[1].next = ENTRY_AT; /* in a circle */
	struct jit_code *code = create();
	assert_code(jit_code_find(code, &memory, SECOND, CODE), CODE);
	assert_true(process.reads < 5 * JIT_OBJECTS_MAX);
	jit_code_destroy(code);
	process = make_process(2);
	process.entries[0].bytes = UINT64_MAX - 5;
	code = create();
	assert_null(jit_code_find(code, &memory, SECOND, CODE));
	assert_non_null(jit_code_find(code, &memory, SECOND, CODE + 0x1000));
	jit_code_destroy(code);
	process.descriptor.version = 2;
	code = create();
	assert_null(jit_code_find(code, &memory, SECOND, CODE + 0x1000));
	jit_code_destroy(code);
}

/* Whatever a file has in it, reading it ends, and no table of it leaves its code. */
static void test_files_with_errors(void **state)
{
	(void)state;
	unsigned made = 0;
	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		make_file(CODE, i % 2);
		struct file copy = file;
		unsigned char *bytes = (unsigned char *)&copy;
		for (int change = rand() % 4; change >= 0; change--)
			bytes[(size_t)rand() % sizeof(copy)] = (unsigned char)rand();
		uint64_t start, limit, first, size;
		size_t length = i % 3 ? sizeof(copy) : (size_t)rand() % sizeof(copy);
		struct elf_image *image = jit_object_image(bytes, length, &start, &limit);
		if (!image)
			continue;
		made++;
		if (elf_image_fde_range(image, start, &first, &size)) {
			assert_true(first >= start);
			assert_true(size <= limit - first);
		}
		elf_image_destroy(image);
	}
	assert_true(made > ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_registered_is_found),
		cmocka_unit_test(test_what_is_gone_is_forgotten),
		cmocka_unit_test(test_lists_end),
		cmocka_unit_test(test_files_with_errors),
	};
	return unit_run(tests);
}
