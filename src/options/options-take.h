/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-take: the options whose value is more than a word: from text to what it means.
 *
 * Each stores VALUE in OPTIONS; false, and ERR names the option and says what it may be,
 * if it is not valid. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_TAKE_H
#define CPROFTOP_OPTIONS_TAKE_H

#include "src/options/options.h"

typedef bool option_take(struct options *options, const char *value, struct error *err);

option_take take_pids;
option_take take_frequency;
option_take take_duration;
option_take take_every;
option_take take_window;
option_take take_stack_bytes;
option_take take_file_memory;
option_take take_max_overhead;
option_take take_max_cpu;
option_take take_trigger;
option_take take_quota;
option_take take_mode;
option_take take_style;
option_take take_processes;
option_take take_granularity;
option_take take_inlines;
option_take take_weight;
option_take take_order;
option_take take_assembly;
option_take take_source_map;
option_take take_normalization;
option_take take_by;
option_take take_label;
option_take take_no_thread_labels;
option_take take_keep;
option_take take_file_mode;
option_take take_rename;
option_take take_rename_function;
option_take take_fold;
option_take take_hide;
option_take take_show_from;
option_take take_columns;
option_take take_view;
option_take take_hide_below;
option_take take_iterations;
option_take take_delay;
option_take take_top;
option_take take_colors;
option_take take_theme;
option_take take_help;
option_take take_version;

#endif
