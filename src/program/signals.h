/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals: Ctrl-C and other signals, as a descriptor to poll.
 *
 * SIGINT, SIGTERM, SIGHUP and SIGTSTP (Ctrl-Z) are blocked in every thread. One thread
 * waits for them and reports each through a descriptor, so that no handler runs and no
 * flag is shared. A signalfd would not do: whoever polls one is woken by every signal
 * that the process gets (signalfd_notify, include/linux/signalfd.h), and we get a SIGCHLD
 * for every stop. Main thread, before any other thread exists.
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
