/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask-opener: what a process without rights asks main to open for it.
 *
 * The reader (src/reader/reader.h) may open nothing: no file, no folder, no process. Main's opener
 * (src/opener/opener.h) answers a few questions for it, and looks at no content of a target's.
 * Where no opener is used, as in dump and in tests, who wants to open something does it itself;
 * so each place that opens says both, once.
 *
 * One thread at a time.
 */
#ifndef CPROFTOP_ASK_OPENER_H
#define CPROFTOP_ASK_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on this process asks over SOCKET (SOCK_SEQPACKET). Once. */
void ask_opener_over(int socket);
bool ask_opener_is_used(void);

#endif
