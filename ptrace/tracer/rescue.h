/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rescue: what a tracer that died has left in the midst of a call.
 *
 * A thread whose call was being made whole runs on, and would be told the rest of it as
 * if that were all. Whoever comes next finds the call in shared memory, stops the thread
 * once more, and sees that it is told the truth, as far as there is time for that
 * (ptrace/call/whole-call.h). Main thread of a new tracer, before it does anything else.
 */
#ifndef CPROFTOP_PTRACE_RESCUE_H
#define CPROFTOP_PTRACE_RESCUE_H

#include "ptrace/tracer/control.h"

void rescue_calls(struct tracer_control *control);

#endif
