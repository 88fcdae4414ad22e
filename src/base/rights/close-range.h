/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * close-range: close what a process has inherited and should not keep.
 *
 * A descriptor that is kept by mistake can be the other end of our own pipe or socket: its
 * end would never be seen, and the process would live for ever. close_range(2) is from
 * Linux 5.9, and some containers refuse calls that are younger than they are, so then each is
 * closed by itself. Only system calls are made. Any thread.
 */
#ifndef CPROFTOP_CLOSE_RANGE_H
#define CPROFTOP_CLOSE_RANGE_H

/* Close all descriptors from FIRST to LAST, both included; UINT_MAX: all there are. */
void close_all(unsigned first, unsigned last);

#endif
