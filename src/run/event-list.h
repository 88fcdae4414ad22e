/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event-list: -e list: what this machine and this user may have, and why not. Main thread.
 */
#ifndef CPROFTOP_EVENT_LIST_H
#define CPROFTOP_EVENT_LIST_H

#include <stdio.h>

void event_list_print(FILE *out);

#endif
