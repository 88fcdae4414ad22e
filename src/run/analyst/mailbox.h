/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mailbox: what passes between the analyst and other threads: requests, new processes and
 * marks to it, reports from it.
 *
 * One mutex guards all of it. It is held only to copy. The analyst calls the functions of
 * the first part; one other thread at a time calls those of the second, unless a comment
 * says otherwise.
 */
#ifndef CPROFTOP_MAILBOX_H
#define CPROFTOP_MAILBOX_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/read/assembly/assembly.h"
#include "src/read/names/code-lines.h"
#include "src/run/analyst/analyst-process.h"
#include "src/run/analyst/reader-link.h"

#include <pthread.h>
#include <stdbool.h>

/* A process to be added. The thread that adds it waits until DONE. */
struct addition {
	struct analyst_process process;
	struct error error;
	bool done, good;
};

struct mailbox {
	int wake_fd, ready_fd; /* wake the analyst; announce a report */
	int end_fd;	       /* readable while all processes have ended */
	pthread_mutex_t mutex; /* guards what follows */
	bool is_asked;
	struct report_request request;
	struct report *published;
	/* The same for the instructions of a function: the request, with a reference of its
	   profile (NULL: there is none), and the answer. */
	struct assembly_request assembly_request;
	struct assembly *published_assembly;
	struct code_lines *published_lines;
	VEC(struct time_mark) marks; /* not taken yet */
	struct addition *addition;   /* not handled yet; NULL: none */
	VEC(struct ring *) rings;    /* the rings that the analyst reads */
	pthread_cond_t added;
};

/* Call mailbox_finish afterwards, even if this fails. */
bool mailbox_init(struct mailbox *mailbox, struct error *err);
void mailbox_finish(struct mailbox *mailbox);

/* --- for the analyst ----------------------------------------------------------------- */

/* Sleep until somebody calls mailbox_wake, or one of two FDS (-1: none) can be read, or
   PATIENCE_MS have passed. */
void mailbox_sleep(struct mailbox *mailbox, const int fds[2], int patience_ms);

/* Take the newest request. False if none came since the last call. */
bool mailbox_take_request(struct mailbox *mailbox, struct report_request *request);

/* The oldest mark that was not taken yet. All that came before a request can be taken when
   the request was. False: there is none. */
bool mailbox_take_mark(struct mailbox *mailbox, struct time_mark *mark);

/* Hand REPORT over. Destroys the previous one if nobody took it. */
void mailbox_publish(struct mailbox *mailbox, struct report *report);

/* The same for the instructions of a function. The taker owns the request's reference. */
bool mailbox_take_assembly_request(
	struct mailbox *mailbox, struct assembly_request *request);
void mailbox_publish_assembly(struct mailbox *mailbox, struct assembly *assembly);
void mailbox_publish_lines(struct mailbox *mailbox, struct code_lines *lines);

/* Announce that all processes have ended, or that this is not so any more. */
void mailbox_announce_end(struct mailbox *mailbox, bool ended);

/* A process to be added, or NULL. Fill in GOOD and ERROR, and answer with
   mailbox_added. */
struct addition *mailbox_addition(struct mailbox *mailbox);
void mailbox_added(struct mailbox *mailbox, struct addition *addition);

/* Publish which rings are read. */
void mailbox_list_rings(struct mailbox *mailbox, const struct reader_link *link);

/* --- for other threads --------------------------------------------------------------- */

void mailbox_wake(struct mailbox *mailbox); /* any thread */
void mailbox_request(struct mailbox *mailbox, const struct report_request *request);
void mailbox_ask_assembly(
	struct mailbox *mailbox, const struct assembly_request *request);
struct assembly *mailbox_take_assembly(struct mailbox *mailbox);	  /* NULL: none */
struct code_lines *mailbox_take_lines(struct mailbox *mailbox);		  /* NULL: none */
void mailbox_mark(struct mailbox *mailbox, const struct time_mark *mark); /* any thread */
struct report *mailbox_take(struct mailbox *mailbox);			  /* NULL: none */
void mailbox_add(
	struct mailbox *mailbox, struct addition *addition); /* any thread; waits for an
								 answer, which always comes */
bool mailbox_reads(struct mailbox *mailbox, const struct ring *ring); /* any thread */

#endif
