/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/opener.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-image.h"
#include "src/run/opener/desk.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	PATIENCE_S = 1, /* with a thread that has nobody to answer any more */
};

struct opener {
	struct granted granted;
	char *debug_dirs;
	bool source_maps;
	struct desk *desk; /* NULL: nobody is served */
	pthread_t thread;
	bool has_lost; /* a thread that did not end may still use all of this */
};

struct opener *opener_create(const struct opener_options *options)
{
	struct opener *opener = mem_zalloc(sizeof(*opener));
	bool has_dirs = options->debug_dirs && options->debug_dirs[0];
	opener->debug_dirs = mem_printf("%s%s%s", has_dirs ? options->debug_dirs : "",
		has_dirs ? ":" : "", DEBUG_FILE_SYSTEM_DIR);
	opener->source_maps = options->source_maps;
	granted_init(&opener->granted);
	return opener;
}

static void *serve(void *argument)
{
	struct desk *desk = argument;
	pthread_setname_np(pthread_self(), "opener");
	desk_serve(desk);
	return NULL;
}

static void end_desk(struct opener *opener)
{
	struct timespec until;
	if (!opener->desk)
		return;
	shutdown(opener->desk->socket, SHUT_RDWR);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	if (pthread_timedjoin_np(opener->thread, NULL, &until) == 0) {
		desk_finish(opener->desk);
		free(opener->desk);
	} else {
		pthread_detach(opener->thread);
		opener->has_lost = true;
	}
	opener->desk = NULL;
}

void opener_destroy(struct opener *opener)
{
	if (!opener)
		return;
	end_desk(opener);
	if (opener->has_lost)
		return;
	granted_finish(&opener->granted);
	free(opener->debug_dirs);
	free(opener);
}

bool opener_serve(struct opener *opener, int socket, struct error *err)
{
	sigset_t all, before;
	end_desk(opener);
	struct desk *desk = mem_zalloc(sizeof(*desk));
	desk->socket = socket;
	desk->granted = &opener->granted;
	desk->debug_dirs = opener->debug_dirs;
	desk->source_maps = opener->source_maps;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int errnum = pthread_create(&opener->thread, NULL, serve, desk);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errnum == 0) {
		opener->desk = desk;
		return true;
	}
	desk_finish(desk);
	free(desk);
	return error_errno(err, errnum, "start a thread");
}

bool opener_add(struct opener *opener, int proc_fd)
{
	return granted_add(&opener->granted, proc_fd);
}

void opener_remove(struct opener *opener, int proc_fd)
{
	granted_remove(&opener->granted, proc_fd);
}

void opener_add_path(struct opener *opener, const char *path)
{
	granted_add_path(&opener->granted, path);
}
