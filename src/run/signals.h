/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals: Ctrl-C and other signals, as a descriptor to poll.
 *
 * SIGINT, SIGTERM, SIGHUP, SIGTSTP (Ctrl-Z) and SIGUSR1 are blocked in every thread. One thread
 * waits for them and reports each through a descriptor, so that no handler runs and no
 * flag is shared. A signalfd is not used: a poll on it is woken by every signal that the
 * process gets (signalfd_notify, include/linux/signalfd.h). Main thread, before any other
 * thread exists.
 */
#ifndef CPROFTOP_SIGNALS_H
#define CPROFTOP_SIGNALS_H

/* Block these signals, and return a descriptor that is readable (poll(2)) when one has
   come; -1 on failure. Who does not take two that ask for the end, because a file system does not
   answer, is ended by the third. */
int signals_open(void);

/* Block them already, before other threads exist. */
void signals_block(void);

/* The oldest signal that has come; 0 if there is none. */
int signals_take(int fd);

/* Stop this process as Ctrl-Z does; returns when it is continued. */
void signals_suspend(void);

#endif
