/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * garble PID SEED: send garbage through every socket that PID has open, as if PID had sent it: to
 * the other end of each of its wires. Needs the right to trace PID (pidfd_getfd(2)); status 77
 * without it. Prints how many packets were taken.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PACKETS = 20,
	BYTES = 512
};

static unsigned send_all(int fd)
{
	unsigned taken = 0;
	char bytes[BYTES];
	for (int i = 0; i < PACKETS; i++) {
		for (int k = 0; k < BYTES; k++)
			/* many small numbers: kinds and lengths that make sense */
			bytes[k] = (char)(rand() % 4 ? rand() % 8 : rand());
		size_t length = (size_t)(rand() % BYTES) + 1;
		taken += send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
	}
	return taken;
}

int main(int argc, char **argv)
{
	char path[64];
	unsigned taken = 0;
	if (argc != 3) {
		fputs("usage: garble PID SEED\n", stderr);
		return 2;
	}
	srand((unsigned)atoi(argv[2]));
	snprintf(path, sizeof(path), "/proc/%.16s/fd", argv[1]);
	int pidfd = pidfd_open(atoi(argv[1]), 0);
	DIR *fds = opendir(path);
	if (pidfd < 0 || !fds)
		return 77;
	for (struct dirent *entry; (entry = readdir(fds));) {
		struct stat status;
		int fd = entry->d_name[0] == '.'
				 ? -1
				 : pidfd_getfd(pidfd, atoi(entry->d_name), 0);
		if (fd >= 0 && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode))
			taken += send_all(fd);
		if (fd >= 0)
			close(fd);
	}
	printf("%u packets\n", taken);
	return 0;
}
