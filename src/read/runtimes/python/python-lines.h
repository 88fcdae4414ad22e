/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python-lines: which line an instruction of Python belongs to (in CPython:
 * Objects/locations.md since 3.11, Objects/lnotab_notes.txt before). Pure; any thread.
 */
#ifndef CPROFTOP_PYTHON_LINES_H
#define CPROFTOP_PYTHON_LINES_H

#include "src/read/runtimes/python/python-layout.h"

#include <stddef.h>
#include <stdint.h>

/* The line of instruction UNIT (of two bytes) by the LENGTH bytes of a table of KIND that begins
   at FIRST_LINE; FIRST_LINE if it has none. */
uint32_t python_line(enum python_lines kind, const unsigned char *table, size_t length,
	uint32_t first_line, uint64_t unit);

#endif
