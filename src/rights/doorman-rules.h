/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-rules: what the doorman does for a confined process. All of it:
 *
 *  1. of the processes that were named at the start, and of no others: open for reading these
 *     entries of /proc/PID and /proc/PID/task/TID: maps, mem, auxv, stat, status, cmdline,
 *     syscall, wchan, stack, schedstat, exe, fd, root, fdinfo/N, and regular files of
 *     map_files/RANGE; read the link of any of them, and of fd/N
 *  2. open for reading, by its number in /proc/self/fd, a regular file that was opened for it
 *     by way of map_files or exe
 *  3. open the folder of an output file that was named at the start, by the same words; in it
 *     look at that name, make the temporary file of src/base/output-file.h, rename it to that
 *     name, remove it; open it for writing if it is a FIFO or a character device. For a screen
 *     the folder is the current one, and every name counts that begins with "cproftop-" and
 *     has only letters, digits and "-_."
 *  4. signal its own children
 *  5. open for reading a profile that was named at the start, by the same words, while that is
 *     the file that it was then
 *
 * Processes are known by a descriptor of /proc/PID that the doorman opened at its start, and
 * which never stands for another process with the same number; folders by their device and
 * inode. Paths are compared: each is matched whole, and what is opened then is a name of a
 * fixed list below a folder that the doorman has open, or (rule 5) what root has written on
 * the command line.
 */
#ifndef CPROFTOP_DOORMAN_RULES_H
#define CPROFTOP_DOORMAN_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	DOORMAN_PIDS_MAX = 64,
	DOORMAN_OUTPUTS_MAX = 4,
	DOORMAN_FILES_MAX = 4096,
	DOORMAN_INPUTS_MAX = 256,
	DOORMAN_NAME_MAX = 256,
};

/* No such file: opening it fails with EALREADY if the doorman can read what it is asked for.
   Without CAP_SYS_PTRACE, as in most containers, it cannot. */
#define DOORMAN_PROBE "/proc/cproftop-doorman"

struct doorman_rules {
	pid_t pids[DOORMAN_PIDS_MAX];
	int proc_fds[DOORMAN_PIDS_MAX]; /* of /proc/PID */
	size_t n_pids;
	struct {
		int folder;
		char folder_path
			[DOORMAN_NAME_MAX];  /* as src/base/output-file.h opens it */
		char name[DOORMAN_NAME_MAX]; /* "": rule 3's names for a screen */
		bool is_stream;		     /* a FIFO or a device: it is not replaced */
	} outputs[DOORMAN_OUTPUTS_MAX];
	size_t n_outputs;
	/* What rule 2 may open again. */
	struct {
		dev_t device;
		ino_t inode;
	} files[DOORMAN_FILES_MAX];
	size_t n_files;
	struct {
		const char *path; /* borrowed */
		dev_t device;
		ino_t inode; /* 0: it was not there */
	} inputs[DOORMAN_INPUTS_MAX];
	size_t n_inputs;
};

/* Make a rule; false and errno if it is too many, or not there. */
bool doorman_rules_add_process(struct doorman_rules *rules, pid_t pid);
bool doorman_rules_add_output(struct doorman_rules *rules, const char *path);
bool doorman_rules_add_exports(struct doorman_rules *rules);
bool doorman_rules_add_input(struct doorman_rules *rules, const char *path);

/* May a screen write a file that is called PATH? */
bool doorman_rules_is_export(const char *path);

/* Which process PATH below the folder DIRECTORY is about (what the kernel says where a
   descriptor leads, as "/proc/12/task/13"; "" for an absolute PATH), if rule 1 allows the
   entry; -1: it does not. ENTRY is what to open below /proc/PID, and lies in a buffer of
   DOORMAN_NAME_MAX bytes. */
int doorman_rules_entry(const struct doorman_rules *rules, const char *directory,
	const char *path, char *entry);

/* Is ENTRY a file whose content rule 2 may open later: map_files/RANGE or exe? */
bool doorman_rules_is_mapped(const char *entry);
void doorman_rules_remember(struct doorman_rules *rules, int fd);
bool doorman_rules_knows(const struct doorman_rules *rules, int fd);

/* The output in the folder that is called PATH; -1: there is none. */
int doorman_rules_folder(const struct doorman_rules *rules, const char *path);

/* The output whose folder is open at FD, and is called NAME, or (TEMPORARY) is made under the
   temporary NAME; -1: there is none. */
int doorman_rules_output(
	const struct doorman_rules *rules, int fd, const char *name, bool temporary);

/* The profile that is called PATH; -1: there is none. *FD is the descriptor of the caller that
   it stands for (/dev/fd/3), or -1: it is opened by its name. What is opened must be the same
   file as at the start: the caller can lead both names elsewhere. */
int doorman_rules_input(const struct doorman_rules *rules, const char *path, int *fd);
bool doorman_rules_is_input(const struct doorman_rules *rules, int input, int fd);

#endif
