/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What main takes of the process that reads profiles (src/count/import/recording-stream.h), and reports
 * of it: what goes wrong in one taken over. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include "src/count/import/recording-stream.h"
#include "src/write/export.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool pass(void *context, void *bytes, size_t length)
{
	return input_bytes(context, bytes, length) == length;
}

static void write_all(struct recording *recording, const struct report_request *request)
{
	const struct export_facts facts = {0};
	struct report *report = recording_report(recording, request);
	for (size_t i = 0; export_formats[i]; i++) {
		char *bytes = NULL;
		size_t size;
		struct error err = {""};
		FILE *out = open_memstream(&bytes, &size);
		FUZZ_CHECK(export_formats[i]->write(report, &facts, out, &err) ||
			   err.text[0]);
		fclose(out);
		free(bytes);
	}
	report_destroy(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {.at = bytes, .end = bytes + size};
	const struct recording_stream stream = {pass, &input};
	struct recording recording;
	recording_init(&recording);
	recording.most_bytes = 32 << 20; /* of what there is in a second */
	if (!recording_take(&recording, &stream))
		for (uint32_t type = 0; type < recording.origin->types.len; type++) {
			const struct report_request request = {.sample_type = type,
				.filter = "a",
				.window_ns = 1000000000};
			const struct report_request all = {.sample_type = type};
			write_all(&recording, type ? &request : &all);
		}
	recording_finish(&recording);
	return 0;
}
