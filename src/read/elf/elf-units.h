/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-units: which unit and which function of a DWARF file an address is in.
 *
 * libdw finds the unit by .debug_aranges, which not every compiler writes, and the
 * function by going through the whole unit each time, which takes milliseconds in a unit
 * of a large Rust or LTO program. Here both are tables that are made once: that of all
 * units when the file is opened, that of a unit's functions when an address in it is
 * first asked for. Only for elf-lines.c.
 */
#ifndef CPROFTOP_ELF_UNITS_H
#define CPROFTOP_ELF_UNITS_H

#include "src/read/elf/elf-internal.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_units;

/* Both are borrowed and must outlive it. */
struct elf_units *elf_units_create(const struct elf_image *image, Dwarf *dwarf);
void elf_units_destroy(struct elf_units *units); /* NULL is fine */

/* The unit that has code at VADDR. */
bool elf_units_find(struct elf_units *units, uint64_t vaddr, Dwarf_Die *unit);

/* The innermost function of UNIT that has code at VADDR. */
bool elf_units_function(
	struct elf_units *units, Dwarf_Die *unit, uint64_t vaddr, Dwarf_Die *function);

/* Memory of the units gone through, with libdw's own, roughly. */
size_t elf_units_bytes(const struct elf_units *units);

#endif
