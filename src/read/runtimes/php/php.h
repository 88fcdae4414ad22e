/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * php: PHP from 8.1 on, built without threads (NTS). Its frames are those of php-stack.h, its
 * functions those of php-functions.h.
 */
#ifndef CPROFTOP_PHP_H
#define CPROFTOP_PHP_H

#include "src/read/runtimes/runtime.h"

extern const struct runtime php_runtime;

#endif
