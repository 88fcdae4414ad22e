/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that a hostile process has, and a file whose names the code leads to. The first byte
 * chooses; the rest is the code or the file. */

#include "tests/fuzz/fuzz.h"

#include "src/arch/arch-code.h"
#include "src/base/clean.h"
#include "src/read/assembly/decoder.h"
#include "src/read/assembly/target-names.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WORD = 8,
	STEPS = 64,	/* places that are asked for */
	SLOTS = 0x3fc0, /* where the seeds have what the dynamic linker fills in */
};

/* Our own decoder sees the same bytes. */
static void find_target(const uint8_t *code, const struct decoded *decoded)
{
	struct instruction instruction = {
		.address = 0x1000,
		.length = decoded->length,
		.kind = decoded->is_unknown ? INSTRUCTION_UNKNOWN : INSTRUCTION_OTHER,
	};
	bool is_slot = target_find(&instruction, code);
	FUZZ_CHECK(!is_slot || instruction.has_target);
}

static void decode(const uint8_t *code, size_t size)
{
	struct decoder *decoder = decoder_create();
	for (size_t at = 0; at < size;) {
		struct decoded decoded;
		decoder_next(decoder, code + at, size - at, at, &decoded);
		FUZZ_CHECK(decoded.length > 0 && decoded.length <= size - at);
		for (int i = 0; i < ASSEMBLY_SYNTAXES; i++)
			FUZZ_CHECK(strnlen(decoded.texts[i], DECODER_TEXT_MAX) <
				   DECODER_TEXT_MAX);
		find_target(code + at, &decoded);
		at += decoded.length;
	}
	decoder_destroy(decoder);
}

/* What instructions of a file lead to: BYTES are that file. */
static void name_targets(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	struct error err;
	if (fd < 0)
		fd = memfd_create("code", MFD_CLOEXEC);
	FUZZ_CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
	struct elf_image *image = elf_image_open(dup(fd), &err);
	if (!image)
		return;
	struct code_source source = {.image = image,
		.names = code_names_create(image, "/nowhere", ""),
		.bias = 0x10000};
	for (unsigned i = 0; i < STEPS && size >= 8; i++) {
		uint64_t address = 0;
		memcpy(&address, bytes + i * (size - 8) / STEPS, 8);
		address = i % 4 == 0   ? size * i / STEPS
			  : i % 4 == 1 ? SLOTS + i / 4 * WORD
				       : address;
		for (int kind = 0; kind < 3; kind++) {
			char *name = kind == 0
					     ? target_name(&source, address + source.bias)
					     : target_name_of_slot(&source,
						       address + source.bias, kind == 2);
			FUZZ_CHECK(!name || strlen(name) < CLEAN_MAX + 32);
			free(name);
		}
	}
	code_names_destroy(source.names);
	elf_image_destroy(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	uint8_t *copy = malloc(size - 1); /* of its own, so that ASan sees its end */
	memcpy(copy, bytes + 1, size - 1);
	if (bytes[0] % 4 == 2)
		name_targets(copy, size - 1);
	else
		decode(copy, size - 1);
	free(copy);
	return 0;
}
