/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-structs: where HotSpot, the Java virtual machine of OpenJDK, keeps what.
 *
 * For debuggers libjvm.so exports a table of the fields of its own structures
 * ("vmStructs": src/hotspot/share/runtime/vmStructs.hpp in OpenJDK). Its variables say
 * where the table is and how an entry is laid out, and each entry names a type and a
 * field, and tells the offset or, if the field is static, the address. This reads the
 * entries that are wanted, once a process.
 *
 * Everything here comes from the target's memory and may be anything: what does not look
 * as it should counts as not there, and the number of entries is bounded. Pure but for
 * the reader that it is given. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_STRUCTS_H
#define CPROFTOP_HOTSPOT_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of the process. READ returns how many bytes it got from ADDRESS on. */
struct hotspot_memory {
	size_t (*read)(void *context, uint64_t address, void *out, size_t length);
	void *context;
};

/* All LENGTH bytes, or false. */
bool hotspot_read(
	const struct hotspot_memory *memory, uint64_t address, void *out, size_t length);

/* A string of the machine's, cut off at SIZE; "" if it cannot be read. */
void hotspot_read_text(
	const struct hotspot_memory *memory, uint64_t address, char *out, size_t size);

/* The exported variables that tell where the table is. */
enum hotspot_variable {
	HOTSPOT_TABLE,
	HOTSPOT_STRIDE,
	HOTSPOT_TYPE_NAME,
	HOTSPOT_FIELD_NAME,
	HOTSPOT_TYPE,
	HOTSPOT_IS_STATIC,
	HOTSPOT_OFFSET,
	HOTSPOT_ADDRESS,
	HOTSPOT_VARIABLES,
};
extern const char *const hotspot_variables[HOTSPOT_VARIABLES];

/* A field of one of the machine's structures. */
struct hotspot_field {
	const char *of, *name; /* asked for */
	bool is_found;
	bool is_static;
	uint64_t at;	/* its offset, or its address if it is static */
	unsigned bytes; /* 1, 2, 4 or 8, by its type */
};

/* Look for N FIELDS. ADDRESSES are those of the variables. False if there is no table
   that can be read, as before the program's relocations are done. */
bool hotspot_find_fields(const struct hotspot_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct hotspot_field *fields,
	size_t n);

/* The value of FIELD in the structure at BASE (any if it is static), zero-extended. False
   if it was not found or cannot be read. */
bool hotspot_read_field(const struct hotspot_memory *memory,
	const struct hotspot_field *field, uint64_t base, uint64_t *value);

/* The same, of a signed number. */
bool hotspot_read_number(const struct hotspot_memory *memory,
	const struct hotspot_field *field, uint64_t base, int64_t *value);

#endif
