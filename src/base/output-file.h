/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output-file: write a file so that it appears completely or not at all.
 *
 * The bytes go to a file without a name in the same folder (O_TMPFILE), are flushed to the
 * disk, and get their name at the end, by rename(2) if there is an older file. So nobody ever
 * sees half a file, an older file of that name stays until the new one is complete, and a
 * symbolic link is never followed. On failure nothing is left behind, not even if the process
 * is killed. Where there are no files without a name (NFS, FAT, FUSE; or `--confine`), it is one
 * with a temporary name (O_EXCL, mode 0600), and that is left behind by SIGKILL.
 *
 * A stream is written as it is, without a temporary file: "-" and "/dev/stdout", any other
 * descriptor of ours by its name in /dev/fd (which is what a shell's process substitution
 * gives), a FIFO, a character device. Who waits for the reader of a FIFO, or for a reader
 * that does not read, can be ended by SIGINT, SIGTERM and SIGHUP, even if the program takes
 * these signals otherwise. Everything else (a folder, a link, a disk) is refused.
 *
 * The program must have called output_file_ignore_signals. Any thread.
 */
#ifndef CPROFTOP_OUTPUT_FILE_H
#define CPROFTOP_OUTPUT_FILE_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Ignore SIGPIPE and SIGXFSZ, so that a closed pipe and a file size limit are reported as
   errors of a write, and do not end the program. Call it once, at the start. */
void output_file_ignore_signals(void);

/* The permissions of files that are written from now on; 0600 if it is not called. Before
   other threads exist. */
void output_file_set_mode(mode_t mode);

/* Is PATH a stream, as above? */
bool output_file_is_stream(const char *path);

/* Is PATH a descriptor of ours that leads to a terminal? */
bool output_file_is_terminal(const char *path);

/* Fails where output_file_write would fail before its first byte, without writing
   anything: a check before a long recording. */
bool output_file_check(const char *path, struct error *err);

/* Write the SIZE bytes to PATH. ERR names PATH and says what to do, or why it failed. */
bool output_file_write(
	const char *path, const void *bytes, size_t size, struct error *err);

/* Write to PATH what PRINT prints of WHAT, which is kept in memory until it is complete:
   if PRINT fails, there is no file. *SIZE, if not NULL, gets the number of bytes. */
bool output_file_print(const char *path,
	bool (*print)(const void *what, FILE *out, struct error *err), const void *what,
	uint64_t *size, struct error *err);

#endif
