/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * teller: the reader's side of the facts: it writes them, and before each what it refers to.
 *
 * The reader keeps names in a profile of its own. Here it says what happened in the words of
 * src/keep/history.h, with ids of that profile; the teller tells what main does not know yet,
 * gives it numbers, and collects all of it until teller_flush. The reader's only thread.
 */
#ifndef CPROFTOP_TELLER_H
#define CPROFTOP_TELLER_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/renewal.h"
#include "src/facts/sample.h"
#include "src/read/tell/fact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct teller {
	struct profile *profile; /* the reader's: a reference */
	int socket;
	VEC(unsigned char) bytes; /* not sent yet */
	/* id -> number, of what was told in this generation */
	struct idmap mappings, functions, locations, processes;
	uint32_t n_locations, of;
	bool is_broken; /* main does not listen any more */
};

void teller_init(struct teller *teller, int socket);
void teller_finish(struct teller *teller);

/* Send all that was told. Waits until main has room for it. False: main is gone. */
bool teller_flush(struct teller *teller);

/* Facts without names. PAYLOAD of FACT->bytes. */
void teller_tell(struct teller *teller, const struct fact *fact, const void *payload);

/* Those with texts: COUNT of them. */
void teller_tell_texts(
	struct teller *teller, struct fact *fact, const char *const *texts, size_t count);

/* Tell MAPPING, an id, before anything of it is sampled. */
void teller_mapping(struct teller *teller, uint32_t mapping);

/* The facts that follow are of PROCESS, an id; PROFILE_NONE: there is only one. */
void teller_of(struct teller *teller, uint32_t process);
void teller_rename_process(struct teller *teller, uint32_t was, uint32_t now);

/* NAME is raw: the first SNAPSHOT_NAME_BYTES of it at most. */
void teller_name(struct teller *teller, pid_t tid, const char *name);
void teller_sample(struct teller *teller, pid_t tid, const uint32_t *locations,
	size_t length, enum unwind_end end, const struct sample *sample);
void teller_change_wait(struct teller *teller, pid_t tid, uint32_t location);

/* Of KIND, one of those that have only times. */
void teller_thread(struct teller *teller, enum fact_kind kind, pid_t tid,
	uint64_t time_ns, uint64_t ns);

/* Each (old location, 0) -> new location of RENAMED that main knows. */
void teller_renamed(struct teller *teller, const struct idmap *renamed);

/* Begin a generation with the new profile of RENEWAL; the locations that it knows are carried. */
void teller_renew(struct teller *teller, const struct renewal *renewal);

#endif
