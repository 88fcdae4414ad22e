/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: what samples refer to (mappings, functions, locations, threads, processes),
 * each stored once.
 *
 * The words are pprof's (profile.proto) and elfutils': a mapping is one executable memory
 * mapping of one file; a function has a name; a location is one code address in one
 * mapping, with at least one line; a thread is one task of the target. See
 * docs/GLOSSARY.md.
 *
 * Every entry has a uint32_t id (0, 1, 2...), is immutable and never moves. So any thread
 * that got a `const struct profile *` and an id from a published report, which holds a
 * reference, may read it. Only the analyst adds entries. Strings passed in must be
 * cleaned (src/base/clean.h) and are copied; strings returned belong to the profile and
 * live as long as it does.
 */
#ifndef CPROFTOP_PROFILE_H
#define CPROFTOP_PROFILE_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/table.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One executable mapping, as /proc/PID/maps gives it. */
struct mapping {
	uint64_t start, limit; /* [start, limit) in the target's address space */
	uint64_t file_offset;  /* of START, in bytes, as maps says */
	const char *path;      /* "/usr/bin/x", "[vdso]", "[anon]", "/x (deleted)" */
	const char *module;    /* what a table shows: the last component, "x", "[vdso]" */
	const char *build_id;  /* lowercase hex, "" if the file has none */
	bool is_main;	       /* belongs to the main executable (/proc/PID/exe) */
};

/* A function. The same name in two modules makes two functions. */
struct function {
	const char *name;	 /* demangled, as shown */
	const char *system_name; /* as in the symbol table */
	/* Without parameters, as the reader has demangled it: main demangles nothing. NULL
	   or "": as NAME */
	const char *short_name;
	const char *module;  /* as in struct mapping */
	const char *file;    /* absolute path of the source, "" if unknown */
	uint32_t start_line; /* where it is declared, 0 if unknown */
	/* Set by the profile: the id of the first function with this system name and
	   module. That is this function, or one that was added before the source file was
	   known. Reports count the two as one. */
	uint32_t kin;
	bool is_synthetic; /* no code: "[truncated stack]", "[epoll_wait]" */
	bool is_process;   /* stands for processes: the outermost of their stacks */
};

/* One source line of one function; inlining gives a location several. */
struct line {
	uint32_t function;
	uint32_t line; /* 0 if unknown */
};

/* One code address. ADDRESS is where the instruction is that runs or that made the call:
   the leaf's PC as it is, a caller's return address less one. */
struct location {
	uint32_t mapping; /* PROFILE_NONE for a synthetic location */
	uint32_t n_lines; /* at least 1 */
	uint64_t address;
	const struct line *lines; /* innermost inlined function first, real one last */
	/* Of a synthetic location: which one of those that its function stands for, such as
	   "0x7f12a0" or "fd 5"; "" if there is only one. It is no part of the name, because
	   it is another one in the next run of the same program. */
	const char *detail;
};

/* One task under one name. A thread that renames itself gets a second entry with the same
   tid; earlier samples keep the earlier name. */
struct thread {
	pid_t tid;
	uint32_t process; /* PROFILE_NONE if there is only one */
	const char *name; /* comm: at most 15 bytes before cleaning */
};

/* One of several processes, under one name. After exec, or with another title, the process
   gets a new entry. */
struct profile_process {
	pid_t pid;
	const char *name;    /* comm */
	const char *command; /* its command line or title, shortened; "" if it has none */
	/* the location that its stacks begin with, of a synthetic function with its name;
	   no other process has it */
	uint32_t frame;
};

#define PROFILE_NONE UINT32_MAX

struct profile {
	_Atomic unsigned references;
	struct strpool strings;
	struct table *mappings, *functions, *locations, *threads, *processes;
	size_t n_lines; /* of all locations */
	struct idmap place_ids, function_ids, kin_ids, location_ids, synthetic_ids,
		thread_ids, process_ids, frame_ids;
};

struct profile *profile_create(void);			    /* one reference */
struct profile *profile_ref(const struct profile *profile); /* any thread */
void profile_unref(const struct profile *profile);	    /* any thread; NULL is fine */

/* Memory in bytes, roughly. */
size_t profile_bytes(const struct profile *profile);

/* A copy of TEXT that lives as long as the profile; the same for equal texts. */
const char *profile_string(struct profile *profile, const char *text);

/* Each of these returns an id, the same one for the same content. Only
   profile_add_mapping always makes a new entry: its caller knows which mappings it has
   added. Strings in the arguments are copied. */
uint32_t profile_add_mapping(struct profile *profile, const struct mapping *mapping);
uint32_t profile_intern_function(
	struct profile *profile, const struct function *function);
uint32_t profile_intern_thread(struct profile *profile, pid_t tid, const char *name);
/* The same for a thread of PROCESS, an id; PROFILE_NONE if there is only one process. */
uint32_t profile_intern_thread_of(
	struct profile *profile, uint32_t process, pid_t tid, const char *name);
/* Always a new entry, for the caller knows what else tells it from another. */
uint32_t profile_add_thread(struct profile *profile, pid_t tid, const char *name);
uint32_t profile_intern_process(
	struct profile *profile, pid_t pid, const char *name, const char *command);

/* The process whose frame is location ID, or PROFILE_NONE. */
uint32_t profile_process_of_frame(const struct profile *profile, uint32_t id);

/* Add a function under another name (src/facts/naming.h); always a new entry. Its strings
   must already belong to the profile. Its kin stays as given; PROFILE_NONE becomes the
   new entry's own id. */
uint32_t profile_derive_function(
	struct profile *profile, const struct function *function);

/* Add a thread under another name, likewise. */
uint32_t profile_derive_thread(
	struct profile *profile, uint32_t thread, const char *name);

/* The location of (mapping, address), or PROFILE_NONE. Called before the names are looked
   up, which costs more. */
uint32_t profile_find_location(
	const struct profile *profile, uint32_t mapping, uint64_t address);
/* Add a location. An older one of the same (mapping, address) is no longer found by
   profile_find_location, but its id stays valid. */
uint32_t profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct line *lines, uint32_t n_lines);

/* Add a location that profile_find_location will not find, because its code is no longer
   at that address. */
uint32_t profile_add_past_location(struct profile *profile, uint32_t mapping,
	uint64_t address, const struct line *lines, uint32_t n_lines);

/* The function of the frames of processes that are called NAME. */
uint32_t profile_process_function(struct profile *profile, const char *name);

/* The module of the kernel's functions, as perf calls it. */
#define MODULE_KERNEL "[kernel.kallsyms]"

/* A location in the kernel's function NAME; at address 0, because the kernel does not tell
   addresses. */
uint32_t profile_intern_kernel(struct profile *profile, const char *name);
bool function_is_kernel(const struct function *function);
/* Of no library, and with a name: of the executable, or of a script. */
bool function_is_own(const struct function *function);

/* A location without code, with one line of one synthetic function called NAME. */
uint32_t profile_intern_synthetic(struct profile *profile, const char *name);
/* The same with a detail. All details of one NAME are locations of one function. */
uint32_t profile_intern_detailed(
	struct profile *profile, const char *name, const char *detail);

static inline const struct mapping *profile_mapping(const struct profile *p, uint32_t id)
{
	return (const struct mapping *)table_at(p->mappings, id);
}

static inline const struct function *profile_function(
	const struct profile *p, uint32_t id)
{
	return (const struct function *)table_at(p->functions, id);
}

static inline const struct location *profile_location(
	const struct profile *p, uint32_t id)
{
	return (const struct location *)table_at(p->locations, id);
}

static inline const struct profile_process *profile_process(
	const struct profile *p, uint32_t id)
{
	return (const struct profile_process *)table_at(p->processes, id);
}

static inline const struct thread *profile_thread(const struct profile *p, uint32_t id)
{
	return (const struct thread *)table_at(p->threads, id);
}

#endif
