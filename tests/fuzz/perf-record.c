/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of perf events, one behind the other as they lie in a ring: however damaged, what is
 * read of one lies in it, and the last one is followed by nothing. */

#include "tests/fuzz/fuzz.h"

#include "ptrace/perf/perf-record.h"

#include <string.h>

static void read_one(const uint8_t *bytes, size_t length)
{
	struct perf_record record;
	uint8_t *own = malloc(length); /* so that ASan sees its end */
	memcpy(own, bytes, length);
	perf_record_read(own, length, &record);
	FUZZ_CHECK(record.stack_length == 0 ||
		   (record.stack >= own &&
			   record.stack + record.stack_length <= own + length));
	FUZZ_CHECK(record.regset.size <= sizeof(record.regset.bytes));
	free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t length;
	for (; (length = perf_record_length(bytes, size)) > 0;
		bytes += length, size -= length) {
		FUZZ_CHECK(length <= size && length < PERF_RECORD_BYTES_MAX);
		read_one(bytes, length);
	}
	return 0;
}
