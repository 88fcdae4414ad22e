/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact: one record of what the reader tells main.
 *
 * The reader (src/read/reader/reader.h) reads all that is hostile, and may be taken over by it. So
 * whatever it finds out arrives as facts, a stream of bytes over a socket, and src/keep/taker.h
 * checks each. A fact is a struct of fixed size and BYTES of payload behind it: texts, each
 * with a NUL, or numbers.
 *
 * What samples refer to (mappings, functions, locations, processes) is told before it is used.
 * Each kind is numbered from 0 in the order in which it is told, until FACT_GENERATION: then
 * the numbers begin again, and only those locations stay that FACT_CARRIED gives another number.
 * Times are monotonic, amounts of time in ns.
 */
#ifndef CPROFTOP_FACT_H
#define CPROFTOP_FACT_H

#include "src/facts/callchain.h"

#include "src/facts/snapshot.h"

#include <stdint.h>

enum fact_kind {
	/* what samples refer to */
	FACT_MAPPING,  /* texts: path, module, build id */
	FACT_FUNCTION, /* texts: name, system name, short name, module, file */
	FACT_LOCATION, /* payload: struct fact_line for each line; with FACT_DETAILED a text */
	FACT_PROCESS, /* a pid under a title; texts: name, command */
	FACT_GENERATION,
	FACT_CARRIED, /* of the generation before */
	FACT_SETTLED, /* no more is carried */
	/* what happened, to the history (src/keep/history.h has the same words) */
	FACT_OF, /* of which process the facts are that follow */
	FACT_RENAME_PROCESS,
	FACT_NAME,   /* of a thread */
	FACT_THREAD, /* it was found */
	FACT_THREAD_EXIT,
	FACT_SAMPLE, /* payload: the numbers of its locations, leaf first */
	FACT_POOLED,
	FACT_RUNQ,
	FACT_RUNNING,
	FACT_BLOCKED,
	FACT_CHANGE_WAIT,
	FACT_CONTEND,
	FACT_WITNESS,
	FACT_ACCOUNT,
	FACT_SURVEYED,
	FACT_MARK,
	FACT_RENAMED, /* a location has another number now */
	FACT_RENAMES, /* those are all, for now */
	/* to whoever asked, by src/read/reader/order.h */
	FACT_ADDED,   /* text: why not, "" if it was */
	FACT_ENDED,   /* its last record was taken */
	FACT_RETIRED, /* its ring is not read any more */
	FACT_SYNCED,
	FACT_STATE,    /* texts: why there are no names of JIT code, what was too large,
			  which languages there are, of which functions
			  the calls are counted */
	FACT_WANTED,   /* a debug file; texts: its build id, the module */
	FACT_ASSEMBLY, /* payload: src/read/tell/code-facts.h */
	FACT_LINES,    /* the same */
	FACT_KINDS
};

#define FACT_NONE UINT32_MAX

enum {
	FACT_PAYLOAD_MAX = 8 << 20,
	FACT_LINES_MAX = 64, /* of a location: LINE_FRAMES_MAX */
	FACT_STACK_MAX =
		CALLCHAIN_NODES - 3, /* history_add adds two, a wait for a CPU one */
};

enum fact_location_kind {
	FACT_CODE,	/* at an address of a mapping, or of none */
	FACT_PAST_CODE, /* the same, and other code is there now */
	FACT_KERNEL,	/* of a function of the kernel */
	FACT_DETAILED,	/* of a synthetic function: its detail follows the line */
};

struct fact_line {
	uint32_t function, line;
};

struct fact {
	uint32_t kind;
	uint32_t bytes; /* of payload */
	union {
		struct {
			uint64_t start, limit, file_offset;
			uint32_t is_main;
		} mapping;
		struct {
			uint32_t start_line, is_synthetic;
		} function;
		struct {
			uint64_t address;
			uint32_t mapping, kind, n_lines;
		} location;
		struct {
			int32_t pid;
			uint32_t was; /* FACT_RENAME_PROCESS: the number before */
			uint32_t
				now; /* FACT_OF, FACT_RENAME_PROCESS: the number; FACT_NONE */
		} process;
		struct {
			uint32_t was, now; /* numbers of locations */
		} moved;
		/* Of a thread, from FACT_NAME to FACT_ACCOUNT but FACT_SAMPLE and FACT_POOLED. */
		struct {
			int32_t tid;
			uint32_t count;	   /* FACT_BLOCKED */
			uint32_t location; /* FACT_CHANGE_WAIT */
			uint64_t time_ns, from_ns, ns;
			uint64_t runq_ns; /* FACT_ACCOUNT */
			/* FACT_NAME: raw, and NUL only if it is shorter */
			char name[SNAPSHOT_NAME_BYTES];
		} thread;
		struct {
			uint64_t time_ns, cpu_ns, wall_ns;
			int32_t tid;
			uint32_t count, n_locations;
			uint16_t pool;
			uint8_t odds, state, end;
		} sample;
		struct {
			uint64_t time_ns,
				cpu_ns; /* FACT_MARK: more than at the mark before */
		} mark;
		struct {
			uint32_t subject; /* of src/read/reader/order.h */
			uint64_t ended_ns;
		} subject;
		struct {
			uint64_t number;
		} synced;
		struct {
			uint32_t lines_deaths, awaits;
			int32_t refusal_pid;
		} state;
		struct {
			uint64_t serial;
		} code;
	};
};

#endif
