/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact-texts: the texts in the payload of a fact, each with its NUL.
 */
#ifndef CPROFTOP_FACT_TEXTS_H
#define CPROFTOP_FACT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/* COUNT texts fill the LENGTH bytes of PAYLOAD, and each is clean and as short as a clean one
   is (src/base/clean.h). */
bool fact_texts_are_clean(const unsigned char *payload, size_t length, size_t count);

#endif
