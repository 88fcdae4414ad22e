/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sanitized: is this a build with AddressSanitizer?
 *
 * Its runtime needs system calls and files of its own, for its reports and at exit, and
 * terabytes of address space. So in such a build a process keeps those.
 */
#ifndef CPROFTOP_SANITIZED_H
#define CPROFTOP_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

#endif
