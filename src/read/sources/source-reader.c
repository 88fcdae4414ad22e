/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-reader.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/sources/source-open.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LEAVE_SOON_NS (NS_PER_SEC / 2)
#define FETCH_LOOK_NS (NS_PER_SEC / 5)

enum {
	PLACES_TOLD_MAX = 8,
	LOOK_AGAIN_S = 2,
};

struct wanted {
	char *path, *build_id;
	uint64_t asked; /* a count that grows: when it was last asked for */
	enum source_state state;
	bool is_fetched;      /* it is not on this machine */
	bool is_due;	      /* it was missing, and is to be looked for again */
	uint64_t answered_ns; /* when it was looked for last; 0: never */
	const struct source_file *file;
	char *why;
};

struct source_reader {
	struct source_rules rules;
	struct source_person person;
	struct debug_fetch *fetch;
	pthread_t thread;
	bool has_thread;
	int ready_fd; /* an event; -1 */

	pthread_mutex_t mutex; /* of what follows; not held while a file is looked for */
	pthread_cond_t changed;
	VEC(struct wanted *) list;
	uint64_t asked;
	bool quit, has_ended;
};

static void release_wanted(struct wanted *wanted)
{
	source_file_unref(wanted->file);
	free(wanted->path);
	free(wanted->build_id);
	free(wanted->why);
	free(wanted);
}

static void tell_ready(const struct source_reader *reader)
{
	uint64_t one = 1;
	(void)!write(reader->ready_fd, &one, sizeof(one));
}

/* --- the thread ------------------------------------------------------------------------ */

/* What is written down while a file is looked for. */
struct search {
	char text[SOURCE_WHY_MAX];
	size_t used, places;
};

static void tell(struct search *search, const char *path, const char *why)
{
	char clean[512];
	if (++search->places > PLACES_TOLD_MAX || search->used >= sizeof(search->text))
		return;
	clean_text(clean, sizeof(clean), path, strlen(path));
	int n = snprintf(search->text + search->used, sizeof(search->text) - search->used,
		"%s%s: %s", search->used ? "\n" : "", clean, why);
	search->used += n > 0 ? (size_t)n : 0;
}

static const struct source_file *read_place(const struct source_reader *reader,
	const struct source_place *place, struct search *search)
{
	struct error err;
	char *path = source_place_path(place);
	const struct source_file *file = NULL;
	int fd = source_open(place, &reader->person);
	if (fd >= 0) {
		file = source_file_read(fd, path, &err);
		close(fd);
		if (!file)
			tell(search, path, err.text);
	} else {
		const char *reason = strerrordesc_np(errno);
		tell(search, path,
			errno == ENOENT || errno == ENOTDIR ? "not there"
			: errno == EINVAL		    ? "not a regular file"
			: reason			    ? reason
							    : "cannot be opened");
	}
	free(path);
	return file;
}

static const struct source_file *look_for(
	const struct source_reader *reader, const char *path, struct search *search)
{
	struct source_places places = {0};
	const struct source_file *file = NULL;
	source_places_find(&places, &reader->rules, path);
	for (size_t i = 0; !file && i < places.list.len; i++)
		file = read_place(reader, &places.list.data[i], search);
	source_places_finish(&places);
	if (search->places > PLACES_TOLD_MAX) {
		char more[64];
		size_t others = search->places - PLACES_TOLD_MAX;
		snprintf(more, sizeof(more), "and %zu more places", others);
		search->places = 0;
		tell(search, more, "not there");
	}
	return file;
}

/* What a debuginfod server gave lies in the cache of whoever runs this, and nobody else
   may be able to read it. */
static const struct source_file *read_fetched(
	const struct source_reader *reader, const char *path, struct search *search)
{
	const struct source_place place = {.base = NULL, .rest = (char *)(uintptr_t)path};
	source_rights_return(&reader->person);
	const struct source_file *file = read_place(reader, &place, search);
	source_rights_become(&reader->person);
	return file;
}

/* Ask for a file that is not here. False: it has not come yet. */
static bool fetch(const struct source_reader *reader, const struct wanted *wanted,
	struct search *search, const struct source_file **file)
{
	const char *path = NULL;
	/* The first question starts a thread, which must be able to write to the cache. */
	source_rights_return(&reader->person);
	enum debug_fetch_state state = debug_fetch_ask_source(
		reader->fetch, wanted->build_id, wanted->path, &path);
	source_rights_become(&reader->person);
	switch (state) {
	case DEBUG_FETCH_PENDING:
		return false;
	case DEBUG_FETCH_FOUND:
		*file = read_fetched(reader, path, search);
		return true;
	default:
		tell(search, "debuginfod", "not there");
		return true;
	}
}

/* Whoever waited for us in vain has gone on, and FETCH may be gone. */
static bool is_over(struct source_reader *reader)
{
	pthread_mutex_lock(&reader->mutex);
	bool is_over = reader->quit;
	pthread_mutex_unlock(&reader->mutex);
	return is_over;
}

/* Holds the mutex, and gives it up meanwhile; what is pending is not dropped. */
static void serve(struct source_reader *reader, struct wanted *wanted)
{
	struct search search = {.text = ""};
	const struct source_file *file = NULL;
	bool done = true;
	pthread_mutex_unlock(&reader->mutex);
	if (!wanted->is_fetched)
		file = look_for(reader, wanted->path, &search);
	if (!file && reader->fetch && wanted->build_id[0] && !is_over(reader))
		done = fetch(reader, wanted, &search, &file);
	pthread_mutex_lock(&reader->mutex);
	/* What was said before it was fetched is kept. */
	char *before = wanted->is_fetched ? wanted->why : NULL;
	char *why = before && search.text[0] ? mem_printf("%s\n%s", before, search.text)
		    : before		     ? mem_strdup(before)
					     : mem_strdup(search.text);
	free(wanted->why);
	wanted->why = why;
	wanted->is_fetched = !done;
	if (!done)
		return;
	wanted->file = file;
	wanted->state = file ? SOURCE_FOUND : SOURCE_MISSING;
	wanted->answered_ns = clock_monotonic_ns();
	tell_ready(reader);
	pthread_cond_broadcast(&reader->changed);
}

/* The person may have put it there by now. Holds the mutex, and gives it up meanwhile. */
static void serve_again(struct source_reader *reader, struct wanted *wanted)
{
	struct search search = {.text = ""};
	pthread_mutex_unlock(&reader->mutex);
	const struct source_file *file = look_for(reader, wanted->path, &search);
	pthread_mutex_lock(&reader->mutex);
	wanted->is_due = false;
	wanted->answered_ns = clock_monotonic_ns();
	wanted->file = file;
	wanted->state = file ? SOURCE_FOUND : SOURCE_MISSING;
	if (file)
		tell_ready(reader);
}

static struct wanted *next_due(const struct source_reader *reader)
{
	vec_each (&reader->list, at)
		if ((*at)->is_due)
			return *at;
	return NULL;
}

static struct wanted *next_wanted(struct source_reader *reader, bool is_fetched)
{
	vec_each (&reader->list, wanted)
		if ((*wanted)->state == SOURCE_PENDING &&
			(*wanted)->is_fetched == is_fetched)
			return *wanted;
	return NULL;
}

static void refuse(struct source_reader *reader)
{
	struct wanted *wanted;
	while ((wanted = next_wanted(reader, false))) {
		wanted->state = SOURCE_MISSING;
		wanted->why = mem_strdup("cannot give up the rights of root to read it");
		tell_ready(reader);
	}
	pthread_cond_broadcast(&reader->changed);
}

static void *reader_main(void *argument)
{
	struct source_reader *reader = argument;
	prctl(PR_SET_NAME, "sources");
	bool is_person = source_rights_become(&reader->person);
	pthread_mutex_lock(&reader->mutex);
	while (!reader->quit) {
		struct wanted *wanted = next_wanted(reader, false);
		struct wanted *fetched = next_wanted(reader, true);
		if (!is_person) {
			refuse(reader);
			wanted = NULL;
		}
		struct wanted *due = next_due(reader);
		if (wanted) {
			serve(reader, wanted);
		} else if (due) {
			serve_again(reader, due);
		} else if (fetched) {
			struct timespec until = clock_deadline(FETCH_LOOK_NS);
			pthread_cond_timedwait(&reader->changed, &reader->mutex, &until);
			if (!reader->quit)
				serve(reader, fetched);
		} else {
			pthread_cond_wait(&reader->changed, &reader->mutex);
		}
	}
	reader->has_ended = true;
	pthread_cond_broadcast(&reader->changed);
	pthread_mutex_unlock(&reader->mutex);
	return NULL;
}

/* --- for the asker --------------------------------------------------------------------- */

struct source_reader *source_reader_create(const struct source_rules *rules,
	const struct source_person *person, struct debug_fetch *fetch)
{
	struct source_reader *reader = mem_zalloc(sizeof(*reader));
	reader->rules = *rules;
	reader->person = *person;
	reader->fetch = fetch;
	reader->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&reader->mutex, NULL);
	clock_condition_init(&reader->changed);
	return reader;
}

void source_reader_destroy(struct source_reader *reader)
{
	if (!reader)
		return;
	pthread_mutex_lock(&reader->mutex);
	reader->quit = true;
	pthread_cond_broadcast(&reader->changed);
	struct timespec deadline = clock_deadline(LEAVE_SOON_NS);
	while (reader->has_thread && !reader->has_ended &&
		pthread_cond_timedwait(&reader->changed, &reader->mutex, &deadline) == 0)
		;
	bool is_free = !reader->has_thread || reader->has_ended;
	pthread_mutex_unlock(&reader->mutex);
	if (!is_free) {
		pthread_detach(reader->thread);
		return;
	}
	if (reader->has_thread)
		pthread_join(reader->thread, NULL);
	vec_each (&reader->list, wanted)
		release_wanted(*wanted);
	vec_free(&reader->list);
	if (reader->ready_fd >= 0)
		close(reader->ready_fd);
	pthread_cond_destroy(&reader->changed);
	pthread_mutex_destroy(&reader->mutex);
	free(reader);
}

/* What was asked for longest ago goes, unless it is still looked for. */
static void make_room(struct source_reader *reader)
{
	size_t oldest = SIZE_MAX;
	for (size_t i = 0; i < reader->list.len; i++)
		if (reader->list.data[i]->state != SOURCE_PENDING &&
			!reader->list.data[i]->is_due &&
			(oldest == SIZE_MAX || reader->list.data[i]->asked <
						       reader->list.data[oldest]->asked))
			oldest = i;
	if (reader->list.len < SOURCE_FILES_KEPT || oldest == SIZE_MAX)
		return;
	release_wanted(reader->list.data[oldest]);
	reader->list.data[oldest] = reader->list.data[--reader->list.len];
}

static struct wanted *find_or_add(
	struct source_reader *reader, const char *path, const char *build_id)
{
	vec_each (&reader->list, wanted)
		if (strcmp((*wanted)->path, path) == 0 &&
			strcmp((*wanted)->build_id, build_id) == 0)
			return *wanted;
	make_room(reader);
	struct wanted *wanted = mem_zalloc(sizeof(*wanted));
	wanted->path = mem_strdup(path);
	wanted->build_id = mem_strdup(build_id);
	vec_push(&reader->list, wanted);
	if (!reader->has_thread)
		reader->has_thread =
			pthread_create(&reader->thread, NULL, reader_main, reader) == 0;
	if (!reader->has_thread) {
		wanted->state = SOURCE_MISSING;
		wanted->why = mem_strdup("no thread can be started to read it");
	}
	pthread_cond_broadcast(&reader->changed);
	return wanted;
}

enum source_state source_reader_ask(struct source_reader *reader, const char *path,
	const char *build_id, const struct source_file **file, char why[SOURCE_WHY_MAX])
{
	source_reader_heed(reader);
	pthread_mutex_lock(&reader->mutex);
	struct wanted *wanted = find_or_add(reader, path, build_id);
	enum source_state state = wanted->state;
	wanted->asked = ++reader->asked;
	if (state == SOURCE_MISSING && !wanted->is_due && wanted->answered_ns &&
		clock_monotonic_ns() - wanted->answered_ns > LOOK_AGAIN_S * NS_PER_SEC) {
		wanted->is_due = true;
		pthread_cond_broadcast(&reader->changed);
	}
	*file = source_file_ref(wanted->file);
	snprintf(why, SOURCE_WHY_MAX, "%s", wanted->why ? wanted->why : "");
	pthread_mutex_unlock(&reader->mutex);
	return state;
}

void source_reader_wait(struct source_reader *reader, uint64_t limit_ns)
{
	struct timespec deadline = clock_deadline(limit_ns);
	pthread_mutex_lock(&reader->mutex);
	while ((next_wanted(reader, false) || next_wanted(reader, true)) &&
		pthread_cond_timedwait(&reader->changed, &reader->mutex, &deadline) == 0)
		;
	pthread_mutex_unlock(&reader->mutex);
}

int source_reader_fd(const struct source_reader *reader)
{
	return reader ? reader->ready_fd : -1;
}

void source_reader_heed(const struct source_reader *reader)
{
	uint64_t count;
	if (reader)
		(void)!read(reader->ready_fd, &count, sizeof(count));
}
