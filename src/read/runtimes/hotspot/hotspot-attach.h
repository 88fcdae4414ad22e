/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-attach: have a Java virtual machine write its perf map.
 *
 * HotSpot listens on a socket in /tmp, .java_pidN, for what jcmd and others ask of it. It
 * makes that socket when it gets SIGQUIT and finds a file .attach_pidN in its working
 * directory or in /tmp (src/read/runtimes/hotspot/os/posix/attachListener_posix.cpp in OpenJDK). Any
 * other program may die of SIGQUIT: a caller must know that this is a HotSpot, and the
 * signal is sent only while the process has a handler for it.
 *
 * A child process does this, as the user of the target, in the target's own root folder
 * and by its own PID there, and may be stopped at any moment: its time is limited, and
 * nobody waits for it. No program of the target's is run. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_ATTACH_H
#define CPROFTOP_HOTSPOT_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

enum hotspot_answer {
	HOTSPOT_PENDING,
	HOTSPOT_WRITTEN,   /* /tmp/perf-N.map is there, anew */
	HOTSPOT_TOO_OLD,   /* it does not know how: before JDK 17 */
	HOTSPOT_REFUSED,   /* it does not listen: -XX:+DisableAttachMechanism, -Xrs */
	HOTSPOT_NOT_READY, /* it does not handle SIGQUIT, or not yet */
	HOTSPOT_SILENT,	   /* no answer in time */
	HOTSPOT_FAILED,	   /* we may not, or it is gone */
};

/* One question, on its way. Zeroed is none. */
struct hotspot_attach {
	bool is_pending;
	pid_t child; /* 0: the opener's (src/base/ask-opener.h) */
	int proc_fd; /* borrowed */
	int answer_fd;
};

/* Ask the process whose /proc/PID is open at PROC_FD, which stays open. HOTSPOT_PENDING, or why
   not. */
enum hotspot_answer hotspot_attach_begin(struct hotspot_attach *attach, int proc_fd);

/* The answer, if it has come; then the question is over. Does not wait. */
enum hotspot_answer hotspot_attach_poll(struct hotspot_attach *attach);

/* Give up. A zeroed one, or one that is over, is fine. */
void hotspot_attach_end(struct hotspot_attach *attach);

/* What the LENGTH bytes of ANSWER, that HotSpot sent and a NUL ends, say. */
enum hotspot_answer hotspot_read_answer(const char *answer, size_t length);

#endif
