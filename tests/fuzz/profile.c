/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles of others, in every format that is read, and what every exporter makes of them.
 * Which reader gets the bytes is told by the bytes themselves. */

#include "tests/fuzz/fuzz.h"

#include "src/count/import/import.h"
#include "src/write/export.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_all(const struct report *report)
{
	const struct export_facts facts = {0};
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
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char path[64];
	struct recording recording;
	struct error err = {""};
	int fd = memfd_create("profile", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	recording_init(&recording);
	bool done = import_file(&recording, open(path, O_RDONLY | O_CLOEXEC), path, &err);
	if (done && size % 2) /* several are added up */
		done = import_file(
			&recording, open(path, O_RDONLY | O_CLOEXEC), path, &err);
	if (done) {
		for (uint32_t type = 0; type < recording.origin->types.len; type++) {
			const struct report_request all = {.sample_type = type},
						    some = {.sample_type = type,
							    .filter = "a",
							    .ignore = "^b",
							    .window_ns = 1000000000};
			struct report *report =
				recording_report(&recording, type ? &some : &all);
			write_all(report);
			report_destroy(report);
			if (type == 0)
				report_destroy(recording_report(&recording, &some));
		}
	} else {
		FUZZ_CHECK(strstr(err.text, path) && !strchr(err.text, '\n'));
	}
	recording_finish(&recording);
	close(fd);
	return 0;
}
