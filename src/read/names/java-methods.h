/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java-methods: the methods of a virtual machine of Java as functions of the profile, each named
 * once.
 *
 * Private to java-names. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_JAVA_METHODS_H
#define CPROFTOP_JAVA_METHODS_H

#include "src/facts/profile.h"
#include "src/read/names/java-watch.h"
#include "src/read/runtimes/hotspot/hotspot-method.h"

#include <stdbool.h>
#include <stdint.h>

struct java_method {
	struct hotspot_method method;
	struct java_watch watch;
	struct hotspot_turn turn; /* when it was read last */
	uint64_t since_ns;	  /* another one was there before; 0: none was seen */
	uint32_t number;	  /* another one when another method is there */
	uint32_t function;	  /* PROFILE_NONE: not named yet */
};

struct java_methods;

/* READER is taken over; SPACE and PROFILE are borrowed. */
struct java_methods *java_methods_create(struct hotspot_methods *reader,
	const struct address_space *space, struct profile *profile);
void java_methods_destroy(struct java_methods *methods); /* NULL is fine */

/* Move to another profile. */
void java_methods_renew(struct java_methods *methods, struct profile *profile);

/* Call this before what is of the present sample. */
void java_methods_look(struct java_methods *methods);

/* May methods and their code, as they are now, lie where others were when the present sample was
   taken? */
bool java_methods_have_turned(const struct java_methods *methods);

/* What all are read by. */
const struct hotspot_methods *java_methods_reader(const struct java_methods *methods);

/* The method at ADDRESS, valid until the next call; NULL: there is none, or may have been another one
   when the present sample was taken. IS_SURE: it cannot have been another one. MIRROR: see
   struct frame. */
struct java_method *java_methods_at(
	struct java_methods *methods, uint64_t address, bool is_sure, uint64_t mirror);

/* The function for METHOD; PROFILE_NONE: it has no name, so is none. */
uint32_t java_methods_function(struct java_methods *methods, struct java_method *method);

#endif
