/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader: the process that reads everything hostile, and has no rights.
 *
 * What a target has made, whatever it is, is read here and nowhere else: the rings with copies
 * of its stacks, its mappings, its files, the names that its compilers write. So the reader may
 * be taken over by it, may die or hang of it, and nothing is lost by that: it has no file, no
 * terminal and no socket but those of struct reader_options, and a short list of system calls
 * (src/base/rights/confine-calls.h). Main (src/run/analyst) tells it what to read by orders
 * (order.h), takes what it finds out as facts, believes none of them unchecked, and begins
 * another one when it ends.
 */
#ifndef CPROFTOP_READER_H
#define CPROFTOP_READER_H

#include "src/base/worker/own-process.h"

extern const struct own_process_kind reader_kind; /* it begins as reader-options.h says */

#endif
