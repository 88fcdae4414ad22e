/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop ctl: tell a running recording to start, to stop, to mark this instant, or to write
   what it has; or a live screen. */

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/base/output-file.h"
#include "src/run/command.h"
#include "src/run/control/control.h"
#include "src/run/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* A recording looks many times a second; but a file takes its time, and what reads a
	   target's files is replaced after 10 s if it hangs (src/run/analyst/reader-link.h). */
	ANSWER_WITHIN_S = 10,
	SNAPSHOT_WITHIN_S = 90,
};

#define SNAPSHOT_MAX_BYTES (INT64_C(1) << 30)

/* "mark load test begins": all that is left is its text. */
static bool spell_mark(const struct options *options, char *request, struct error *err)
{
	size_t used = 0;
	for (size_t i = 0; i < options->n_files && used < CONTROL_TEXT_MAX; i++)
		used += (size_t)snprintf(request + used, CONTROL_TEXT_MAX - used, "%s%s",
			i ? " " : "", options->files[i]);
	return used < CONTROL_TEXT_MAX || error_set(err, "mark: the text is too long");
}

/* "stop", or "snapshot /path": the recording may be in another folder. */
static bool spell(const struct options *options, char *request, struct error *err)
{
	const char *word = options->files[0],
		   *path = options->n_files > 1 ? options->files[1] : NULL;
	char here[CONTROL_TEXT_MAX / 2] = "";
	if (strcmp(word, "mark") == 0)
		return spell_mark(options, request, err);
	if (path && path[0] != '/' && !getcwd(here, sizeof(here)))
		return error_errno(err, errno, "this folder");
	int length = snprintf(request, CONTROL_TEXT_MAX, "%s%s%s%s%s", word,
		path ? " " : "", here, here[0] ? "/" : "", path ? path : "");
	return length < CONTROL_TEXT_MAX ||
	       error_set(err, "%s: the path is too long", path);
}

/* What the recording has written to FD becomes the file PATH. */
static bool keep_snapshot(int fd, const char *path, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return error_errno(err, errno, "%s", path);
	if (status.st_size == 0) /* an older version has written PATH itself */
		return true;
	if (status.st_size > SNAPSHOT_MAX_BYTES)
		return error_set(err, "%s: the recording gives more than 1 GiB", path);
	size_t size = (size_t)status.st_size, length = 0;
	char *bytes = mem_alloc(size ? size : 1);
	ssize_t got = 1;
	while (length < size && got > 0) {
		got = pread(fd, bytes + length, size - length, (off_t)length);
		length += got > 0 ? (size_t)got : 0;
	}
	bool done = length == size
			    ? output_file_write(path, bytes, size, err)
			    : error_set(err, "%s: the recording took it back", path);
	free(bytes);
	return done;
}

static bool ask_for_snapshot(pid_t pid, const char *request, const char *path,
	char answer[CONTROL_TEXT_MAX], struct error *err)
{
	if (!output_file_check(path, err))
		return false;
	int fd = memfd_create("snapshot", MFD_CLOEXEC);
	if (fd < 0)
		return error_errno(err, errno, "%s", path);
	bool done = control_ask(getenv("XDG_RUNTIME_DIR"), pid, request, fd,
			    SNAPSHOT_WITHIN_S, answer, err) &&
		    keep_snapshot(fd, path, err);
	close(fd);
	return done;
}

int command_ctl(const struct options *options)
{
	char request[CONTROL_TEXT_MAX], answer[CONTROL_TEXT_MAX];
	struct error err;
	pid_t pid = options->n_pids ? options->pids[0] : 0;
	if (!spell(options, request, &err))
		return message_failure(&err);
	bool snapshot =
		strcmp(options->files[0], "snapshot") == 0 && options->n_files > 1;
	if (snapshot ? !ask_for_snapshot(pid, request, options->files[1], answer, &err)
		     : !control_ask(getenv("XDG_RUNTIME_DIR"), pid, request, -1,
			       ANSWER_WITHIN_S, answer, &err))
		return message_failure(&err);
	char clean[CONTROL_TEXT_MAX];
	clean_text(clean, sizeof(clean), answer, strlen(answer));
	puts(clean);
	return EXIT_SUCCESS;
}
