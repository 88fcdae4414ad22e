/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-structs: the layout of the data structures of HotSpot, the Java virtual machine
 * of OpenJDK.
 *
 * libjvm.so exports a table of the fields of its structures, for debuggers ("vmStructs":
 * src/hotspot/share/runtime/vmStructs.hpp in OpenJDK). Exported variables say where the
 * table is and how an entry is laid out. Each entry names a type and a field, and has the
 * offset or, if the field is static, the address. A second table has the sizes of types. The
 * entries that are needed are read once for each process.
 *
 * All of this comes from the target's memory and may be hostile: an entry that is not as
 * expected counts as missing, and the number of entries is bounded. Pure, except for the
 * reader that it is given. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_STRUCTS_H
#define CPROFTOP_HOTSPOT_STRUCTS_H

#include "src/process/target-memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read a string of the virtual machine, cut off at SIZE; "" if it cannot be read. */
void hotspot_read_text(
	const struct target_memory *memory, uint64_t address, char *out, size_t size);

/* The exported variables that describe the tables. */
enum hotspot_variable {
	HOTSPOT_TABLE,
	HOTSPOT_STRIDE,
	HOTSPOT_TYPE_NAME,
	HOTSPOT_FIELD_NAME,
	HOTSPOT_TYPE,
	HOTSPOT_IS_STATIC,
	HOTSPOT_OFFSET,
	HOTSPOT_ADDRESS,
	HOTSPOT_SIZES,
	HOTSPOT_SIZES_STRIDE,
	HOTSPOT_SIZES_NAME,
	HOTSPOT_SIZES_SIZE,
	HOTSPOT_VARIABLES,
};
extern const char *const hotspot_variables[HOTSPOT_VARIABLES];

/* A field of one of the virtual machine's structures; or if it has no name, the structure's
   size. */
struct hotspot_field {
	const char *of, *name; /* set by the caller */
	bool is_found;
	bool is_static;
	uint64_t at;	/* its offset, or its address if it is static; or the size */
	unsigned bytes; /* 1, 2, 4 or 8, by its type */
};

/* Find N FIELDS. ADDRESSES are those of the variables. False if no table can be read, for
   example before libjvm.so is relocated. */
bool hotspot_find_fields(const struct target_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct hotspot_field *fields,
	size_t n);

/* The value of FIELD in the structure at BASE (any if it is static), zero-extended. False
   if it was not found or cannot be read. */
bool hotspot_read_field(const struct target_memory *memory,
	const struct hotspot_field *field, uint64_t base, uint64_t *value);

/* The same for a signed number. */
bool hotspot_read_number(const struct target_memory *memory,
	const struct hotspot_field *field, uint64_t base, int64_t *value);

/* The value of FIELD in BYTES, a copy of the first SIZE bytes of its structure, zero-extended.
   False if it was not found, is static, or is not in there. */
bool hotspot_field_of(const struct hotspot_field *field, const void *bytes, size_t size,
	uint64_t *value);

/* How much of a structure must be copied for N FIELDS of it, those that were found. */
size_t hotspot_extent(const struct hotspot_field *fields, size_t n);

#endif
