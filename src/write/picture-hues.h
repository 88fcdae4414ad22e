/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture-hues: the colours of modules in a picture: those that the screen gives them which
 * sees this report first. Main thread.
 */
#ifndef CPROFTOP_PICTURE_HUES_H
#define CPROFTOP_PICTURE_HUES_H

#include "src/count/report.h"
#include "src/write/file-metric.h"
#include "src/write/palette/module-hues.h"

/* The caller finishes them. */
struct module_hues picture_hues(
	const struct report *report, const struct file_metric *metric);

#endif
