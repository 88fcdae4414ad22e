/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-method: Java methods by the records of HotSpot: name, source file, lines.
 *
 * A Method refers to its ConstMethod, which has the bytecode, the table of lines and, as numbers of
 * the class's constants, its name and the types of its parameters (method.hpp, constMethod.hpp,
 * constantPool.hpp, symbol.hpp in OpenJDK; JDK 8 to 28 differ in
 * offsets only, which the tables tell).
 *
 * The process runs on meanwhile and may be hostile: what is read is checked, and of bounded length. A
 * class that is unloaded takes its methods with it, and others may come to lie there. So whoever
 * keeps a name compares what hotspot_read_method says with what it said before. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_METHOD_H
#define CPROFTOP_HOTSPOT_METHOD_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/hotspot/hotspot-structs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells one method from another. No padding: two are compared as bytes. Classes of one shape
   may lie where others did, with all of their methods; so the names count, too. */
struct hotspot_method {
	uint64_t names;	  /* a hash of its names */
	uint64_t address; /* of the Method */
	uint64_t record;  /* of its ConstMethod */
	uint64_t constants;
	uint32_t record_bytes;
	uint32_t code_bytes; /* 0: a native or abstract one */
	uint32_t name, signature;
	uint32_t has_lines, unused;
};

enum {
	HOTSPOT_NAME_BYTES = 1024,
};

struct hotspot_names {
	char package[HOTSPOT_NAME_BYTES]; /* "java.util", "" */
	/* "java.util.HashMap.put(Object, Object)". Of classes that are made at run time and
	   have a number, the name without it. */
	char name[3 * HOTSPOT_NAME_BYTES];
	char file[HOTSPOT_NAME_BYTES]; /* "HashMap.java", "" */
};

struct hotspot_methods;

/* As hotspot_create. NULL: the virtual machine does not say enough. */
struct hotspot_methods *hotspot_methods_create(
	const struct target_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES]);
void hotspot_methods_destroy(struct hotspot_methods *methods); /* NULL is fine */

/* The method at ADDRESS. False: none can be there. */
bool hotspot_read_method(const struct hotspot_methods *methods, uint64_t address,
	struct hotspot_method *out);

/* Is MIRROR, a word of a frame, the object that stands for its class? An object that a collector
   has moved since is not recognised. */
bool hotspot_is_mirror(const struct hotspot_methods *methods,
	const struct hotspot_method *method, uint64_t mirror);

/* Where ADDRESS is in its bytecode; -1: not there. */
int32_t hotspot_method_bci(const struct hotspot_methods *methods,
	const struct hotspot_method *method, uint64_t address);

/* Its names, not cleaned. False: it is none, or none any more. */
bool hotspot_name_method(const struct hotspot_methods *methods,
	const struct hotspot_method *method, struct hotspot_names *out);

/* The line of the bytecode at BCI; 0: not known. */
uint32_t hotspot_method_line(const struct hotspot_methods *methods,
	const struct hotspot_method *method, int32_t bci);

/* Methods come to lie where others were only if a garbage collection has unloaded classes, and a
   class loader has been made since. Zeros if the virtual machine does not say. */
struct hotspot_turn {
	uint64_t collections; /* so many */
	uint64_t loader;      /* the newest: the address of its ClassLoaderData */
};

struct hotspot_turn hotspot_read_turn(const struct hotspot_methods *methods);

/* Did numbers have no byte that is 0 (UNSIGNED5, since JDK 20)? */
bool hotspot_excludes_0(const struct hotspot_methods *methods);

/* Read a number of HotSpot's compressed streams from *AT on, before END; moves *AT. False: it is
   cut off. */
bool hotspot_read_packed(bool excludes_0, const unsigned char **at,
	const unsigned char *end, uint32_t *value);

#endif
