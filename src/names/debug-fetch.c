/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/debug-fetch.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/host/host.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LIBRARY	      "libdebuginfod.so.1"
#define LIMIT_BYTES   (2L << 30) /* if debuginfod-find(1)'s variable does not say */
#define PATIENCE_NS   (30 * NS_PER_SEC) /* without receiving a byte */
#define LEAVE_SOON_NS (3 * NS_PER_SEC)	/* the library calls back once a second */

struct debuginfod_client;

/* As in <elfutils/debuginfod.h>, whose package would bring all of curl to every build. */
struct library {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find)(struct debuginfod_client *client, const unsigned char *id, int length,
		char **path);
	int (*find_source)(struct debuginfod_client *client, const unsigned char *id,
		int length, const char *source, char **path);
	void (*on_progress)(struct debuginfod_client *client,
		int (*tell)(struct debuginfod_client *client, long done, long all));
	void (*set_data)(struct debuginfod_client *client, void *data);
	void *(*get_data)(struct debuginfod_client *client);
	void (*set_verbose)(struct debuginfod_client *client, int fd);
};

struct wish {
	char *build_id, *module;
	char *source; /* the source file that is wanted; NULL: the debug file */
	char *path;   /* of what was found; NULL */
	enum debug_fetch_state state;
	int errnum; /* why it was not; ENOENT: the servers do not have it */
};

struct debug_fetch {
	struct library library;
	pthread_t thread;
	bool has_thread;
	atomic_bool quit;
	atomic_long bytes; /* received so far of the current file */

	/* Of the current file; used by the thread only. */
	long calls, most;
	uint64_t grew_ns;
	bool is_stalled; /* all servers were given up */
	bool is_too_large;
	long limit_bytes;

	pthread_mutex_t mutex; /* of what follows; held for a copy */
	pthread_cond_t changed;
	VEC(struct wish *) wishes;
	size_t next; /* wishes before this one are done */
	bool has_ended;
};

/* --- the library ------------------------------------------------------------------- */

/* Its symbols are global, because a callback gets nothing that leads to ours. */
static bool load(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	return handle &&
	       host_find_function(handle, "debuginfod_begin", &library->begin) &&
	       host_find_function(handle, "debuginfod_end", &library->end) &&
	       host_find_function(handle, "debuginfod_find_debuginfo", &library->find) &&
	       host_find_function(
		       handle, "debuginfod_find_source", &library->find_source) &&
	       host_find_function(
		       handle, "debuginfod_set_progressfn", &library->on_progress) &&
	       host_find_function(
		       handle, "debuginfod_set_user_data", &library->set_data) &&
	       host_find_function(
		       handle, "debuginfod_get_user_data", &library->get_data) &&
	       host_find_function(
		       handle, "debuginfod_set_verbose_fd", &library->set_verbose);
}

/* Callback of the library, about once a second or more often; a result other than 0 ends
   the transfer. DONE is the number of bytes received; before a server has answered, ALL
   is 0 and DONE is the number of calls. */
static int tell(struct debuginfod_client *client, long done, long all)
{
	void *(*get_data)(struct debuginfod_client *);
	if (!host_find_function(RTLD_DEFAULT, "debuginfod_get_user_data", &get_data))
		return 1;
	struct debug_fetch *fetch = get_data(client);
	bool is_bytes = all > 0 || done > ++fetch->calls;
	uint64_t now_ns = clock_monotonic_ns();
	if (is_bytes && done > fetch->most) {
		fetch->most = done;
		fetch->grew_ns = now_ns;
		atomic_store(&fetch->bytes, done);
	}
	fetch->is_stalled = now_ns - fetch->grew_ns > PATIENCE_NS;
	fetch->is_too_large = fetch->most > fetch->limit_bytes;
	return fetch->is_stalled || fetch->is_too_large || atomic_load(&fetch->quit);
}

/* --- the thread -------------------------------------------------------------------- */

/* The library may run into the wish's end by itself; what it left behind then is a
   negative number, or a descriptor and the path. */
static int look_up(struct debug_fetch *fetch, const struct wish *wish, char **path)
{
	const unsigned char *build_id = (const unsigned char *)wish->build_id;
	struct debuginfod_client *client = fetch->library.begin();
	if (!client)
		return ENOMEM;
	fetch->library.set_data(client, fetch);
	fetch->library.on_progress(client, tell);
	fetch->library.set_verbose(client, -1);
	fetch->calls = fetch->most = 0;
	fetch->is_too_large = false;
	fetch->grew_ns = clock_monotonic_ns();
	/* A length of 0 says that it is in hex digits. */
	int fd = wish->source ? fetch->library.find_source(
					client, build_id, 0, wish->source, path)
			      : fetch->library.find(client, build_id, 0, path);
	fetch->library.end(client);
	if (fd >= 0)
		close(fd);
	atomic_store(&fetch->bytes, 0);
	return fd >= 0		     ? 0
	       : fetch->is_stalled   ? ETIMEDOUT
	       : fetch->is_too_large ? EFBIG
				     : -fd;
}

static void release(struct debug_fetch *fetch)
{
	vec_each (&fetch->wishes, wish) {
		free((*wish)->build_id);
		free((*wish)->module);
		free((*wish)->source);
		free((*wish)->path);
		free(*wish);
	}
	vec_free(&fetch->wishes);
	pthread_cond_destroy(&fetch->changed);
	pthread_mutex_destroy(&fetch->mutex);
	free(fetch);
}

static void *fetch_main(void *argument)
{
	struct debug_fetch *fetch = argument;
	prctl(PR_SET_NAME, "fetch");
	pthread_mutex_lock(&fetch->mutex);
	while (!atomic_load(&fetch->quit)) {
		if (fetch->next == fetch->wishes.len) {
			pthread_cond_wait(&fetch->changed, &fetch->mutex);
			continue;
		}
		struct wish *wish = fetch->wishes.data[fetch->next];
		pthread_mutex_unlock(&fetch->mutex);
		char *path = NULL;
		int errnum = fetch->is_stalled ? ETIMEDOUT : look_up(fetch, wish, &path);
		pthread_mutex_lock(&fetch->mutex);
		wish->errnum = errnum;
		wish->path = errnum ? NULL : path;
		wish->state = wish->path ? DEBUG_FETCH_FOUND : DEBUG_FETCH_NONE;
		fetch->next++;
	}
	fetch->has_ended = true;
	pthread_cond_broadcast(&fetch->changed);
	pthread_mutex_unlock(&fetch->mutex);
	return NULL;
}

/* --- life -------------------------------------------------------------------------- */

struct debug_fetch *debug_fetch_create(const char *urls, struct error *err)
{
	struct debug_fetch *fetch = mem_zalloc(sizeof(*fetch));
	pthread_mutex_init(&fetch->mutex, NULL);
	clock_condition_init(&fetch->changed);
	const char *limit = getenv("DEBUGINFOD_MAXSIZE");
	fetch->limit_bytes = limit ? atol(limit) : 0;
	if (fetch->limit_bytes <= 0)
		fetch->limit_bytes = LIMIT_BYTES;
	if (!urls || !urls[strspn(urls, " ")])
		error_set(err, "--debuginfod: no server to ask; set DEBUGINFOD_URLS, for "
			       "example to https://debuginfod.debian.net");
	else if (!host_loads_objects())
		error_set(err,
			"--debuginfod: this cproftop is linked statically and cannot "
			"load " LIBRARY "; what debuginfod-find has fetched is read "
			"without it");
	else if (!load(&fetch->library))
		error_set(err, "--debuginfod needs " LIBRARY
			       ", which is not installed (Debian: libdebuginfod1)");
	else
		return fetch;
	release(fetch);
	return NULL;
}

bool debug_fetch_destroy(struct debug_fetch *fetch)
{
	if (!fetch)
		return true;
	atomic_store(&fetch->quit, true);
	if (fetch->has_thread) {
		struct timespec deadline = clock_deadline(LEAVE_SOON_NS);
		pthread_mutex_lock(&fetch->mutex);
		pthread_cond_broadcast(&fetch->changed);
		while (!fetch->has_ended && pthread_cond_timedwait(&fetch->changed,
						    &fetch->mutex, &deadline) == 0)
			;
		bool ended = fetch->has_ended;
		pthread_mutex_unlock(&fetch->mutex);
		if (!ended)
			return false;
		pthread_join(fetch->thread, NULL);
	}
	release(fetch);
	return true;
}

/* --- wishes ------------------------------------------------------------------------ */

/* Holds the mutex. */
static struct wish *find_wish(
	struct debug_fetch *fetch, const char *build_id, const char *source)
{
	vec_each (&fetch->wishes, wish)
		if (strcmp((*wish)->build_id, build_id) == 0 &&
			(source ? (*wish)->source && strcmp((*wish)->source, source) == 0
				: !(*wish)->source))
			return *wish;
	return NULL;
}

static enum debug_fetch_state ask(struct debug_fetch *fetch, const char *build_id,
	const char *module, const char *source, const char **path)
{
	pthread_mutex_lock(&fetch->mutex);
	struct wish *wish = find_wish(fetch, build_id, source);
	if (!wish) {
		wish = mem_zalloc(sizeof(*wish));
		wish->build_id = mem_strdup(build_id);
		wish->module = mem_strdup(module);
		wish->source = source ? mem_strdup(source) : NULL;
		vec_push(&fetch->wishes, wish);
		if (!fetch->has_thread)
			fetch->has_thread = pthread_create(&fetch->thread, NULL,
						    fetch_main, fetch) == 0;
		if (!fetch->has_thread) {
			wish->state = DEBUG_FETCH_NONE;
			wish->errnum = EAGAIN;
			fetch->next = fetch->wishes.len;
		}
		pthread_cond_broadcast(&fetch->changed);
	}
	enum debug_fetch_state state = wish->state;
	*path = wish->path;
	pthread_mutex_unlock(&fetch->mutex);
	return state;
}

enum debug_fetch_state debug_fetch_ask(struct debug_fetch *fetch, const char *build_id,
	const char *module, const char **path)
{
	return ask(fetch, build_id, module, NULL, path);
}

enum debug_fetch_state debug_fetch_ask_source(struct debug_fetch *fetch,
	const char *build_id, const char *source, const char **path)
{
	const char *slash = strrchr(source, '/');
	return ask(fetch, build_id, slash ? slash + 1 : source, source, path);
}

bool debug_fetch_progress(struct debug_fetch *fetch, char *text, size_t size)
{
	/* A rescue asks, too, in a fork in which whoever holds it does not exist
	   (src/watch/watchdog.h). */
	if (pthread_mutex_trylock(&fetch->mutex) != 0)
		return false;
	bool busy = fetch->next < fetch->wishes.len;
	if (busy)
		snprintf(text, size, "%s %.1fM", fetch->wishes.data[fetch->next]->module,
			(double)atomic_load(&fetch->bytes) / (1 << 20));
	pthread_mutex_unlock(&fetch->mutex);
	return busy;
}

bool debug_fetch_result(struct debug_fetch *fetch, char *text, size_t size)
{
	size_t found = 0, absent = 0, failed = 0;
	int errnum = 0;
	pthread_mutex_lock(&fetch->mutex);
	size_t done = fetch->next;
	for (size_t i = 0; i < done; i++) {
		const struct wish *wish = fetch->wishes.data[i];
		found += wish->state == DEBUG_FETCH_FOUND;
		absent += wish->errnum == ENOENT;
		failed += wish->errnum != 0 && wish->errnum != ENOENT;
		if (wish->errnum != 0 && wish->errnum != ENOENT)
			errnum = wish->errnum;
	}
	size_t left = fetch->wishes.len - done;
	pthread_mutex_unlock(&fetch->mutex);
	int n = snprintf(
		text, size, "debuginfod: %zu fetched, %zu not there", found, absent);
	if (failed && n > 0 && (size_t)n < size)
		n += snprintf(text + n, size - (size_t)n, ", %zu failed (%s)", failed,
			strerrordesc_np(errnum) ? strerrordesc_np(errnum) : "?");
	if (left && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", %zu not waited for", left);
	return done + left > 0;
}
