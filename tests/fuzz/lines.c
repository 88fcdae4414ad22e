/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DWARF of a target's file, as the line reader's process reads it: with libdw. */

#include "tests/fuzz/fuzz.h"

#include "src/read/elf/elf-lines.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct error err;
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	struct elf_lines *lines = elf_lines_open(fd, false, &err);
	struct line_frame frames[LINE_FRAMES_MAX];
	for (uint64_t vaddr = 0x1000; lines && vaddr < 0x1400; vaddr += 3) {
		size_t count = elf_lines_find(lines, vaddr, frames);
		FUZZ_CHECK(count <= LINE_FRAMES_MAX);
		for (size_t i = 0; i < count; i++)
			FUZZ_CHECK(strlen(frames[i].name) + strlen(frames[i].file) <
				   SIZE_MAX);
		uint64_t next = elf_lines_next(lines, vaddr, vaddr + 64);
		FUZZ_CHECK(next > vaddr && next <= vaddr + 64);
	}
	FUZZ_CHECK(!lines || elf_lines_bytes(lines) < SIZE_MAX);
	elf_lines_close(lines);
	return 0;
}
