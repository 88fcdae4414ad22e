/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug-fetch: how far it is can be asked in a fork, where a thread that held its mutex does not
   exist. What it fetches is in tests/e2e/e2e-debuginfod. */
#include "tests/lib/unit.h"

#include "src/debuginfod/debug-fetch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FORKS = 300,
	HANGS_AFTER_S = 60,
};

struct asker {
	struct debug_fetch *fetch;
	atomic_bool quit;
};

/* Holds the mutex most of the time. */
static void *ask_again_and_again(void *argument)
{
	struct asker *asker = argument;
	char text[64];
	while (!asker->quit)
		debug_fetch_result(asker->fetch, text, sizeof(text));
	return NULL;
}

static void test_a_fork_need_not_wait(void **state)
{
	struct error err;
	struct asker asker = {
		.fetch = debug_fetch_create("http://127.0.0.1:9/", NULL, &err)};
	pthread_t thread;
	(void)state;
	if (!asker.fetch)
		skip(); /* the library is not installed */
	assert_int_equal(pthread_create(&thread, NULL, ask_again_and_again, &asker), 0);
	for (int i = 0; i < FORKS; i++) {
		char text[64];
		int status;
		pid_t child = fork();
		if (child == 0) {
			alarm(HANGS_AFTER_S);
			debug_fetch_progress(asker.fetch, text, sizeof(text));
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	asker.quit = true;
	pthread_join(thread, NULL);
	debug_fetch_destroy(asker.fetch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_fork_need_not_wait),
	};
	return unit_run(tests);
}
