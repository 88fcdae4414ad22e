/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mailbox: what passes between the analyst and other threads: requests and new processes
 * to it, reports from it.
 *
 * One mutex guards all of it and is held for a copy, never for work. The functions of the
 * first part are for the analyst, those of the second for one other thread at a time,
 * unless said otherwise.
 */
#ifndef CPROFTOP_MAILBOX_H
#define CPROFTOP_MAILBOX_H

#include "src/analyst/intakes.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/report/report.h"

#include <pthread.h>
#include <stdbool.h>

/* A process to be added; the thread that adds it waits until it is done. */
struct addition {
	struct intake_options options;
	struct error error;
	bool done, good;
};

struct mailbox {
	int wake_fd, ready_fd; /* to wake the analyst; to tell that a report is there */
	pthread_mutex_t mutex; /* of what follows */
	bool is_asked;
	struct report_request request;
	struct report *published;
	struct addition *addition; /* waits to be handled; NULL: none */
	VEC(struct ring *) rings;  /* that records are taken from */
	pthread_cond_t added;
};

/* To be finished, also if it fails. */
bool mailbox_init(struct mailbox *mailbox, struct error *err);
void mailbox_finish(struct mailbox *mailbox);

/* --- the analyst's ----------------------------------------------------------------- */

/* Sleep until somebody calls mailbox_wake, or until PATIENCE_MS have passed. */
void mailbox_sleep(struct mailbox *mailbox, int patience_ms);

/* Take the newest request. False if there was none since the last call. */
bool mailbox_take_request(struct mailbox *mailbox, struct report_request *request);

/* Give REPORT away, and destroy the one before it if nobody took it. */
void mailbox_publish(struct mailbox *mailbox, struct report *report);

/* A process to be added, or NULL. Fill in what came of it, and give it back with
   mailbox_added. */
struct addition *mailbox_addition(struct mailbox *mailbox);
void mailbox_added(struct mailbox *mailbox, struct addition *addition);

/* Tell others which rings are read. */
void mailbox_list_rings(struct mailbox *mailbox, const struct intakes *intakes);

/* --- everybody else's -------------------------------------------------------------- */

void mailbox_wake(struct mailbox *mailbox); /* any thread */
void mailbox_request(struct mailbox *mailbox, const struct report_request *request);
struct report *mailbox_take(struct mailbox *mailbox); /* NULL: none */
void mailbox_add(
	struct mailbox *mailbox, struct addition *addition); /* any thread; waits */
bool mailbox_reads(struct mailbox *mailbox, const struct ring *ring); /* any thread */

#endif
