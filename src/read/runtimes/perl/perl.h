/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl: Perl 5 built with threads, as Linux distributions have it. Its frames are those of
 * perl-stack.h, its functions those of perl-code.h.
 */
#ifndef CPROFTOP_PERL_H
#define CPROFTOP_PERL_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime perl_runtime;

#endif
