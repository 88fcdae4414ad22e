/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/begins.h"

#include "src/read/names/line-worker.h"
#include "src/read/reader/reader.h"
#include "src/run/profiles/apart-child.h"

#include <stddef.h>

void test_begins_processes(int argc, char **argv)
{
	static const struct own_process_kind *const kinds[] = {
		&reader_kind, &line_worker_kind, &apart_kind, NULL};
	own_process_is(argc, argv, kinds);
}
