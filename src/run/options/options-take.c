/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-take.h"

#include "src/base/settings/choices.h"
#include "src/facts/rewrite.h"
#include "src/read/sources/source-places.h"
#include "src/run/options/option-values.h"
#include "src/write/push/push-request.h"

#include <stdlib.h>
#include <string.h>

enum {
	STACK_BYTES_MIN = 1024,
	STACK_BYTES_MAX = 16 * 1024 * 1024,
	FILE_MIB_MAX = 1 << 20,
};

bool take_pids(struct options *options, const char *value, struct error *err)
{
	return option_pids(value, options->pids, OPTIONS_PIDS_MAX, &options->n_pids, err);
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

bool take_event(struct options *options, const char *value, struct error *err)
{
	options->lists_events = strcmp(value, "list") == 0;
	return options->lists_events || event_parse(value, &options->event, err);
}

bool take_inlines(struct options *options, const char *value, struct error *err)
{
	return option_inlines(value, options->command == COMMAND_RECORD,
		&options->naming.fold_inlines, &options->split_inlines, err);
}

bool take_weight(struct options *options, const char *value, struct error *err)
{
	if (options->command == COMMAND_CONVERT)
		options->sample_type = value;
	return option_weight(value, &options->weigh_cpu, &options->weigh_wall, err);
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
