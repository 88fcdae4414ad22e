/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taker: main's side of the facts: it believes none of them.
 *
 * This is the wall between what reads hostile input and what has rights. Every number is in its
 * range, every text bounded and clean (src/base/clean.h), no time lies in the future, and what a
 * reader can make main keep has a limit; a fact that is not so makes all that follows worthless,
 * and the reader is to be killed. What it can do at worst is to tell lies about the targets.
 *
 * It takes what happened into a history. Facts that answer somebody are handed on. Knows no
 * socket, so that it can be fuzzed (tests/fuzz/facts.c). Analyst thread only.
 */
#ifndef CPROFTOP_TAKER_H
#define CPROFTOP_TAKER_H

#include "src/base/vec.h"
#include "src/keep/history.h"
#include "src/read/tell/fact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taker {
	struct history *history; /* borrowed */
	/* by number: ids in the history's profile */
	VEC(uint32_t) mappings, functions, locations, processes;
	/* of the first N_KNOWN mappings in the profile: (start, hash of the rest) -> id */
	struct idmap known;
	uint32_t n_known;
	VEC(uint32_t)
	before; /* the locations of the generation before, until FACT_SETTLED */
	bool is_settling;
	struct idmap renamed;
	uint64_t renames_ns; /* when the next FACT_RENAMES is due; see take_renames */
	VEC(uint32_t) stack; /* of the sample at hand */
	uint64_t samples;    /* that were taken */
	const char *wrong;   /* what the first bad fact was, a constant; NULL: none */
};

/* A zeroed taker with a history is valid. */
void taker_finish(struct taker *taker);

/* Another reader begins: what the last one has told stays. */
void taker_begin_anew(struct taker *taker);

enum taken {
	TAKEN_ALL,   /* there is no whole fact among the bytes that are left */
	TAKEN_NEWS,  /* *FACT is for the caller: from FACT_ADDED on, or FACT_SETTLED */
	TAKEN_WRONG, /* taker->wrong */
};

/* Take the facts of the LENGTH bytes at BYTES, at NOW_NS. *USED is how many bytes were taken.
   *PAYLOAD are fact->bytes bytes in BYTES; texts of it are checked and end within. */
enum taken taker_take(struct taker *taker, const void *bytes, size_t length, size_t *used,
	uint64_t now_ns, struct fact *fact, const unsigned char **payload);

/* Text INDEX of PAYLOAD, which has that many. */
const char *taker_text(const unsigned char *payload, size_t index);

/* History's profile is another one since RENEWAL: ids of what was told. After FACT_SETTLED only:
   of what came before nothing else is known. */
void taker_renew(struct taker *taker, struct renewal *renewal);

#endif
