/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals: the wish to end, as something to poll.
 *
 * SIGINT, SIGTERM, SIGHUP and Ctrl-Z are blocked in every thread. A thread waits for them
 * and tells of each through a descriptor, so that no handler runs and no flag is shared.
 * Not a signalfd: whoever polls one is woken by every signal that the process gets
 * (signalfd_notify, include/linux/signalfd.h), and it gets a SIGCHLD for every stop. Main
 * thread, before any other thread exists.
 */
#ifndef CPROFTOP_SIGNALS_H
#define CPROFTOP_SIGNALS_H

/* Block them and return a descriptor that polls readable when one came; -1 on failure. */
int signals_open(void);

/* The signal that came; 0 if there is none. */
int signals_take(int fd);

/* Stop this process as Ctrl-Z does; returns when it is continued. */
void signals_suspend(void);

#endif
