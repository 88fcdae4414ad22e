/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address-space: the mappings of the target and the ELF images behind them.
 *
 * Finds where a PC lies: in which mapping, in which file, and where in that file. The
 * mappings are read from /proc/PID/maps and kept sorted. They are read again at least once a second while
 * samples come. In between the kernel is asked for the mapping of an address that is in none of them
 * (src/read/space/unknown.h); where it does not answer, they are read again for that, too. A file is opened only
 * if it is the one that is mapped (src/read/space/mapped-file.h): a fitting name is not
 * enough. Images are kept until the process calls exec or ends. The vDSO is read from the
 * target's memory.
 *
 * A line of maps, field by field (proc(5)):
 *	7f1c5e228000-7f1c5e37d000 r-xp 00028000 fe:00 131      /usr/lib/libc.so.6
 *	start        limit        perm offset   dev   inode    path
 *
 * A mapping is added to the profile, and its file opened, when a PC is first looked up in
 * it, so files whose code never runs are not touched. Only the main executable's mapping
 * is added at once, as the first.
 *
 * Works from file descriptors only; makes no ptrace call. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_ADDRESS_SPACE_H
#define CPROFTOP_ADDRESS_SPACE_H

#include "src/base/error.h"
#include "src/facts/profile.h"
#include "src/facts/renewal.h"
#include "src/facts/snapshot.h"
#include "src/facts/stack-link.h"
#include "src/process/code-watch.h"
#include "src/process/proc-dir.h"
#include "src/process/region.h"
#include "src/process/target-memory.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/image-cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_space;

/* PROC_FD is an open /proc/PID directory (taken over); PROFILE receives the mappings and
   must outlive the address space. CACHE has the images that are shared with other processes,
   and is borrowed; NULL: none are. DEBUG_DIRS are the user's directories with separate
   debug files (see debug_file_open); NULL or "": none. Fails if maps cannot be read, unless PROC_FD
   is -1, for a process that has ended: then its mappings are told. */
struct address_space *address_space_create(int proc_fd, struct profile *profile,
	struct image_cache *cache, const char *debug_dirs, struct error *err);
void address_space_destroy(struct address_space *space); /* NULL is fine */

/* Parse maps text instead of reading it, for tests. True if something changed. */
bool address_space_parse(struct address_space *space, const char *text, size_t length);

/* Take the maps TEXT that the tracer read. From now on, a reading of refresh is dropped
   if it has the vDSO at another address: then the process has called exec again, and the
   tracer has not yet reported that exec or taken samples of the new program. */
void address_space_tell(struct address_space *space, const char *text, size_t length);

/* Read maps again now. True if something changed. */
bool address_space_refresh(struct address_space *space);

/* Read maps again if it is time: a second after the last reading, or 100 ms if a PC was
   found in no mapping (MISS); with thousands of mappings less often, so that reading
   stays a small part of the time. The first four misses in a row need not wait, because a
   process that starts maps one file after the other, milliseconds apart; the count starts
   again after each reading that found something new. NOW_NS is monotonic. True if
   something changed. */
bool address_space_refresh_if_due(
	struct address_space *space, uint64_t now_ns, bool miss);

/* Call this before waiting samples are named. Checks whether the code that was used
   lately is still the same, and reads maps again if not. Where other code may have been
   when the samples were taken, there is no mapping until the next check. Returns the time
   (monotonic) up to which samples may be named after this check. */
uint64_t address_space_check(struct address_space *space);

/* The process has called exec: drop all regions and images. */
bool address_space_exec(struct address_space *space, struct error *err);

/* Use the new profile of RENEWAL from now on. If very many files are open, those that are
   no longer mapped are closed. */
void address_space_renew(struct address_space *space, struct renewal *renewal);

/* Is there code at PC, where none is known? To be found out by address_space_learn; what
   address_space_find does not find is noted by itself. */
void address_space_miss(struct address_space *space, uint64_t pc);

/* Find out about what was missed while a sample was looked at. True if something is known now: look
   again. Regions are no longer valid then. NOW_NS as above. */
bool address_space_learn(struct address_space *space, uint64_t now_ns);

/* A number that grows when code of a file comes or goes. */
uint64_t address_space_generation(const struct address_space *space);

/* A number that grows when code goes, or other code is in its place: then caches by address are
   dropped. */
uint64_t address_space_losses(const struct address_space *space);

/* The region that holds ADDRESS, or NULL. */
const struct region *address_space_find(struct address_space *space, uint64_t address);

/* The same for data: by the last reading of maps, without reading it again. */
const struct region *address_space_region(
	const struct address_space *space, uint64_t address);

/* The region of the main executable's code; NULL if that is not known. */
const struct region *address_space_main(struct address_space *space);

/* Tell LINK the memory of no file (regions_anonymous), as maps said when it was read
   last. False, and nothing is done, if no mapping has changed since *CHANGES was set
   here; 0 at first. */
bool address_space_anonymous(
	const struct address_space *space, struct stack_link *link, uint64_t *changes);

/* How much code has been looked up: grows whenever code of another mapping is. */
size_t address_space_used(const struct address_space *space);

/* How often the mappings have changed. */
uint64_t address_space_changes(const struct address_space *space);

/* The region, of data or code, that holds ADDRESS, or the first one above it; NULL: there is
   none. By the last reading of maps. */
const struct region *address_space_region_from(
	const struct address_space *space, uint64_t address);

/* From now on, and until the next check or call, an address is that of the sample RECORD. */
void address_space_at(struct address_space *space, const struct snapshot *record);

/* When that sample was taken; 0: there is none. */
uint64_t address_space_sample_ns(const struct address_space *space);

/* May other code than is known have been at ADDRESS when that sample was taken? */
bool address_space_is_unsure(const struct address_space *space, uint64_t address);

/* What address_space_check watches. It has removed the regions of which this is unsure. */
struct code_watch *address_space_watch(struct address_space *space);

/* The next mapping (*MAPPING, in the profile) whose name may have been given to samples
   of a different library at the same address, before it was noticed that libraries take
   turns there. False if there is none that was not returned before. */
bool address_space_take_doubtful(struct address_space *space, uint32_t *mapping);

/* The image behind an executable region, opened on first use. NULL if there is none or it
   cannot be read; a failure is remembered, not tried again. *BIAS is what must be
   subtracted from an address in this region to get the image's own address. */
struct elf_image *address_space_image(
	struct address_space *space, const struct region *region, uint64_t *bias);

/* The image of the first file at *AFTER or behind it that is called NAME, without its folder,
   and has code; if NAME is NULL, of any whose code has been looked up. Then *AFTER is behind
   that code. NULL if there is none. */
struct elf_image *address_space_next_image(
	struct address_space *space, const char *name, uint64_t *after, uint64_t *bias);

/* The same for the only file called NAME. */
static inline struct elf_image *address_space_image_named(
	struct address_space *space, const char *name, uint64_t *bias)
{
	uint64_t after = 0;
	return address_space_next_image(space, name, &after, bias);
}

/* The names of the code in that image; NULL as above. */
struct code_names *address_space_names(
	struct address_space *space, const struct region *region, uint64_t *bias);

/* Why there is no image, or one without names: a line for a person, "" if all is well. */
const char *address_space_image_problem(
	const struct address_space *space, const struct region *region);

/* The /proc/PID directory that all of this is read from. */
const struct proc_dir *address_space_proc_dir(const struct address_space *space);

/* See image_cache_maps_budget. */
struct file_budget *address_space_maps_budget(const struct address_space *space);

/* Copy from the target's memory (/proc/PID/mem) while it runs, so never for stacks.
   Returns the number of bytes read, 0 on failure. */
size_t address_space_read(
	struct address_space *space, uint64_t address, void *out, size_t length);

/* The same, for who need not know of mappings. */
struct target_memory address_space_memory(struct address_space *space);

#endif
