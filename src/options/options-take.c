/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/options/options-take.h"

#include "src/model/rewrite.h"
#include "src/options/option-values.h"
#include "src/push/push-request.h"
#include "src/settings/choices.h"
#include "src/sourcefile/source-places.h"

#include <stdlib.h>
#include <string.h>

enum {
	HZ_MAX = 10000,
	STACK_BYTES_MIN = 1024,
	STACK_BYTES_MAX = 16 * 1024 * 1024,
	FILE_MIB_MAX = 1 << 20,
	PAUSED_PERCENT_MAX = 99,
	CPU_PERCENT_MAX = 10000,
	HIDDEN_PERCENT_MAX = 50,
	ROWS_MAX = 1000000000,
};

bool take_pids(struct options *options, const char *value, struct error *err)
{
	return option_pids(value, options->pids, OPTIONS_PIDS_MAX, &options->n_pids, err);
}

bool take_frequency(struct options *options, const char *value, struct error *err)
{
	double hz;
	if (!option_number(value, "frequency", 1, HZ_MAX, true, &hz, err))
		return false;
	options->frequency_hz = (unsigned)hz;
	return true;
}

bool take_duration(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "duration", 0.001, 1e9, &options->duration_s, err);
}

bool take_every(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "--every", 1, 1e6, &options->every_s, err);
}

bool take_window(struct options *options, const char *value, struct error *err)
{
	if (strcmp(value, "all") != 0)
		return option_time(value, "window", 1, 86400, &options->window_s, err);
	options->window_s = 0;
	return true;
}

bool take_stack_bytes(struct options *options, const char *value, struct error *err)
{
	double bytes;
	if (!option_number(value, "--stack-bytes", STACK_BYTES_MIN, STACK_BYTES_MAX, true,
		    &bytes, err))
		return false;
	options->stack_bytes = (size_t)bytes;
	return true;
}

bool take_file_memory(struct options *options, const char *value, struct error *err)
{
	double mib;
	if (!option_number(value, "--file-memory", 1, FILE_MIB_MAX, true, &mib, err))
		return false;
	options->file_bytes = (uint64_t)mib << 20;
	return true;
}

bool take_max_overhead(struct options *options, const char *value, struct error *err)
{
	return option_budget(
		value, "--max-overhead", PAUSED_PERCENT_MAX, &options->max_overhead, err);
}

bool take_max_cpu(struct options *options, const char *value, struct error *err)
{
	return option_budget(value, "--max-cpu", CPU_PERCENT_MAX, &options->max_cpu, err);
}

bool take_trigger(struct options *options, const char *value, struct error *err)
{
	if (options->n_triggers == OPTIONS_TRIGGERS_MAX)
		return error_set(
			err, "--on: at most %d conditions", OPTIONS_TRIGGERS_MAX);
	return trigger_parse(&options->triggers[options->n_triggers++], value, err) ||
	       error_prefix(err, "--on");
}

bool take_quota(struct options *options, const char *value, struct error *err)
{
	return trigger_quota_parse(&options->quota, value, err) ||
	       error_prefix(err, "--at-most");
}

bool take_mode(struct options *options, const char *value, struct error *err)
{
	return option_mode(value, &options->wall, err);
}

bool take_style(struct options *options, const char *value, struct error *err)
{
	return option_style(value, &options->naming.style, err);
}

bool take_processes(struct options *options, const char *value, struct error *err)
{
	return option_processes(value, &options->naming.processes, err);
}

bool take_granularity(struct options *options, const char *value, struct error *err)
{
	return option_granularity(value, &options->naming.granularity, err);
}

bool take_inlines(struct options *options, const char *value, struct error *err)
{
	return option_inlines(value, options->command == COMMAND_RECORD,
		&options->naming.fold_inlines, &options->split_inlines, err);
}

bool take_colors(struct options *options, const char *value, struct error *err)
{
	static const char *const words[] = {
		[COLORS_AUTO] = "auto",
		[COLORS_NONE] = "none",
		[COLORS_8] = "8",
		[COLORS_16] = "16",
		[COLORS_256] = "256",
		[COLORS_RGB] = "rgb",
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(value, words[i]) == 0) {
			options->colors = (enum option_colors)i;
			return true;
		}
	return error_set(err,
		"--colors '%s' is none of 'auto', 'rgb', '256', '16', '8' and 'none'",
		value);
}

bool take_theme(struct options *options, const char *value, struct error *err)
{
	static const char *const words[] = {
		[THEME_AUTO] = "auto", [THEME_DARK] = "dark", [THEME_LIGHT] = "light"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(value, words[i]) == 0) {
			options->theme = (enum option_theme)i;
			return true;
		}
	return error_set(
		err, "--theme '%s' is none of 'auto', 'dark' and 'light'", value);
}

bool take_weight(struct options *options, const char *value, struct error *err)
{
	if (options->command == COMMAND_CONVERT)
		options->sample_type = value;
	return option_weight(value, &options->weigh_cpu, &options->weigh_wall, err);
}

bool take_order(struct options *options, const char *value, struct error *err)
{
	return option_order(value, &options->order, err);
}

bool take_assembly(struct options *options, const char *value, struct error *err)
{
	options->assembly = value;
	return strcmp(value, "att") == 0 || strcmp(value, "intel") == 0 ||
	       error_set(err, "--asm: '%s' is not 'att' or 'intel'", value);
}

bool take_source_map(struct options *options, const char *value, struct error *err)
{
	if (options->n_source_maps == OPTIONS_SOURCE_MAPS_MAX)
		return error_set(
			err, "--source-map: at most %d", OPTIONS_SOURCE_MAPS_MAX);
	options->source_maps[options->n_source_maps++] = value;
	return source_map_is_valid(value) ||
	       error_set(err, "--source-map: '%s' is not FROM=TO", value);
}

bool take_normalization(struct options *options, const char *value, struct error *err)
{
	return option_normalization(value, &options->normalization, err);
}

bool take_by(struct options *options, const char *value, struct error *err)
{
	options->by = value;
	return option_by(value, err);
}

bool take_label(struct options *options, const char *value, struct error *err)
{
	if (options->n_labels == OPTIONS_LABELS_MAX)
		return error_set(err, "--label: at most %d", OPTIONS_LABELS_MAX);
	if (!push_label_check(value, err))
		return false;
	size_t key = strcspn(value, "=") + 1;
	for (size_t i = 0; i < options->n_labels; i++)
		if (strncmp(options->labels[i], value, key) == 0)
			return error_set(
				err, "--label: %.*s is given twice", (int)key - 1, value);
	options->labels[options->n_labels++] = value;
	return true;
}

/* All threads become one, so that their stacks are added up. */
bool take_no_thread_labels(struct options *options, const char *value, struct error *err)
{
	(void)value;
	options->no_thread_labels = true;
	return rewrite_append(options->naming.edits, "thread", "s/^.*$/all/", err);
}

bool take_keep(struct options *options, const char *value, struct error *err)
{
	return spool_limit_parse(&options->keep, value, err);
}

bool take_file_mode(struct options *options, const char *value, struct error *err)
{
	char *end;
	unsigned long mode = strtoul(value, &end, 8);
	options->file_mode = (mode_t)mode;
	return (*value >= '0' && *value <= '7' && !*end && (mode & ~0777ul) == 0 &&
		       (mode & 0600) == 0600) ||
	       error_set(err, "--file-mode: '%s' is not a mode such as 0640", value);
}

bool take_rename(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "thread", value, err);
}

bool take_rename_function(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "function", value, err);
}

bool take_fold(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "fold", value, err);
}

bool take_hide(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "hide", value, err);
}

bool take_show_from(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "show-from", value, err);
}

bool take_columns(struct options *options, const char *value, struct error *err)
{
	return choices_columns(value, &options->hidden_columns, err);
}

bool take_view(struct options *options, const char *value, struct error *err)
{
	if (!choices_view(value, err))
		return false;
	options->view = value;
	return true;
}

bool take_hide_below(struct options *options, const char *value, struct error *err)
{
	return option_budget(
		value, "hide-below", HIDDEN_PERCENT_MAX, &options->min_share, err);
}

bool take_iterations(struct options *options, const char *value, struct error *err)
{
	double n;
	if (!option_number(value, "-n", 1, ROWS_MAX, true, &n, err))
		return false;
	options->iterations = (unsigned)n;
	return true;
}

bool take_delay(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "delay", 0.05, 86400, &options->delay_s, err);
}

bool take_top(struct options *options, const char *value, struct error *err)
{
	double top;
	if (!option_number(value, "--top", 1, ROWS_MAX, true, &top, err))
		return false;
	options->top = (unsigned)top;
	return true;
}

bool take_help(struct options *options, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	options->help_on = options->command;
	options->command = COMMAND_HELP;
	return true;
}

bool take_version(struct options *options, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	options->command = COMMAND_VERSION;
	return true;
}
