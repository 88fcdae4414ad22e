/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that was registered with debuggers: the first bytes are the list, wherever it leads, the
 * rest is also a file of it. */

#include "tests/fuzz/fuzz.h"

#include "src/read/runtimes/jit/jit-code.h"
#include "src/read/runtimes/jit/jit-object.h"

#include <string.h>

#define MEMORY UINT64_C(0x10000)
#define SECOND UINT64_C(1000000000)

struct input {
	const unsigned char *bytes;
	size_t size;
};

static size_t read_input(void *context, uint64_t address, void *out, size_t length)
{
	const struct input *input = context;
	uint64_t at = address - MEMORY;
	if (at >= input->size)
		return 0;
	length = length < input->size - at ? length : input->size - at;
	memcpy(out, input->bytes + at, length);
	return length;
}

/* What is in the image does not leave its code. */
static void check(struct elf_image *image, uint64_t pc, uint64_t limit)
{
	uint64_t start, size;
	if (image && elf_image_fde_range(image, pc, &start, &size))
		FUZZ_CHECK(pc - start < size && size <= limit - start);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	struct target_memory memory = {read_input, &input};
	struct jit_code *code = jit_code_create();
	uint64_t start, limit;
	jit_code_add_descriptor(code, MEMORY);
	struct elf_image *image = jit_object_image(bytes, size, &start, &limit);
	for (uint64_t i = 0; image && i < 8; i++)
		check(image, start + i * (limit - start) / 8, limit);
	elf_image_destroy(image);
	for (uint64_t i = 0; i < 8; i++)
		check(jit_code_find(code, &memory, (1 + i) * SECOND, i << 12), i << 12,
			UINT64_MAX);
	jit_code_destroy(code);
	return 0;
}
