/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8: the functions of JavaScript in a process, by what V8 has on its stack and in its heap.
 *
 * A frame of JavaScript has the function in it, and, if it is interpreted, its bytecode and the
 * place there; these are of the sample, and so is the function, which is copied in the stop. What
 * that refers to is read some milliseconds later, when the collector may have moved it. So a frame is named only if two witnesses agree: the
 * function that the frame has, and the bytecode in the frame, or the code that the instruction
 * is in. What was found is used for later samples only after it was looked at again.
 */
#ifndef CPROFTOP_V8_H
#define CPROFTOP_V8_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime v8_runtime;

#endif
