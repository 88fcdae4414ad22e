/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/option-values.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_number(const char *text, const char *what, double least, double most,
	bool whole, double *value, struct error *err)
{
	char *end;
	errno = 0;
	double number = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(number) ||
		(whole && number != floor(number)))
		return error_set(err, "%s '%s' is not a %snumber", what, text,
			whole ? "whole " : "");
	if (number < least || number > most)
		return error_set(err, "%s %s is out of range: from %g to %.0f", what,
			text, least, most);
	*value = number;
	return true;
}

bool option_time(const char *text, const char *what, double least, double most,
	double *seconds, struct error *err)
{
	static const struct {
		const char *suffix;
		double seconds;
	} units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
	char *end;
	errno = 0;
	double number = strtod(text, &end);
	size_t i = 0, n = sizeof(units) / sizeof(units[0]);
	while (i < n && strcmp(end, units[i].suffix) != 0)
		i++;
	if (end == text || i == n || errno || !isfinite(number))
		return error_set(
			err, "%s '%s' is not a time: 5, 300ms, 5s, 2m or 1h", what, text);
	number *= units[i].seconds;
	if (number < least || number > most)
		return error_set(err, "%s %s is out of range: from %gs to %.0fs", what,
			text, least, most);
	*seconds = number;
	return true;
}

bool option_weight(const char *text, bool *cpu, bool *wall, struct error *err)
{
	*cpu = strcmp(text, "cpu") == 0;
	*wall = strcmp(text, "wall") == 0;
	if (*cpu || *wall || strcmp(text, "samples") == 0)
		return true;
	return error_set(
		err, "--weight '%s' is none of 'samples', 'cpu' and 'wall'", text);
}

bool option_mode(const char *text, bool *wall, struct error *err)
{
	*wall = strcmp(text, "wall") == 0;
	if (*wall || strcmp(text, "cpu") == 0)
		return true;
	return error_set(err, "-m '%s' is neither 'cpu' nor 'wall'", text);
}

bool option_by(const char *text, struct error *err)
{
	if (strcmp(text, "thread") == 0 || strcmp(text, "process") == 0 ||
		strcmp(text, "tag") == 0 || (strncmp(text, "tag=", 4) == 0 && text[4]))
		return true;
	return error_set(err,
		"--by '%s' is none of 'thread', 'process', 'tag' and 'tag=KEY'", text);
}

bool option_inlines(
	const char *text, bool may_split, bool *fold, bool *split, struct error *err)
{
	*fold = strcmp(text, "fold") == 0;
	*split = strcmp(text, "split") == 0;
	if (*fold || strcmp(text, "show") == 0)
		return true;
	if (*split && may_split)
		return true;
	return error_set(err, "--inlines '%s' is %s", text,
		*split ? "for record only: the others show or fold"
		       : "none of 'show', 'fold' and 'split'");
}

bool option_switch(const char *text, const char *what, bool *value, struct error *err)
{
	bool is_yes = strcmp(text, "yes") == 0;
	if (!is_yes && strcmp(text, "no") != 0)
		return error_set(err, "%s '%s' is neither 'yes' nor 'no'", what, text);
	*value = is_yes;
	return true;
}

bool option_budget(
	const char *text, const char *what, double most, double *share, struct error *err)
{
	double percent = 0;
	if (strcmp(text, "none") != 0 &&
		!option_number(text, what, 0, most, false, &percent, err))
		return false;
	*share = percent / 100;
	return true;
}

bool option_pids(const char *list, pid_t *pids, size_t most, size_t *n, struct error *err)
{
	char text[32];
	for (;; list++) {
		size_t length = strcspn(list, ",");
		double number;
		snprintf(text, sizeof(text), "%.*s", (int)length, list);
		if (!option_number(text, "PID", 1, INT_MAX, true, &number, err))
			return false;
		bool known = false;
		for (size_t i = 0; i < *n; i++)
			known |= pids[i] == (pid_t)number;
		if (!known && *n == most)
			return error_set(err, "more than %zu processes", most);
		if (!known)
			pids[(*n)++] = (pid_t)number;
		list += length;
		if (!*list)
			return true;
	}
}
