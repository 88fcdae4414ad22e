/*
 * address-space: the mappings of the target and the ELF images behind them.
 *
 * Where a PC is found: which mapping, which file, and where in that file. The mappings
 *are read from /proc/PID/maps, kept sorted, and read again when a PC is in none of them
 *and at least once a second while samples come. Images are opened by what is really
 *mapped (src/target/mapped-file.h), never from a file that merely has the right name, and
 *kept until exec or the end. The vDSO is read from the target's memory.
 *
 * A line of maps, field by field (proc(5)):
 *	7f1c5e228000-7f1c5e37d000 r-xp 00028000 fe:00 131      /usr/lib/libc.so.6
 *	start        limit        perm offset   dev   inode    path
 *
 * A mapping is added to the profile, and its file opened, when a PC is first looked up in
 * it: what never runs is never touched. The main executable's comes first, at once.
 *
 * Works from file descriptors only; makes no ptrace call. Analyst thread only.
 */
#ifndef CPROFTOP_ADDRESS_SPACE_H
#define CPROFTOP_ADDRESS_SPACE_H

#include "src/base/error.h"
#include "src/elf/code-names.h"
#include "src/elf/elf-image.h"
#include "src/model/profile.h"
#include "src/model/renewal.h"
#include "src/target/proc-dir.h"
#include "src/target/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_space;

/* PROC_FD is an open /proc/PID directory (taken over); PROFILE receives the mappings and
   must outlive the address space. DEBUG_DIRS is where the user has separate debug files
   (see debug_file_open), NULL or "" for nowhere else. Fails if maps cannot be read. */
struct address_space *address_space_create(
	int proc_fd, struct profile *profile, const char *debug_dirs, struct error *err);
void address_space_destroy(struct address_space *space); /* NULL is fine */

/* Parse maps text instead of reading it, for tests. True if something changed. */
bool address_space_parse(struct address_space *space, const char *text, size_t length);

/* The sampler has read this maps text. From here on what refresh reads is dropped if the
   vDSO lies elsewhere in it: then it is what another exec has mapped, of which the
   sampler has still to tell, and no sample until then is of that. */
void address_space_tell(struct address_space *space, const char *text, size_t length);

/* Read maps again now. True if something changed. */
bool address_space_refresh(struct address_space *space);

/* The same if it is time: 100 ms after the last time if a PC was found in no mapping
   (MISS), else a second; longer for a target of thousands of mappings, so that reading
   them stays a small part of the time. A process that begins maps one file after the
   other, each a millisecond after the one before: so a miss need not wait as long as
   that leads to new mappings, and four times after it. NOW_NS is monotonic. */
bool address_space_refresh_if_due(
	struct address_space *space, uint64_t now_ns, bool miss);

/* Before samples that wait are named: look whether the code that was used lately is still
   what it was, and read maps if not. Where other code may have been when they were taken
   there is no mapping until the next check. Returns the time up to which they may be from
   (monotonic). */
uint64_t address_space_check(struct address_space *space);

/* The program was replaced by exec: PROC_FD as in create; every region and image goes. */
bool address_space_exec(struct address_space *space, struct error *err);

/* Go on in the profile that RENEWAL leads to. Files that are mapped no more are closed
   when they are many. */
void address_space_renew(struct address_space *space, struct renewal *renewal);

/* Counts up with every change of an executable mapping, so that caches built on addresses
   know when to forget; what the heap does is no such change. */
uint64_t address_space_generation(const struct address_space *space);

/* The region that holds ADDRESS, or NULL. */
const struct region *address_space_find(struct address_space *space, uint64_t address);

/* The same of data: as maps said when it was read last, and nothing is looked after. */
const struct region *address_space_region(
	const struct address_space *space, uint64_t address);

/* Is there no region at ADDRESS because of what address_space_check found? */
bool address_space_is_unsure(const struct address_space *space, uint64_t address);

/* The next mapping, *MAPPING in the profile, whose name samples may have got that were of
   other code: libraries took turns there before that was noticed. False if there is none
   that was not told yet. */
bool address_space_take_doubtful(struct address_space *space, uint32_t *mapping);

/* The image behind an executable region, opened on first use; NULL if there is none or it
   cannot be read (a failure is remembered, not tried again). *BIAS is what must be
   subtracted from an address in this region to get the image's own. */
struct elf_image *address_space_image(
	struct address_space *space, const struct region *region, uint64_t *bias);

/* What the code of that image is called; NULL as above. */
struct code_names *address_space_names(
	struct address_space *space, const struct region *region, uint64_t *bias);

/* Why there is no image, or one without names: a line for a person, "" if all is well. */
const char *address_space_image_problem(
	const struct address_space *space, const struct region *region);

/* The /proc/PID directory that all this is read from. */
const struct proc_dir *address_space_proc_dir(const struct address_space *space);

/* Copy from the running target's memory (/proc/PID/mem). Returns the bytes read, 0 on
   failure. The target runs meanwhile: never used for stacks. */
size_t address_space_read(
	struct address_space *space, uint64_t address, void *out, size_t length);

#endif
