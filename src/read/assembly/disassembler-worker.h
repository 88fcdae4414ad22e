/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassembler-worker: what the disassembler's process does: the only place that calls
 * capstone. See src/read/assembly/disassembler.h.
 */
#ifndef CPROFTOP_DISASSEMBLER_WORKER_H
#define CPROFTOP_DISASSEMBLER_WORKER_H

#include "src/base/worker/own-process.h"

extern const struct own_process_kind disassembler_worker_kind;

#endif
