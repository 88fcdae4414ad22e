/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python: CPython from 3.7 on. Its frames are those of python-stack.h, its functions those of
 * python-code.h.
 */
#ifndef CPROFTOP_PYTHON_H
#define CPROFTOP_PYTHON_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime python_runtime;

#endif
