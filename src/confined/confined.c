/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/confined/confined.h"

#include "src/base/output-file.h"
#include "src/rights/give-up.h"

#include <errno.h>
#include <unistd.h>

/* The option that needs rights later, which nobody has then. */
static const char *needs_rights(const struct options *options)
{
	return options->children	    ? "--children"
	       : options->every_s > 0	    ? "--every"
	       : options->n_triggers	    ? "--on"
	       : options->perf_map	    ? "--perf-map"
	       : options->fetch		    ? "--debuginfod"
	       : options->file_mode != 0600 ? "--file-mode"
					    : NULL;
}

bool confined_check(const struct options *options, struct error *err)
{
	const char *other = needs_rights(options);
	if (!options->confine)
		return true;
	if (geteuid() != 0)
		return error_set(err, "--confine is for root: this user's rights are "
				      "those of the target");
	return !other || error_set(err,
				 "--confine does not go with %s, which needs rights "
				 "while it records",
				 other);
}

bool confined_give_up(void *context, pid_t launched, struct error *err)
{
	static struct doorman_rules rules; /* large */
	const struct confined *confined = context;
	const struct options *options = confined->options;
	const char *outputs[] = {options->output, options->stats}, *what;
	size_t n_pids = launched ? 1 : confined->n_pids;
	for (size_t i = 0; i < n_pids; i++) {
		pid_t pid = launched ? launched : confined->pids[i];
		if (!doorman_rules_add_process(&rules, pid) && errno != ENOENT)
			return error_errno(err, errno, "--confine: process %d", (int)pid);
	}
	for (size_t i = 0; i < 2; i++)
		if (outputs[i] && !output_file_is_stream(outputs[i]) &&
			!doorman_rules_add_output(&rules, outputs[i]))
			return error_errno(err, errno, "--confine: %s", outputs[i]);
	return give_up_rights(&rules, &what) ||
	       error_errno(err, errno, "--confine: %s", what);
}
