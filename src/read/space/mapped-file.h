/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped-file: open the file behind a mapping, and no other.
 *
 * A path in /proc/PID/maps may be gone, replaced by an upgrade, seen through another root
 * (chroot, container), or chosen to mislead. So nothing is opened by name alone: a
 * candidate is first taken as an O_PATH handle, which has no side effect on devices and
 * does not wait on FIFOs, then its identity is compared with the mapping's, and only then
 * it is opened for reading. A process that uses an opener asks that for it, by a mapping that
 * is there now (src/base/ask-opener.h). Any thread.
 */
#ifndef CPROFTOP_MAPPED_FILE_H
#define CPROFTOP_MAPPED_FILE_H

#include "src/base/error.h"
#include "src/process/proc-dir.h"

#include <stdbool.h>
#include <stdint.h>

struct mapped_file {
	uint64_t start, limit; /* of the mapping: its name in /proc/PID/map_files */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *path; /* as maps prints it */
};

/* A descriptor for reading, or -1; then errno is ESTALE if the opener says that no code of it is
   mapped now. */
int mapped_file_open(
	const struct proc_dir *dir, const struct mapped_file *file, struct error *err);

/* The device and inode of /proc/PID/exe as maps prints them, into FILE. False if it
   cannot be told. */
bool mapped_file_identify_exe(const struct proc_dir *dir, struct mapped_file *file);

#endif
