/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java-names: methods of Java, by name, file and line, with those that were inlined.
 *
 * What HotSpot knows of its code is read from the memory of the process
 * (src/read/runtimes/hotspot), when a place is first met. The code cache changes while the process
 * runs: so before a place is named again, the records of its code are compared with what they
 * were, once for all samples that were taken until then. If they have changed, or those of an
 * interpreted method, the samples that were taken before count as JAVA_GONE_LABEL. The reader's
 * thread, or dump's.
 */
#ifndef CPROFTOP_JAVA_NAMES_H
#define CPROFTOP_JAVA_NAMES_H

#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

#define JAVA_GONE_LABEL "[Java method that is gone]"

struct java_names;

/* Both are borrowed, and must outlive it. */
struct java_names *java_names_create(
	struct address_space *space, struct profile *profile);
void java_names_destroy(struct java_names *java); /* NULL is fine */

/* Move to another profile. */
void java_names_renew(struct java_names *java, struct profile *profile);

/* Has a virtual machine been found that is known? */
bool java_names_are_known(const struct java_names *java);

/* When a method was gone last; 0: never. */
uint64_t java_names_gone_ns(const struct java_names *java);

/* The location of FRAME, whose code is in no file, and in MAPPING. False: no virtual machine of
   Java that is known made this code. */
bool java_names_locate(struct java_names *java, uint32_t mapping, struct frame frame,
	uint32_t *location);

/* The code at ADDRESS: what it is called, valid until the next call of a function here; where it
   begins, and its SIZE in bytes. False: there is none, or it has no name. */
bool java_names_function(struct java_names *java, uint64_t address, const char **name,
	uint64_t *start, uint64_t *size);

#endif
