/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rescue: what a tracer that died has left in the midst of a call.
 *
 * A thread whose call was being made whole runs on, and would be told the rest of it as
 * if that were all. The next tracer finds the call in shared memory, stops the thread
 * once more, and sees that it is told the truth, if there still is time for that
 * (ptrace/call/whole-call.h). To be called on a thread of its own before anything else:
 * if a stop does not come, because the kernel holds the thread, that is let go of when
 * the calling thread ends.
 */
#ifndef CPROFTOP_PTRACE_RESCUE_H
#define CPROFTOP_PTRACE_RESCUE_H

#include "ptrace/tracer/control.h"

void rescue_calls(struct tracer_control *control);

#endif
