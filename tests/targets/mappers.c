/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappers [THREADS] [SECONDS]: threads that map a file, sum it and unmap it, all the time, as those
 * of a server do that maps what it sends (apache's event MPM). They wait for each other's
 * mmap_lock nearly always, and so does who reads their memory.
 */
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FILE_BYTES = 4096,
};

static int file;
static uint64_t end_ns;
static volatile unsigned sum;

static VISIBLE void send_file(void)
{
	const unsigned char *bytes =
		mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, file, 0);
	if (bytes == MAP_FAILED)
		_exit(1);
	for (size_t i = 0; i < FILE_BYTES; i++)
		sum += bytes[i];
	munmap((void *)bytes, FILE_BYTES);
}

static void *serve(void *unused)
{
	while (work_goes_on(end_ns))
		send_file();
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 64;
	pthread_t thread;
	file = open(argv[0], O_RDONLY | O_CLOEXEC);
	end_ns = work_prepare(argc > 2 ? argv[2] : NULL);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, serve, NULL) != 0)
			return 1;
	work_ready();
	serve(NULL);
	return 0;
}
