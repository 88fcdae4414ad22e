/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/debuginfod/debug-fetch.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/debuginfod/fetcher.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct wish {
	char *build_id, *module;
	char *source; /* the source file that is wanted; NULL: the debug file */
	char *path;   /* of what was found; NULL */
	enum debug_fetch_state state;
	int errnum; /* why it was not; ENOENT: the servers do not have it */
};

struct debug_fetch {
	struct fetcher fetcher;
	pthread_t thread;
	bool has_thread;
	atomic_bool quit;
	atomic_long bytes; /* received so far of the current file */

	pthread_mutex_t mutex; /* of what follows; held for a copy */
	pthread_cond_t changed;
	VEC(struct wish *) wishes;
	size_t next; /* wishes before this one are done */
};

/* --- the thread -------------------------------------------------------------------- */

/* The fetcher's answer is a file in the cache; it is opened by who may, as any other. */
static int look_up(struct debug_fetch *fetch, const struct wish *wish, char **path)
{
	struct fetcher_order order = {.source = ""};
	struct fetcher_news news = {.is_over = 0};
	if (strlen(wish->build_id) >= sizeof(order.build_id) ||
		(wish->source && strlen(wish->source) >= sizeof(order.source)))
		return ENAMETOOLONG;
	strcpy(order.build_id, wish->build_id);
	if (wish->source)
		strcpy(order.source, wish->source);
	if (!fetcher_send(&fetch->fetcher, &order))
		return EPIPE;
	while (!news.is_over) {
		if (!fetcher_receive(&fetch->fetcher, &news))
			return EPIPE;
		atomic_store(&fetch->bytes, (long)news.bytes);
	}
	if (news.errnum == 0 && news.path[0] != '/')
		return EPROTO;
	*path = news.errnum ? NULL : mem_strdup(news.path);
	return news.errnum;
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
		int errnum = look_up(fetch, wish, &path);
		pthread_mutex_lock(&fetch->mutex);
		wish->errnum = errnum;
		wish->path = errnum ? NULL : path;
		wish->state = wish->path ? DEBUG_FETCH_FOUND : DEBUG_FETCH_NONE;
		fetch->next++;
	}
	pthread_mutex_unlock(&fetch->mutex);
	return NULL;
}

/* --- life -------------------------------------------------------------------------- */

struct debug_fetch *debug_fetch_create(
	const char *urls, const char *cache, struct error *err)
{
	struct debug_fetch *fetch = mem_zalloc(sizeof(*fetch));
	pthread_mutex_init(&fetch->mutex, NULL);
	clock_condition_init(&fetch->changed);
	if (!urls || !urls[strspn(urls, " ")])
		error_set(err, "--debuginfod: no server to ask; set DEBUGINFOD_URLS, for "
			       "example to https://debuginfod.debian.net");
	else if (fetcher_start(&fetch->fetcher, cache, err))
		return fetch;
	release(fetch);
	return NULL;
}

void debug_fetch_destroy(struct debug_fetch *fetch)
{
	if (!fetch)
		return;
	atomic_store(&fetch->quit, true);
	fetcher_hang_up(&fetch->fetcher);
	if (fetch->has_thread) {
		pthread_mutex_lock(&fetch->mutex);
		pthread_cond_broadcast(&fetch->changed);
		pthread_mutex_unlock(&fetch->mutex);
		pthread_join(fetch->thread, NULL);
	}
	fetcher_end(&fetch->fetcher);
	release(fetch);
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
	pthread_mutex_lock(&fetch->mutex);
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
