/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof-times: where a pprof file of ours says when its samples were taken: in a text of its
 * table that nothing refers to, which every reader skips. Message Times of profile.proto.
 */
#ifndef CPROFTOP_PPROF_TIMES_H
#define CPROFTOP_PPROF_TIMES_H

/* The text begins with it, the message follows in base64. No name that was cleaned
   (src/base/clean.h) has a control character, so that no program's name is taken for it. */
#define PPROF_TIMES_PREFIX "\tcproftop times "

#endif
