/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby: CRuby. Its frames are those of ruby-stack.h, its functions those of ruby-code.h. A thread's
 * execution context is in a variable that libruby exports up to 3.2, of thread-local storage.
 */
#ifndef CPROFTOP_RUBY_H
#define CPROFTOP_RUBY_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime ruby_runtime;

#endif
