/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolizer: from a PC to a location with a name, interned in the profile.
 *
 * Names come from ELF symbol tables (code-names.h), loaded when they are first needed. A
 * symbol covers only its st_size: an address that no symbol covers is shown as
 * [libc.so.6+0x1234], with the file's own address of the function's start if the unwind
 * table tells it, and not under its neighbour's name. C++, Rust and D names are demangled
 * by libiberty; everything is cleaned. Each (mapping, address) is named when it is first
 * seen, and the line resolver is asked for its lines and inlined functions. They come
 * later, as new locations (src/read/names/line-names.h). Code without a file has the names that a
 * virtual machine of Java has for it (java-names.h), or that are in the target's perf map
 * (perf-map.h). The reader's thread.
 */
#ifndef CPROFTOP_SYMBOLIZER_H
#define CPROFTOP_SYMBOLIZER_H

#include "src/base/idmap.h"
#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/renewal.h"
#include "src/read/names/line-resolver.h"
#include "src/read/names/wanted-files.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>

struct symbolizer;

/* SPACE, PROFILE and RESOLVER are borrowed and must outlive it. RESOLVER is asked for the
   lines of each location; symbolizers of one profile have the same one. Without it (NULL)
   there are no lines. */
struct symbolizer *symbolizer_create(struct address_space *space, struct profile *profile,
	struct line_resolver *resolver);
void symbolizer_destroy(struct symbolizer *symbolizer); /* NULL is fine */

/* From now on note missing debug files in WANTED, which must outlive this. Their names
   come later, like lines. */
void symbolizer_fetch(struct symbolizer *symbolizer, struct wanted_files *wanted);

/* The process has called exec: drop the names of JIT-compiled code. */
void symbolizer_exec(struct symbolizer *symbolizer);

/* Copy into RENEWAL the locations whose names may still be written by a JIT compiler: the
   latest of very many. */
void symbolizer_carry(struct symbolizer *symbolizer, struct renewal *renewal);

/* Move to the new profile of RENEWAL, after everything needed was copied. */
void symbolizer_renew(struct symbolizer *symbolizer, const struct renewal *renewal);

/* The location id of FRAME: its PC if it is an activation, else PC - 1. A PC
   outside every executable mapping gets the location "[unknown]" with its address.
   Never fails. */
uint32_t symbolizer_locate(struct symbolizer *symbolizer, struct frame frame);

/* The location that stands for the frames of a chain that are not kept. */
uint32_t symbolizer_locate_fold(
	struct symbolizer *symbolizer, const struct callchain_fold *fold);

/* Is there a virtual machine of Java whose methods are known? */
bool symbolizer_has_java(const struct symbolizer *symbolizer);

/* When a method of it had no name any more, last; 0: never. */
uint64_t symbolizer_gone_ns(const struct symbolizer *symbolizer);

/* The function of a JIT compiler at ADDRESS, by a virtual machine of Java or the target's perf
   map: its NAME, valid until the next call of a function here; where it begins, and its SIZE in
   bytes. False if none is known. */
bool symbolizer_jit_function(struct symbolizer *symbolizer, uint64_t address,
	const char **name, uint64_t *start, uint64_t *size);

/* Why a file of a JIT compiler's names is not used though it is there, as a constant;
   else NULL. */
const char *symbolizer_refusal(const struct symbolizer *symbolizer);

/* --- lines, and names that come later ---------------------------------------------- */

/* Is a debug file being fetched, which may bring other names and lines? */
bool symbolizer_awaits_files(const struct symbolizer *symbolizer);

/* Is there more of a perf map than there has been a turn for (image_cache_turn)? */
bool symbolizer_is_behind(const struct symbolizer *symbolizer);

/* Take names that have become known: from fetched debug files, and those that a JIT
   compiler has written. Adds new locations to the profile, and (old id, 0) -> new id to
   RENAMED; from now on symbolizer_locate returns the new ones. If a JIT compiler has
   replaced code at an address, the new code gets a new location, and samples of the old
   code keep their name. */
void symbolizer_rename(struct symbolizer *symbolizer, struct idmap *renamed);

#endif
