/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/compare/gate.h"

#include "src/base/mem.h"
#include "src/count/change.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool wrong(const char *text, struct error *err)
{
	return error_set(err,
		"--fail-on '%s': write 'total > 5%%', 'self > 2%%' or 'total(REGEX) > "
		"5%%'",
		text);
}

/* A name may have any character, so the last '>' is the one that compares. */
bool gate_parse(struct gate *gate, const char *text, struct error *err)
{
	const char *at = skip_spaces(text), *over = strrchr(text, '>');
	*gate = (struct gate){.is_self = strncmp(at, "self", 4) == 0};
	if (!over || (!gate->is_self && strncmp(at, "total", 5) != 0))
		return wrong(text, err);
	char *end;
	gate->limit = strtod(over + 1, &end) / 100;
	const char *unit = skip_spaces(end);
	if (end == over + 1 || *unit != '%' || *skip_spaces(unit + 1) ||
		!(gate->limit >= 0) || !isfinite(gate->limit))
		return wrong(text, err);
	at = skip_spaces(at + (gate->is_self ? 4 : 5));
	while (over > at && isspace((unsigned char)over[-1]))
		over--;
	if (at == over)
		return true;
	if (*at != '(' || over[-1] != ')' || over - at < 3)
		return wrong(text, err);
	char why[128], *regex = mem_printf("%.*s", (int)(over - at) - 2, at + 1);
	gate->pattern = pattern_create(regex, NULL, why, sizeof(why));
	if (!gate->pattern || pattern_is_inverted(gate->pattern))
		error_set(err, "--fail-on '%s': %s", regex,
			gate->pattern ? "'!' has no meaning here" : why);
	free(regex);
	return gate->pattern && !pattern_is_inverted(gate->pattern);
}

void gate_finish(struct gate *gate)
{
	pattern_destroy(gate->pattern);
}

static const struct change *change_at(
	const struct gate *gate, const struct report *both, uint32_t row)
{
	return gate->is_self ? &both->difference->self[row]
			     : &both->difference->total[row];
}

void gate_shares(const struct gate *gate, const struct report *both, uint32_t row,
	double *before, double *after)
{
	const struct change *change = change_at(gate, both, row);
	double whole = both->difference->whole;
	*before = whole > 0 ? change->before / whole : 0;
	*after = whole > 0 ? change->after / whole : 0;
}

static bool is_told(const uint32_t *told, size_t n, uint32_t row)
{
	for (size_t i = 0; i < n; i++)
		if (told[i] == row)
			return true;
	return false;
}

bool gate_next(const struct gate *gate, const struct report *both, const uint32_t *told,
	size_t n, uint32_t *row)
{
	double most = gate->limit;
	bool found = false;
	for (uint32_t i = 0; i < both->n_functions; i++) {
		double before, after;
		gate_shares(gate, both, i, &before, &after);
		if (!change_at(gate, both, i)->real || !(after - before > most) ||
			is_told(told, n, i))
			continue;
		const struct function *function =
			profile_function(both->profile, both->functions[i].function);
		if (gate->pattern && !pattern_matches(gate->pattern, function->name))
			continue;
		most = after - before;
		*row = i;
		found = true;
	}
	return found;
}
