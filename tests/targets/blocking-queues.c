/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on queues, locks, signals and children. The poker or a child ends the wait; two
   waits never end. */

#include "blocking.h"

#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long make_nothing(void)
{
	return 0;
}

/* --- queues, locks, signals --------------------------------------------------------- */

static void poke_mq(long queue)
{
	static const struct timespec past;
	mq_timedsend((mqd_t)queue, "x", 1, 0, &past);
}

static long make_mq(void)
{
	char name[32];
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 16};
	snprintf(name, sizeof(name), "/blocking-%d", getpid());
	mqd_t queue = mq_open(name, O_CREAT | O_RDWR | O_EXCL, 0600, &attributes);
	mq_unlink(name);
	poker_add(poke_mq, queue);
	return queue;
}

static int enter_mq(long queue, uint64_t unused)
{
	(void)unused;
	char message[16];
	return (int)mq_receive((mqd_t)queue, message, sizeof(message), NULL);
}

/* What outlives a process: poked while it runs, removed at the end. */
static long keep(long id, void (*poke)(long), void (*remove)(long))
{
	if (id < 0)
		return -1;
	poker_at_end(remove, id);
	poker_add(poke, id);
	return id;
}

struct message {
	long type;
	char byte;
};

static void poke_msg(long queue)
{
	struct message message = {.type = 1};
	msgsnd((int)queue, &message, 1, IPC_NOWAIT);
}

static void remove_msg(long queue)
{
	msgctl((int)queue, IPC_RMID, NULL);
}

static long make_msg(void)
{
	return keep(msgget(IPC_PRIVATE, 0600), poke_msg, remove_msg);
}

static int enter_msg(long queue, uint64_t unused)
{
	(void)unused;
	struct message message;
	return (int)msgrcv((int)queue, &message, 1, 0, 0);
}

static void poke_semaphore(long id)
{
	semctl((int)id, 0, SETVAL, 1);
}

static void remove_semaphore(long id)
{
	semctl((int)id, 0, IPC_RMID);
}

static long make_semaphore(void)
{
	return keep(semget(IPC_PRIVATE, 1, 0600), poke_semaphore, remove_semaphore);
}

static int enter_semaphore(long id, uint64_t unused)
{
	(void)unused;
	struct sembuf take = {.sem_op = -1};
	return semop((int)id, &take, 1);
}

static void poke_futex(long word)
{
	syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static long make_futex(void)
{
	void *word = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (word == MAP_FAILED)
		return -1;
	poker_add(poke_futex, (long)word);
	return (long)word;
}

static int enter_futex(long word, uint64_t unused)
{
	(void)unused;
	return (int)syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static long make_sigwaitinfo(void)
{
	poker_add(poker_signal, SIGUSR1);
	return 0;
}

static int enter_sigwaitinfo(long unused, uint64_t unused_too)
{
	(void)unused, (void)unused_too;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigwaitinfo(&set, NULL);
}

/* No signal can get through: EINTR would be somebody else's doing. */
static int enter_sigsuspend(long unused, uint64_t unused_too)
{
	(void)unused, (void)unused_too;
	sigset_t all;
	sigfillset(&all);
	return sigsuspend(&all);
}

static int enter_pause(long unused, uint64_t unused_too)
{
	(void)unused, (void)unused_too;
	return pause();
}

/* --- children ----------------------------------------------------------------------- */

static pid_t start_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		work_sleep_ns(10 * MS);
		_exit(0);
	}
	return pid;
}

/* After an EINTR, which is counted, the child has still to be waited for. */
static int with_reaped(pid_t pid, int result)
{
	int failure = errno;
	if (result < 0)
		waitpid(pid, NULL, 0);
	errno = failure;
	return result;
}

static int enter_wait4(long unused, uint64_t unused_too)
{
	(void)unused, (void)unused_too;
	pid_t pid = start_child();
	return with_reaped(pid, waitpid(pid, NULL, 0));
}

static int enter_waitid(long unused, uint64_t unused_too)
{
	(void)unused, (void)unused_too;
	siginfo_t info;
	pid_t pid = start_child();
	return with_reaped(pid, waitid(P_PID, (id_t)pid, &info, WEXITED));
}

const struct blocking_call blocking_queues[] = {
	{"mq_receive", make_mq, enter_mq, BLOCKING_POKED},
	{"msgrcv", make_msg, enter_msg, BLOCKING_POKED},
	{"semop", make_semaphore, enter_semaphore, BLOCKING_POKED},
	{"futex", make_futex, enter_futex, BLOCKING_POKED},
	{"sigwaitinfo", make_sigwaitinfo, enter_sigwaitinfo, BLOCKING_POKED},
	{"wait4", make_nothing, enter_wait4, BLOCKING_CHILD},
	{"waitid", make_nothing, enter_waitid, BLOCKING_CHILD},
	{"sigsuspend", make_nothing, enter_sigsuspend, BLOCKING_NEVER},
	{"pause", make_nothing, enter_pause, BLOCKING_NEVER},
};
const size_t blocking_queues_count = sizeof(blocking_queues) / sizeof(blocking_queues[0]);
