/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advised: queues of advice (src/facts/advice.h) for tests of who writes and reads them.
 *
 * One test thread.
 */
#ifndef CPROFTOP_TESTS_ADVISED_H
#define CPROFTOP_TESTS_ADVISED_H

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/facts/advice.h"

#include <string.h>

/* An empty queue where something else was before; free() ends it. */
static inline struct advice_queue *advised_create(void)
{
	struct advice_queue *queue = mem_alloc(sizeof(*queue));
	memset(queue, 0xa5, sizeof(*queue));
	advice_init(queue);
	return queue;
}

static inline void assert_no_advice(struct advice_queue *queue)
{
	struct advice advice;
	assert_false(advice_take(queue, &advice));
}

#endif
