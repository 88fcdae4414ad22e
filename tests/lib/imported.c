/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include "src/count/import/import.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool imported_try(
	struct recording *recording, const void *bytes, size_t size, struct error *err)
{
	char path[] = "/tmp/unit-import-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	bool done = import_file(recording, open(path, O_RDONLY | O_CLOEXEC), path, err);
	unlink(path);
	if (!done) /* the name is another in each run */
		assert_non_null(strstr(err->text, path));
	return done;
}

void imported_read(struct recording *recording, const void *bytes, size_t size)
{
	struct error err = {""};
	if (!imported_try(recording, bytes, size, &err))
		fail_msg("%s", err.text);
}

struct report *imported_report(struct recording *recording)
{
	const struct report_request request = {
		.sample_type = recording_default_type(recording)};
	return recording_report(recording, &request);
}

/* What FORMAT makes of BYTES. */
struct file imported_as(const char *format, const void *bytes, size_t size)
{
	const struct export_facts facts = {0};
	struct recording recording;
	struct file file = {0};
	struct error err;

	recording_init(&recording);
	imported_read(&recording, bytes, size);
	struct report *report = imported_report(&recording);
	FILE *out = open_memstream(&file.bytes, &file.size);
	assert_true(export_format_by_name(format)->write(report, &facts, out, &err));
	fclose(out);
	report_destroy(report);
	recording_finish(&recording);
	return file;
}

void imported_refused(const void *bytes, size_t size, const char *why)
{
	struct recording recording;
	struct error err = {""};
	recording_init(&recording);
	assert_false(imported_try(&recording, bytes, size, &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' is not in '%s'", why, err.text);
	recording_finish(&recording);
}

void imported_is_folded(const char *text, const char *folded)
{
	struct file file = imported_as("folded", text, strlen(text));
	assert_string_equal(file.bytes, folded);
	free(file.bytes);
}
