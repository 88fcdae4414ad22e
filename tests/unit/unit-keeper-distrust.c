/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A keeper does not believe who asks it: main may be somebody else's by then. And it has patience
   where there is no room for a process. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/link/keeper-process.h"
#include "ptrace/link/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct tracer_options options = {.seed = 1, .stack_bytes = 4096};
static struct tracer_control *control; /* shared */

static void start(struct keeper *keeper)
{
	assert_true(keeper_start(keeper, control, &options, NULL));
}

/* KIND, with N descriptors. */
static void wish(const struct keeper *keeper, int kind, const int *fds, size_t n)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(4 * sizeof(int))] = {0};
	struct wish wish = {.kind = (enum wish_kind)kind};
	struct iovec part = {&wish, sizeof(wish)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (n) {
		header.msg_control = space;
		header.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, n * sizeof(int));
	}
	assert_int_equal(sendmsg(keeper->socket, &header, MSG_NOSIGNAL), sizeof(wish));
}

static void test_wishes_that_make_no_sense(void **state)
{
	(void)state;
	struct keeper keeper, spare, other;
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC), pair[2];
	const int zeros[] = {zero, zero, zero, zero};
	start(&keeper);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	for (int kind = -1; kind <= WISH_KINDS; kind++)
		for (size_t n = 0; n <= 4; n++)
			if (kind != WISH_RELEASE && (kind != WISH_FORK || n != 1) &&
				(kind != WISH_SPARE || n != 1))
				wish(&keeper, kind, zeros, n);
	/* it is there, for what makes sense, and once */
	assert_true(keeper_start_spare(&keeper, &spare));
	assert_false(keeper_start_spare(&keeper, &other));
	assert_false(keeper_start_spare(&spare, &other)); /* whose keeper still is */
	keeper_end(&keeper);
	assert_true(keeper_start_spare(&spare, &other));
	keeper_end(&other);
	assert_true(keeper_start_spare(&spare, &other));
	keeper_end(&other);
	keeper_end(&spare);
	/* and nothing is left, nor reads what never ends */
	assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	close(pair[0]);
	close(pair[1]);
	close(zero);
}

/* Who has its socket then is not main. */
static void test_it_ends_with_main(void **state)
{
	(void)state;
	int told[2];
	pid_t pids[2]; /* the keeper, and who has its socket */
	assert_int_equal(pipe(told), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	pid_t session = fork();
	if (session == 0) {
		struct keeper keeper;
		keeper_start(&keeper, control, &options, NULL);
		pids[0] = keeper.pid;
		pids[1] = fork();
		if (pids[1] == 0)
			for (;;)
				pause();
		if (write(told[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(told[0], pids, sizeof(pids)), sizeof(pids));
	kill(session, SIGKILL);
	assert_int_equal(waitpid(session, NULL, 0), session);
	assert_int_equal(waitpid(pids[0], NULL, 0), pids[0]);
	kill(pids[1], SIGKILL);
	assert_int_equal(waitpid(pids[1], NULL, 0), pids[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	close(told[0]);
	close(told[1]);
}

/* Root is not bound by this limit; then there is a tracer at once. */
static void test_no_room_for_a_tracer_for_a_moment(void **state)
{
	(void)state;
	struct keeper keeper;
	struct rlimit before, none = {1, 1};
	int socket;
	start(&keeper);
	assert_int_equal(prlimit(keeper.pid, RLIMIT_NPROC, NULL, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(prlimit(keeper.pid, RLIMIT_NPROC, &none, NULL), 0);
	assert_true(keeper_fork(&keeper, &socket));
	usleep(200 * 1000);
	assert_int_equal(prlimit(keeper.pid, RLIMIT_NPROC, &before, NULL), 0);
	process_await_child(keeper.pid, "tracer", 0);
	close(socket);
	keeper_end(&keeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wishes_that_make_no_sense),
		cmocka_unit_test(test_it_ends_with_main),
		cmocka_unit_test(test_no_room_for_a_tracer_for_a_moment),
	};
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return control == MAP_FAILED ? 1 : unit_run(tests);
}
