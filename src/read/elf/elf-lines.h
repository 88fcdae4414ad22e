/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-lines: source lines and inlined functions of one ELF file, from its DWARF; or, of a
 * stripped Go program, lines from the table that Go itself needs (elf-go.h).
 *
 * Slow and large compared with everything else here: all debug sections are read, or
 * unpacked, into memory, and a whole unit is gone through when an address in it is first
 * asked for. So it belongs on a thread of its own (line-resolver.h). libdw parses. The
 * file may be hostile: libdw gets only files whose debug sections have a bounded size,
 * may not open another file that an untrusted one names (.gnu_debugaltlink, .dwo), and
 * all our own loops have a limit. libdw itself may still crash, which is why the line
 * reader is a process of its own. One thread at a time per file.
 */
#ifndef CPROFTOP_ELF_LINES_H
#define CPROFTOP_ELF_LINES_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function at an address. Strings are not cleaned, not demangled, and valid until the
   next call. */
struct line_frame {
	const char *name; /* linkage name, else the source's; "" if unknown */
	const char *file; /* "" if unknown */
	uint32_t line;	  /* of the instruction, or of the inlined call; 0 if unknown */
	uint32_t start_line; /* where it is declared, if that is in FILE; else 0 */
};

enum {
	LINE_FRAMES_MAX = 64
};

struct elf_lines;

/* Read the file open at FD (taken over, closed in any case). TRUSTED: it is not the
   target's, so it may refer to others. NULL if it has no lines that can be read. */
struct elf_lines *elf_lines_open(int fd, bool trusted, struct error *err);
void elf_lines_close(struct elf_lines *lines); /* NULL is fine */

/* The functions at VADDR, innermost inlined first, the real one last; 0 if unknown. */
size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr,
	struct line_frame frames[LINE_FRAMES_MAX]);

/* Where the next row of the line table begins behind VADDR, or LIMIT: up to there the frames
   are those at VADDR, as far as compilers write a row wherever an inlined function begins or
   ends. Call elf_lines_find for VADDR before. */
uint64_t elf_lines_next(struct elf_lines *lines, uint64_t vaddr, uint64_t limit);

/* Bytes of debug sections that it keeps in memory. */
size_t elf_lines_bytes(const struct elf_lines *lines);

#endif
