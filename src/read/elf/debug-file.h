/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug-file: find the separate file with the names that were stripped from another.
 *
 * It is looked for only below directories that the user trusts (/usr/lib/debug,
 * --debug-dir, the debuginfod cache), never beside the target's file, whose owner may be
 * hostile: first by build id (DIR/.build-id/ab/cdef.debug, or DIR/abcdef/debuginfo as a
 * debuginfod client keeps them), then by .gnu_debuglink (DIR/path/of/the/file/NAME). A
 * file counts only if its own build id is the same, or its CRC-32 is the one in the link.
 * The reader's thread, or dump's.
 */
#ifndef CPROFTOP_DEBUG_FILE_H
#define CPROFTOP_DEBUG_FILE_H

#include "src/read/elf/elf-image.h"

/* The file for IMAGE, which is at PATH as the target sees it; NULL if there is none. The
   caller owns it. DIRS: directories with ':' between, "" for none but the system's. */
struct elf_image *debug_file_open(
	const struct elf_image *image, const char *path, const char *dirs);

/* The file at PATH, if its build id is that of IMAGE; else NULL. */
struct elf_image *debug_file_at(const struct elf_image *image, const char *path);

#endif
