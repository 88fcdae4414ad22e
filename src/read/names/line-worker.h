/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-worker: what the line reader's process does; see src/read/names/line-reader.h.
 */
#ifndef CPROFTOP_LINE_WORKER_H
#define CPROFTOP_LINE_WORKER_H

#include "src/base/worker/own-process.h"

/* Its argument: folders of debug files, beside the system's. */
extern const struct own_process_kind line_worker_kind;

#endif
