/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-public: rule 11 of doorman-rules.h: what is no secret, for a main that stays the user
 * who called it, and for what it starts.
 */
#ifndef CPROFTOP_DOORMAN_PUBLIC_H
#define CPROFTOP_DOORMAN_PUBLIC_H

#include "src/doorman/asked.h"
#include "src/doorman/doorman-rules.h"

#include <stdbool.h>

/* openat(2). False: the rule does not grant it, and it is not answered. */
bool doorman_public_open(struct doorman_rules *rules, const struct asked *asked);

#endif
