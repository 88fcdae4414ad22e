/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session-code: instructions and their lines for a report of a session that is printed, which
 * waits for them. Main thread.
 */
#ifndef CPROFTOP_SESSION_CODE_H
#define CPROFTOP_SESSION_CODE_H

#include "src/print/annotated.h"
#include "src/session/session.h"

/* Fill in what MEANS needs for instructions; SESSION is borrowed. */
void session_code_means(struct annotated_means *means, const struct session *session);

#endif
