/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/push/push-loop.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/write/push/push-http.h"
#include "src/write/push/push-request.h"
#include "src/write/push/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX	".pb.gz"
#define REFUSED ".refused"

enum {
	LOOK_MS = 500,
	PATIENCE_MAX_S = 60, /* between two attempts */
	LAST_S = 10,	     /* after the recording has ended */
	FILE_MAX_BYTES = 256 << 20,
};

struct loop {
	const struct push_plan *plan;
	struct push_store store;
	struct push_http *http;
	int folder;
	uint64_t again_ns;   /* monotonic: not before; 0: at once */
	unsigned patience_s; /* before the next attempt, if this one fails */
	uint64_t last_ns;    /* give up then; 0: the recording goes on */
	char told[640];	     /* what was said last */
	unsigned sent, refused;
};

/* The same is said once. */
static void tell(struct loop *loop, const char *dirty)
{
	char text[sizeof(loop->told)];
	clean_text(text, sizeof(text), dirty, strlen(dirty)); /* a store's words */
	if (strcmp(loop->told, text) == 0)
		return;
	snprintf(loop->told, sizeof(loop->told), "%s", text);
	fprintf(stderr, "cproftop: push: %s\n", text);
}

/* --- a file ------------------------------------------------------------------------- */

enum outcome {
	TAKEN,
	GONE, /* somebody else has removed it, as --keep does */
	LATER,
	REFUSED_FOR_GOOD,
};

static enum outcome outcome_of(long status)
{
	if (status >= 200 && status < 300)
		return TAKEN;
	bool is_about_the_file = status >= 400 && status < 500 && status != 401 &&
				 status != 403 && status != 404 && status != 408 &&
				 status != 429;
	return is_about_the_file ? REFUSED_FOR_GOOD : LATER;
}

static char *read_file(int folder, const char *name, size_t *size, struct error *err)
{
	struct stat status;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int errnum = fd < 0 || fstat(fd, &status) != 0 ? errno
		     : !S_ISREG(status.st_mode)	       ? EINVAL
		     : status.st_size > FILE_MAX_BYTES ? EFBIG
						       : 0;
	if (errnum) {
		error_errno(err, errnum, "%s", name);
		if (fd >= 0)
			close(fd);
		errno = errnum;
		return NULL;
	}
	char *bytes = mem_alloc((size_t)status.st_size + 1);
	ssize_t got = read(fd, bytes, (size_t)status.st_size);
	close(fd);
	*size = got > 0 ? (size_t)got : 0;
	return bytes;
}

/* Does the recording go on, or is there still time for what is left? */
static bool is_over(void *context)
{
	struct loop *loop = context;
	struct pollfd wait = {.fd = loop->plan->follow_fd, .events = POLLIN};
	uint64_t now_ns = clock_monotonic_ns();
	char ignored[64];
	if (wait.fd < 0)
		return false;
	if (!loop->last_ns && poll(&wait, 1, 0) > 0 &&
		read(wait.fd, ignored, sizeof(ignored)) <= 0) {
		loop->last_ns = now_ns + LAST_S * NS_PER_SEC;
		loop->again_ns = 0;
		loop->patience_s = 1;
	}
	return loop->last_ns && now_ns >= loop->last_ns;
}

static enum outcome send_file(struct loop *loop, const struct spool_file *file)
{
	const struct push_plan *plan = loop->plan;
	struct error err;
	size_t size = 0;
	long status = 0;
	enum outcome outcome;
	char *bytes = read_file(loop->folder, file->name, &size, &err), text[640];
	if (!bytes && errno == ENOENT)
		return GONE;
	if (!bytes) {
		outcome = errno == EFBIG ? REFUSED_FOR_GOOD : LATER;
		tell(loop, err.text);
		return outcome;
	}
	struct push_profile profile = {
		.bytes = bytes,
		.size = size,
		.begin_s = file->begin_s,
		.end_s = file->end_s,
		.name = file->name,
		.program = file->program,
		.labels = plan->labels,
		.n_labels = plan->n_labels,
	};
	struct push_request request;
	push_request_make(&request, &loop->store, &profile);
	bool answered = push_http_send(loop->http, &request, plan->headers,
		&(struct push_patience){is_over, loop}, &status, &err);
	push_request_finish(&request);
	free(bytes);
	outcome = answered ? outcome_of(status) : LATER;
	if (outcome == TAKEN)
		return TAKEN;
	if (answered)
		snprintf(text, sizeof(text), "%s answers %ld%s%s; %s", loop->store.url,
			status, err.text[0] ? ": " : "", err.text,
			outcome == LATER ? "the files wait in the folder"
					 : "the file is set aside as " REFUSED);
	else
		snprintf(text, sizeof(text), "%s: %s; the files wait in the folder",
			loop->store.url, err.text);
	tell(loop, text);
	return outcome;
}

static void set_aside(const struct loop *loop, const char *name)
{
	char *other = mem_printf("%s" REFUSED, name);
	renameat(loop->folder, name, loop->folder, other);
	free(other);
}

/* False if it is to be sent again. */
static bool handle_file(struct loop *loop, const struct spool_file *file)
{
	enum outcome outcome = send_file(loop, file);
	if (outcome == LATER) {
		loop->again_ns = clock_monotonic_ns() + loop->patience_s * NS_PER_SEC;
		loop->patience_s *= 2;
		if (loop->patience_s > PATIENCE_MAX_S)
			loop->patience_s = PATIENCE_MAX_S;
		return false;
	}
	loop->again_ns = 0;
	loop->patience_s = 1;
	if (outcome == GONE)
		return true;
	if (outcome == REFUSED_FOR_GOOD) {
		set_aside(loop, file->name);
		loop->refused++;
		return true;
	}
	if (loop->told[0] && !loop->plan->is_quiet)
		fprintf(stderr, "cproftop: push: %s takes files again\n",
			loop->store.url);
	loop->told[0] = '\0';
	unlinkat(loop->folder, file->name, 0);
	loop->sent++;
	return true;
}

/* --- all of them --------------------------------------------------------------------- */

/* Send what is there, if it is IS_OURS to send; *LEFT is how many are left. */
static bool send_all(struct loop *loop, bool is_ours, size_t *left, struct error *err)
{
	struct spool spool;
	if (!spool_list(&spool, loop->folder, SUFFIX, err))
		return false;
	*left = spool.files.len;
	vec_each (&spool.files, file) {
		if (!is_ours || is_over(loop) || !handle_file(loop, file))
			break;
		--*left;
	}
	spool_finish(&spool);
	return true;
}

/* Wait a little. False if there is nothing to wait for: NOTHING is left of the last files,
   or too little time. */
static bool wait_for_more(struct loop *loop, bool nothing)
{
	struct pollfd wait = {.fd = loop->plan->follow_fd, .events = POLLIN};
	if (wait.fd < 0)
		return false;
	if (loop->last_ns)
		poll(NULL, 0, LOOK_MS / 5);
	else
		poll(&wait, 1, LOOK_MS);
	return !is_over(loop) && !nothing;
}

static bool run(struct loop *loop, struct error *err)
{
	size_t left = 0;
	bool is_last;
	do {
		is_last = loop->last_ns > 0; /* no file comes after this look */
		/* Somebody else may be sending from here, and end some time. */
		bool is_ours = flock(loop->folder, LOCK_EX | LOCK_NB) == 0;
		if (!is_ours && errno != EWOULDBLOCK)
			return error_errno(
				err, errno, "push: cannot lock %s", loop->plan->folder);
		if (!is_ours)
			tell(loop, "another process sends from this folder");
		if (clock_monotonic_ns() >= loop->again_ns &&
			!send_all(loop, is_ours, &left, err))
			return false;
	} while (wait_for_more(loop, is_last && left == 0));
	if (!loop->plan->is_quiet)
		fprintf(stderr, "cproftop: push: %u sent to %s\n", loop->sent,
			loop->store.url);
	if (left > 0)
		return error_set(err,
			"push: %zu files are left in %s; cproftop push %s %s sends them",
			left, loop->plan->folder, loop->plan->folder, loop->plan->url);
	if (loop->refused > 0)
		return error_set(err, "push: %u files were refused: %s/*" REFUSED,
			loop->refused, loop->plan->folder);
	return true;
}

bool push_loop(const struct push_plan *plan, struct error *err)
{
	struct loop loop = {.plan = plan, .folder = -1, .patience_s = 1};
	bool good = push_store_parse(&loop.store, plan->url, err) &&
		    (loop.http = push_http_create(err));
	if (good) {
		loop.folder = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		good = (loop.folder >= 0 ||
			       error_errno(err, errno, "%s", plan->folder)) &&
		       run(&loop, err);
	}
	if (loop.folder >= 0)
		close(loop.folder);
	push_http_destroy(loop.http);
	push_store_finish(&loop.store);
	return good;
}
