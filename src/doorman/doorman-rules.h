/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-rules: what the doorman does for a confined process. All of it:
 *
 *  1. of the processes that were named at the start, with --children of their descendants, and
 *     of no others: open for reading /proc/PID and these entries of /proc/PID and
 *     /proc/PID/task/TID: maps, mem, auxv, stat, status, cmdline, syscall, wchan, stack,
 *     schedstat, exe, fd, root, task, children, fdinfo/N, and regular files of
 *     map_files/RANGE; read the link of any of them, and of fd/N
 *  2. open for reading, by its number in /proc/self/fd, a regular file that was opened for it
 *     by way of map_files or exe
 *  3. open the folder of an output file that was named at the start, by the same words; in it
 *     look at that name, make the temporary file of src/base/output-file.h, rename it to that
 *     name, remove it; open it for writing if it is a FIFO or a character device. For a screen
 *     the folder is the current one, and every name counts that begins with "cproftop-" and
 *     has only letters, digits and "-_."; also others that end as our files do (".svg") and that
 *     nothing has yet; for a recording of many files it is the folder that
 *     was named, and every name that has such characters, or '+', and the time of a file, as in
 *     "nginx-4711-20261121T144200Z.pb.gz", which with --keep may be removed, too
 *  4. signal its own children
 *  5. open for reading a profile that was named at the start, by the same words, while that is
 *     the file that it was then
 *  6. open for reading, and look at, what is in the folders of debug files, of sources and of
 *     profiles that were named, and below them, by no link that leaves them
 *  7. open for reading a perf map: a regular file that is called perf-N.map, has one name, and
 *     lies in the folder of which the caller has a descriptor, not behind a link or a mount
 *  8. remove the socket that was named at the start
 *  9. if processes were named: of every process, list /proc/PID/fd; of each descriptor N there
 *     that leads to a pipe or a socket, read that link, and open fdinfo/N: who is at the other
 *     end of what a process waits for
 * 10. open for reading, as the person who called us by sudo and with no other rights than theirs,
 *     a regular file that is called as source files are ("main.c"), whatever the link that leads
 *     to it is called, or begins as programs do
 *
 * A process of root's becomes a user without rights, and may try for itself what no rule grants.
 * Who calls us and is not root cannot become anybody else: main is that user still, and what no
 * rule grants is refused. Rule 2 is for all that was opened for it, rule 10 for names below any folder
 * that it has open, too; and there is one more, also for programs that it starts:
 *
 * 11. open for reading what belongs to root and anybody may reach and read: files and folders, but of /proc/PID
 *     only comm, stat, status, cmdline and net/tcp; its own entries of /proc/self; /dev/null, zero, urandom
 *
 * Processes are known by a descriptor of /proc/PID that the doorman opened itself, and which
 * never stands for another process with the same number; folders by the words of the command
 * line, and by device and inode when a descriptor is given. Paths are compared: each is matched
 * whole, and what is opened then is a name of a fixed list below a folder that the doorman has
 * open, or what root has written on the command line. What the target can mount or link in a
 * folder of its own is not followed.
 */
#ifndef CPROFTOP_DOORMAN_RULES_H
#define CPROFTOP_DOORMAN_RULES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	DOORMAN_PIDS_MAX = 256, /* those of which the oldest has ended make room */
	DOORMAN_FOLDERS_MAX = 4096,
	DOORMAN_OUTPUTS_MAX = 6,
	DOORMAN_FILES_MAX = 4096,
	DOORMAN_INPUTS_MAX = 4096,
	DOORMAN_NAME_MAX = 256,
	DOORMAN_TEMPORARY_MAX = 64,
};

/* No such file: opening it gives a descriptor if the doorman can read what it is asked for, and
   hand over what it opens. Without CAP_SYS_PTRACE, as in most containers, it cannot; and not
   before Linux 5.9. */
#define DOORMAN_PROBE "/proc/cproftop-doorman"

/* The names that may be written in a folder. */
enum doorman_names {
	DOORMAN_ONE,
	DOORMAN_EXPORTS,   /* rule 3's for a screen */
	DOORMAN_INTERVALS, /* and for a recording of many files */
};

struct doorman_rules {
	pid_t main; /* whom they are for; set by doorman_start */
	pid_t pids[DOORMAN_PIDS_MAX];
	int proc_fds[DOORMAN_PIDS_MAX]; /* of /proc/PID */
	size_t n_pids;
	bool follows_children;
	struct {
		int folder;
		enum doorman_names names;
		char folder_path[PATH_MAX];  /* as src/base/output-file.h opens it */
		char name[DOORMAN_NAME_MAX]; /* of DOORMAN_ONE */
		bool is_stream;		     /* a FIFO or a device: it is not replaced */
		/* A temporary file that was made, and has no other name yet; "": none. */
		char temporary[DOORMAN_TEMPORARY_MAX];
	} outputs[DOORMAN_OUTPUTS_MAX];
	size_t n_outputs;
	mode_t mode;	/* of what is written; 0: 0600 */
	bool may_prune; /* --keep */
	/* What rule 2 may open again. An inode that was freed is given to another file, which
	   was made later. */
	struct {
		dev_t device;
		ino_t inode;
		int64_t born_ns; /* 0: the file system does not say */
	} files[DOORMAN_FILES_MAX];
	size_t n_files; /* that there were; the latest are known */
	struct {
		const char *path; /* borrowed */
		int fd; /* O_PATH: so nothing else gets its inode; -1: not there */
	} inputs[DOORMAN_INPUTS_MAX];
	size_t n_inputs;
	struct {
		int fd;			/* -1: it is not there */
		char *path;		/* allocated, never freed */
	} folders[DOORMAN_FOLDERS_MAX]; /* of rule 6 */
	size_t n_folders;
	const char *socket; /* borrowed; NULL: none */
	uid_t person;	    /* of rule 10; 0: nobody */
	gid_t person_group;
};

/* Make a rule; false and errno if it is too many, or not there. */
bool doorman_rules_add_process(struct doorman_rules *rules, pid_t pid);
bool doorman_rules_add_output(struct doorman_rules *rules, const char *path);
bool doorman_rules_add_exports(struct doorman_rules *rules);
bool doorman_rules_add_intervals(struct doorman_rules *rules, const char *folder);
bool doorman_rules_add_input(struct doorman_rules *rules, const char *path);

/* A folder that may be read; and those of LIST, with ':' between them. Below one that is not
   there is nothing. */
bool doorman_rules_add_folder(
	struct doorman_rules *rules, const char *path, size_t length);
bool doorman_rules_add_folders(struct doorman_rules *rules, const char *list);

/* May a screen write a file that is called PATH? */
bool doorman_rules_is_export(const char *path);

/* Which process PATH below the folder DIRECTORY is about (what the kernel says where a
   descriptor leads, as "/proc/12/task/13"; "" for an absolute PATH), if rule 1 allows the
   entry; -1: it does not. ENTRY is what to open below /proc/PID, and lies in a buffer of
   DOORMAN_NAME_MAX bytes. A descendant that was not known is, from then on. */
int doorman_rules_entry(struct doorman_rules *rules, const char *directory,
	const char *path, char *entry);

/* The parent of the process whose /proc/PID is open at FD; 0: it is in another PID namespace than
   ours, or there is none, as of PID 1; -1: the process has ended. */
pid_t doorman_parent(int fd);

/* Is ENTRY a file whose content rule 2 may open later: map_files/RANGE or exe? */
bool doorman_rules_is_mapped(const char *entry);
void doorman_rules_remember(struct doorman_rules *rules, int fd);
bool doorman_rules_knows(const struct doorman_rules *rules, int fd);

/* The output in the folder that is called PATH, or is open at FD and is called "."; -1: there is
   none. */
int doorman_rules_folder(const struct doorman_rules *rules, int fd, const char *path);

/* The output whose folder is open at FD, and is called NAME, or (TEMPORARY) is made under the
   temporary NAME; -1: there is none. */
int doorman_rules_output(
	const struct doorman_rules *rules, int fd, const char *name, bool temporary);

/* May NAME, which is that OUTPUT's, take the place of a file that is there? */
bool doorman_rules_replaces(
	const struct doorman_rules *rules, int output, const char *name);

/* May files with a final name be removed from there? */
bool doorman_rules_prunes(const struct doorman_rules *rules, int output);

/* The folder of rule 6 that is open at FD, or (FD is -1) that PATH begins with; and *REST, what is
   below it, "" for the folder itself; -1: none. */
int doorman_rules_below(
	const struct doorman_rules *rules, int fd, const char *path, const char **rest);

/* Is NAME that of a perf map? */
bool doorman_rules_is_perf_map(const char *name);

/* Is PATH called as source files are? */
bool doorman_rules_is_source(const char *path);

/* Rule 9: is PATH, as for doorman_rules_entry, about the descriptors of some process? *NUMBER is
   which descriptor, -1 for all. */
enum doorman_peer {
	DOORMAN_NO_PEER,
	DOORMAN_FD,	/* fd, or fd/N */
	DOORMAN_FDINFO, /* fdinfo/N */
};
enum doorman_peer doorman_rules_peer(const struct doorman_rules *rules,
	const char *directory, const char *path, long *pid, long *number);

/* The profile that is called PATH; -1: there is none. It is opened by the descriptor of the start:
   the caller can lead its name elsewhere. */
int doorman_rules_input(const struct doorman_rules *rules, const char *path);

#endif
