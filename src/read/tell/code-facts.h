/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-facts: what the reader answers to questions about code, as payloads of facts.
 *
 * The reader tells them whole; what does not fit into a fact is told without its end. Main
 * believes nothing of what comes: what it makes of it is as src/read/assembly/assembly.h and
 * src/read/names/code-lines.h promise, or it is refused.
 */
#ifndef CPROFTOP_CODE_FACTS_H
#define CPROFTOP_CODE_FACTS_H

#include "src/read/assembly/assembly.h"
#include "src/read/names/code-lines.h"
#include "src/read/tell/teller.h"

#include <stddef.h>

/* The reader's: FACT_ASSEMBLY, or FACT_LINES. Too many instructions are a problem that the
   assembly has; of too many lines the first are told. */
void code_facts_tell_assembly(struct teller *teller, const struct assembly *assembly);
void code_facts_tell_lines(struct teller *teller, const struct code_lines *lines);

/* Main's: what the LENGTH bytes of PAYLOAD say, the caller's; NULL: they are malformed. Any
   thread. */
struct assembly *code_facts_assembly(const unsigned char *payload, size_t length);
struct code_lines *code_facts_lines(const unsigned char *payload, size_t length);

#endif
