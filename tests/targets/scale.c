/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scale WHAT COUNT [SECONDS]: very many of one kind of thing.
 *
 *	threads COUNT    COUNT threads: busy-0 to busy-3 burn CPU in burn_busy, the others
 *			 wait for a condition that never comes
 *	threads-last COUNT  the same, but those that are busy are the last of them
 *	mappings COUNT   COUNT mappings, and one thread that burns CPU in burn_busy
 *	stacks COUNT     one thread that burns CPU in burn_busy at the end of COUNT
 *			 different stacks in turn, each a path of go_left and go_right
 *	objects FILE...  one thread that calls `work' of each of these shared objects in
 *			 turn, a millisecond of CPU each
 *
 * Truth: all CPU time is in burn_busy, or in the objects' work. SECONDS is 60 if not
 * given; after a list of files it stands behind "--".
 */
#include "work.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BUSY = 4,
	STACK_BYTES = 64 * 1024
};

static uint64_t end_ns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static bool is_over;

static VISIBLE uint64_t burn_busy(uint64_t until)
{
	return burn_until(until);
}

static void burn_to_the_end(void)
{
	while (work_goes_on(end_ns))
		burn_busy(thread_cpu_ns() + MS);
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

/* --- threads ----------------------------------------------------------------------- */

static void *busy_thread(void *name)
{
	pthread_setname_np(pthread_self(), name);
	burn_to_the_end();
	return NULL;
}

static void *idle_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!is_over)
		pthread_cond_wait(&over, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int have_threads(size_t count, size_t first_busy)
{
	static char names[BUSY][16];
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (size_t i = 0; i < count; i++) {
		size_t busy = i - first_busy; /* huge before the first */
		if (busy < BUSY)
			snprintf(names[busy], sizeof(names[busy]), "busy-%zu", busy);
		errno = pthread_create(&threads[i], &small,
			busy < BUSY ? busy_thread : idle_thread,
			busy < BUSY ? names[busy] : NULL);
		if (errno)
			return fail("pthread_create");
	}
	work_ready();
	while (work_goes_on(end_ns))
		usleep(10000);
	pthread_mutex_lock(&lock);
	is_over = true;
	pthread_cond_broadcast(&over);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}

/* --- mappings ---------------------------------------------------------------------- */

/* Neighbours of different rights are not merged by the kernel. */
static int have_mappings(size_t count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(NULL, count * page, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return fail("mmap");
	for (size_t i = 0; i < count; i += 2)
		if (mprotect(all + i * page, page, PROT_READ | PROT_EXEC) != 0)
			return fail("mprotect");
	work_ready();
	burn_to_the_end();
	return 0;
}

/* --- stacks ------------------------------------------------------------------------ */

static VISIBLE int go_left(size_t path, unsigned left);
static VISIBLE int go_right(size_t path, unsigned left);

static VISIBLE int go_on(size_t path, unsigned left)
{
	if (left == 0)
		return burn_busy(thread_cpu_ns() + 100 * US) != 0;
	return path & 1 ? go_right(path >> 1, left - 1) : go_left(path >> 1, left - 1);
}

static VISIBLE int go_left(size_t path, unsigned left)
{
	return go_on(path, left) + 1;
}

static VISIBLE int go_right(size_t path, unsigned left)
{
	return go_on(path, left) + 2;
}

static int have_stacks(size_t count)
{
	unsigned depth = 1;
	while ((size_t)1 << depth < count)
		depth++;
	work_ready();
	for (size_t path = 0; work_goes_on(end_ns); path = (path + 1) % count)
		go_on(path, depth);
	return 0;
}

/* --- objects ----------------------------------------------------------------------- */

static int have_objects(char **files, size_t count)
{
	uint64_t (**work)(uint64_t) = calloc(count, sizeof(*work));
	for (size_t i = 0; i < count; i++) {
		void *object = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		void *function = object ? dlsym(object, "work") : NULL;
		if (!function) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		memcpy(&work[i], &function, sizeof(function));
	}
	work_ready();
	for (size_t i = 0; work_goes_on(end_ns); i = (i + 1) % count)
		work[i](thread_cpu_ns() + MS);
	free(work);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	size_t count = strtoul(argv[2], NULL, 10);
	const char *seconds = argc > 3 ? argv[3] : NULL;
	int files = 0;
	if (strcmp(argv[1], "objects") == 0) {
		while (2 + files < argc && strcmp(argv[2 + files], "--") != 0)
			files++;
		seconds = 3 + files < argc ? argv[3 + files] : NULL;
	}
	end_ns = work_prepare(seconds);
	if (files)
		return have_objects(argv + 2, (size_t)files);
	if (strcmp(argv[1], "threads") == 0)
		return have_threads(count, 0);
	if (strcmp(argv[1], "threads-last") == 0)
		return have_threads(count, count > BUSY ? count - BUSY : 0);
	if (strcmp(argv[1], "mappings") == 0)
		return have_mappings(count);
	if (strcmp(argv[1], "stacks") == 0)
		return have_stacks(count);
	return 2;
}
