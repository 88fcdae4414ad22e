/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-take: the options whose value is more than a word: from text to what it means.
 *
 * Each stores VALUE in OPTIONS; false, and ERR names the option and says what it may be,
 * if it is not valid. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_TAKE_H
#define CPROFTOP_OPTIONS_TAKE_H

#include "src/run/options/options.h"

typedef bool option_take(struct options *options, const char *value, struct error *err);

option_take take_pids;
option_take take_window;
option_take take_stack_bytes;
option_take take_file_memory;
option_take take_trigger;
option_take take_quota;
option_take take_mode;
option_take take_event;
option_take take_inlines;
option_take take_weight;
option_take take_assembly;
option_take take_source_map;
option_take take_by;
option_take take_label;
option_take take_no_thread_labels;
option_take take_keep;
option_take take_file_mode;
option_take take_columns;
option_take take_view;
option_take take_help;
option_take take_version;

#endif
