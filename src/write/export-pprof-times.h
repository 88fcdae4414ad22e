/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-pprof-times: when the samples of a pprof file were taken, in a text that
 * others skip (src/base/proto/pprof-times.h).
 *
 * It has to be small beside the samples: times are rounded to a tick, and weights to an
 * eighth of their mean, so that an entry takes about two bytes when compressed. The tick is
 * short where it is known who held a lock, because what a holder did is told by its time. What
 * rounding leaves over goes to the sample's next entry, so sums over any range stay right. What
 * was read from such a text is written as the same bytes. Used by export-pprof.c only.
 */
#ifndef CPROFTOP_EXPORT_PPROF_TIMES_H
#define CPROFTOP_EXPORT_PPROF_TIMES_H

#include "src/write/export-pprof-tables.h"

/* After all samples are written. */
void pprof_write_times(struct pprof *pprof);

#endif
