/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contention: what threads waited for, who held it and what the holders did meanwhile.
 *
 * Main thread.
 */
#ifndef CPROFTOP_CONTENTION_H
#define CPROFTOP_CONTENTION_H

#include "src/count/report.h"

#include <stddef.h>
#include <stdio.h>

/* The first MOST locks of REPORT (src/count/locks/locks.h), as text. */
void contention_write(const struct report *report, size_t most, FILE *out);

#endif
