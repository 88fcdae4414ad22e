/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is at the other end of pipes and connections made here. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/process/peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void link_of(int fd, char *out, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(path, out, size - 1);
	assert_true(length > 0);
	out[length] = '\0';
}

/* Ask until all of /proc was read, however many processes there are. */
static const char *ask(struct peers *peers, const char *link, bool writes)
{
	uint64_t now_ns = 1;
	const char *answer;
	do {
		answer = peers_say(peers, getpid(), link, writes, now_ns);
		now_ns += PEERS_REST_MS * NS_PER_MS;
	} while (peers->next_pid != 0 && !answer[0]);
	return answer;
}

static void test_pipe(void **state)
{
	(void)state;
	struct peers peers = {0};
	char link[64], wanted[64];
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	link_of(ends[0], link, sizeof(link));
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		for (;;)
			pause();
	}
	close(ends[1]);
	/* Until the child has closed its copy of the end that is read, it may be seen with
	   both; that it writes is seen either way. */
	snprintf(wanted, sizeof(wanted), "from unit-peers (%d)", child);
	assert_string_equal(ask(&peers, link, false), wanted);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* It is still known who it was; that nobody reads our end but us, too. */
	assert_string_equal(peers_say(&peers, getpid(), link, false, 2), wanted);
	peers_finish(&peers);
	snprintf(wanted, sizeof(wanted), "to unit-peers (%d)", getpid());
	peers = (struct peers){0};
	assert_string_equal(ask(&peers, link, true), wanted);
	peers_finish(&peers);
	close(ends[0]);
}

static void test_connection(void **state)
{
	(void)state;
	struct peers peers = {0};
	char link[64], wanted[64];
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, length), 0);
	link_of(client, link, sizeof(link));
	/* Not accepted yet: nobody has that end, so there is only its address. */
	snprintf(wanted, sizeof(wanted), "from 127.0.0.1:%d", ntohs(address.sin_port));
	assert_string_equal(ask(&peers, link, false), wanted);
	peers_finish(&peers);
	peers = (struct peers){0};
	int server = accept(listener, NULL, NULL);
	assert_true(server >= 0);
	snprintf(wanted, sizeof(wanted), "from unit-peers (%d)", getpid());
	assert_string_equal(ask(&peers, link, false), wanted);
	link_of(listener, link, sizeof(link));
	assert_string_equal(ask(&peers, link, false), ""); /* it listens */
	peers_finish(&peers);
	close(server);
	close(client);
	close(listener);
}

static void test_what_has_no_other_end(void **state)
{
	(void)state;
	struct peers peers = {0};
	assert_string_equal(peers_say(&peers, getpid(), "/var/log/x", false, 1), "");
	assert_string_equal(peers_say(&peers, getpid(), "pipe:[x]", false, 1), "");
	assert_string_equal(peers_say(&peers, getpid(), "", false, 1), "");
	assert_int_equal(peers.due_ns, 0); /* nothing was read for that */
	assert_string_equal(ask(&peers, "pipe:[1]", false), "");
	peers_finish(&peers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_connection),
		cmocka_unit_test(test_what_has_no_other_end),
	};
	return unit_run(tests);
}
