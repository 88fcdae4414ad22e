/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/chained.h"

#include "tests/lib/unit.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NODES = 30,
	LONG_NODES = 100 * 1000,
	NODE_STRIDE = 1000, /* some lie on two pages */
	LONG_STRIDE = 400,
	TEXTS = 400 * 1000, /* from the nodes to their texts */
	NAP_US = 3000,
};

struct text {
	uint64_t number;
};

struct node {
	uint64_t tid;
	volatile uint64_t number;
	struct text *text;
	struct node *next;
};

struct start {
	enum chained_kind kind;
	unsigned threads;
	volatile unsigned *ready;
};

static _Thread_local struct node *volatile first;

static void *map(size_t bytes, int flags, int fd)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (memory == MAP_FAILED)
		_exit(1);
	return memory;
}

static void *new_memory(size_t bytes)
{
	return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void *memory_of_a_file(void)
{
	int fd = memfd_create("chained", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, RECIPE_BLOCK) != 0)
		_exit(1);
	return map(RECIPE_BLOCK, MAP_PRIVATE, fd);
}

static void *memory_without_pages(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = {.api = UFFD_API};
	void *memory = new_memory(RECIPE_BLOCK);
	struct uffdio_register range = {.range = {(uintptr_t)memory, RECIPE_BLOCK},
		.mode = UFFDIO_REGISTER_MODE_MISSING};
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 ||
		ioctl(fd, UFFDIO_REGISTER, &range) != 0)
		_exit(77);
	return memory;
}

/* The nodes but the first, in a chain that leads to and fro. */
static struct node *make_chain(enum chained_kind kind)
{
	size_t count = kind == CHAINED_LONG ? LONG_NODES : NODES;
	size_t stride = kind == CHAINED_LONG ? LONG_STRIDE : NODE_STRIDE;
	char *memory = new_memory((count + 1) * stride + 2 * TEXTS);
	struct node *chain = NULL, *last = NULL;
	for (size_t i = count; i-- > 0;) {
		size_t place = kind == CHAINED_LONG ? i : i * 7 % NODES;
		struct node *node = (void *)(memory + place * stride);
		*node = (struct node){.tid = (uint64_t)gettid(), .next = chain};
		if (kind != CHAINED_LONG)
			node->text = (void *)(memory + TEXTS + place * stride);
		last = last ? last : node;
		chain = node;
	}
	if (kind == CHAINED_CIRCLE)
		last->next = chain;
	else if (kind == CHAINED_FILE)
		last->next = memory_of_a_file();
	else if (kind == CHAINED_USERFAULT)
		last->next = memory_without_pages();
	else if (kind == CHAINED_WILD) {
		last->next = new_memory(RECIPE_BLOCK);
		munmap(last->next, RECIPE_BLOCK);
	}
	return chain;
}

__attribute__((noinline)) static void work(const struct start *start)
{
	struct text text = {0};
	volatile struct node on_stack = {.tid = (uint64_t)gettid(),
		.text = &text,
		.next = make_chain(start->kind)};
	bool is_good = start->kind == CHAINED_GOOD || start->kind == CHAINED_ASLEEP;
	first = (struct node *)&on_stack;
	__atomic_fetch_add(start->ready, 1, __ATOMIC_SEQ_CST);
	for (uint64_t number = 1;; number++) {
		struct node *node = first;
		for (unsigned i = 0; is_good && node; i++, node = node->next) {
			node->number = number;
			__atomic_store_n(&node->text->number, number, __ATOMIC_RELAXED);
			if (start->kind == CHAINED_ASLEEP && i == number % NODES)
				usleep(NAP_US);
		}
	}
}

static void *run(void *context)
{
	work(context);
	return NULL;
}

static void be_child(struct start *start, pid_t parent)
{
	pthread_t thread;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (unsigned i = 1; i < start->threads; i++)
		if (pthread_create(&thread, NULL, run, start) != 0)
			_exit(1);
	work(start);
}

pid_t chained_start(enum chained_kind kind, unsigned threads)
{
	volatile unsigned *ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true((void *)ready != MAP_FAILED);
	struct start start = {.kind = kind, .threads = threads, .ready = ready};
	int status = 0;
	pid_t self = getpid(), child = fork();
	if (child == 0)
		be_child(&start, self);
	while (*ready < threads && waitpid(child, &status, WNOHANG) == 0)
		usleep(100);
	bool is_there = *ready == threads;
	assert_true(is_there || WEXITSTATUS(status) == 77);
	munmap((void *)ready, sizeof(*ready));
	return is_there ? child : -1;
}

void chained_end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
}

/* --- who looks at it ------------------------------------------------------------------ */

/* The same in each thread of this program, and of its forks. */
static int32_t offset_of_first(void)
{
	uint64_t thread_pointer;
#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
#else
	thread_pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
#endif
	return (int32_t)((uint64_t)(uintptr_t)&first - thread_pointer);
}

static void add_areas(pid_t child, struct recipe *recipe)
{
	char path[32], line[512], permissions[8];
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)child);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (recipe->n_areas < RECIPE_AREAS && fgets(line, sizeof(line), file)) {
		unsigned long start, limit, offset, inode;
		unsigned major, minor;
		if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu", &start, &limit, permissions,
			    &offset, &major, &minor, &inode) == 7 &&
			inode == 0 && strcmp(permissions, "rw-p") == 0)
			recipe->areas[recipe->n_areas++] =
				(struct recipe_area){start, limit};
	}
	fclose(file);
}

void chained_recipe(pid_t child, struct recipe *recipe)
{
	*recipe = (struct recipe){.steps = {
					  {.op = RECIPE_LOAD,
						  .from = RECIPE_THREAD,
						  .to = RECIPE_A,
						  .offset = offset_of_first(),
						  .mask = UINT64_MAX},
					  {.op = RECIPE_CHAIN,
						  .from = RECIPE_A,
						  .length = sizeof(struct node),
						  .next = offsetof(struct node, next),
						  .most = UINT32_MAX,
						  .mask = UINT64_MAX,
						  .ref = offsetof(struct node, text),
						  .ref_length = sizeof(struct text),
						  .ref_mask = UINT64_MAX},
				  }};
	add_areas(child, recipe);
}

/* Numbers go down by one, once. */
static bool follows(uint64_t number, uint64_t *before, unsigned *steps)
{
	bool is_step = number + 1 == *before;
	*steps += is_step;
	bool is_right = *before == UINT64_MAX || number == *before || is_step;
	*before = number;
	return is_right && *steps <= 1;
}

enum chained_verdict chained_judge(const struct snapshot *snapshot, pid_t tid)
{
	uint64_t at, before = UINT64_MAX;
	unsigned nodes = 0, steps = 0;
	struct node node;
	struct text text;
	if (!snapshot_read(snapshot,
		    snapshot->second_thread + (uint64_t)(int64_t)offset_of_first(), &at,
		    sizeof(at)))
		return CHAINED_SHORT;
	for (; at != 0 && nodes <= NODES; at = (uintptr_t)node.next, nodes++) {
		if (!snapshot_read(snapshot, at, &node, sizeof(node)) ||
			!snapshot_read(
				snapshot, (uintptr_t)node.text, &text, sizeof(text)))
			return CHAINED_SHORT;
		if (node.tid != (uint64_t)tid || !follows(node.number, &before, &steps) ||
			!follows(text.number, &before, &steps))
			return CHAINED_TORN;
	}
	return nodes == NODES + 1 ? CHAINED_WHOLE : CHAINED_TORN;
}
