/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-machine: as much of a Java virtual machine's memory as is read of it
 * (src/read/runtimes/hotspot/), with some of it from the bytes of a fuzzing program.
 */
#ifndef CPROFTOP_TESTS_FUZZ_MADE_MACHINE_H
#define CPROFTOP_TESTS_FUZZ_MADE_MACHINE_H

#include "tests/fuzz/input.h"

#include <stdint.h>

enum {
	MADE_MACHINE_METHOD = 0x3000,
	MADE_MACHINE_BYTES = 0x4000,
};

/* Make it in MEMORY, which has that many bytes and is at the same address in the process; its
   variables, whose names are hotspot_variables, are the first words. Its generated code is in
   the 4096 bytes at CODE; headers of two pieces are written there. A method of the interpreter
   is at MEMORY + MADE_MACHINE_METHOD. */
void made_machine(struct input *input, uint8_t *memory, uint8_t *code);

#endif
