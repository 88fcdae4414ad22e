#include "src/line-resolver.h"

#include "src/clock.h"
#include "src/elf-lines.h"
#include "src/mem.h"
#include "src/vec.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OPEN_MAX_BYTES	(UINT64_C(1) << 30) /* of debug sections together */
#define IDLE_NS		(20 * NS_PER_SEC)   /* then close all files */
#define LEAVE_BEHIND_NS (NS_PER_SEC / 4)
#define CONDITION_CLOCK CLOCK_MONOTONIC

enum {
	NICE = 10
};

struct file {
	int fd; /* -1: opened, or useless */
	bool trusted;
	dev_t device; /* these four are what it is known by */
	ino_t inode;
	off_t bytes;
	struct timespec changed;
};

/* The thread's own. */
struct open_file {
	struct elf_lines *lines;
	uint64_t used; /* a count that grows */
};

struct question {
	uint64_t vaddr;
	uint32_t file, cookie;
};

struct line_resolver {
	pthread_t thread;
	bool has_thread;
	bool is_urgent; /* before there is a thread */

	pthread_mutex_t mutex; /* of what follows; held for a copy, never for work */
	pthread_cond_t asked, answered;
	VEC(struct file) files;
	VEC(struct question) questions;
	size_t next_question; /* those before it were taken */
	VEC(struct line_answer) answers;
	size_t next_answer;
	bool quit, busy, has_ended;
	bool is_left_behind; /* the thread frees all this */

	VEC(struct open_file) open; /* by file; the thread's alone */
	uint64_t uses;
};

static struct timespec deadline_after(uint64_t ns)
{
	return clock_to_timespec(clock_monotonic_ns() + ns);
}

/* --- the thread: files ------------------------------------------------------------- */

static void close_files(struct line_resolver *resolver)
{
	vec_each (&resolver->open, file) {
		elf_lines_close(file->lines);
		file->lines = NULL;
	}
}

/* Close what was used longest ago until there is room. */
static void make_room(struct line_resolver *resolver)
{
	for (;;) {
		uint64_t sum = 0, n = 0;
		struct open_file *oldest = NULL;
		vec_each (&resolver->open, file) {
			if (!file->lines)
				continue;
			n++;
			sum += elf_lines_bytes(file->lines);
			if (!oldest || file->used < oldest->used)
				oldest = file;
		}
		if (sum <= OPEN_MAX_BYTES || n < 2)
			return;
		elf_lines_close(oldest->lines);
		oldest->lines = NULL;
	}
}

/* The lines of file ID, opened now if need be; NULL if it has none. */
static struct elf_lines *lines_of(struct line_resolver *resolver, uint32_t id)
{
	while (resolver->open.len <= id)
		vec_push(&resolver->open, (struct open_file){.lines = NULL});
	struct open_file *open = &resolver->open.data[id];
	open->used = ++resolver->uses;
	if (open->lines)
		return open->lines;
	pthread_mutex_lock(&resolver->mutex);
	struct file *file = &resolver->files.data[id];
	int fd = file->fd < 0 ? -1 : dup(file->fd);
	bool trusted = file->trusted;
	pthread_mutex_unlock(&resolver->mutex);
	if (fd < 0)
		return NULL;
	open->lines = elf_lines_open(fd, trusted, NULL);
	if (open->lines) {
		make_room(resolver);
		return open->lines;
	}
	pthread_mutex_lock(&resolver->mutex);
	close(resolver->files.data[id].fd);
	resolver->files.data[id].fd = -1; /* do not try again */
	pthread_mutex_unlock(&resolver->mutex);
	return NULL;
}

/* --- the thread: questions --------------------------------------------------------- */

static struct line_answer answer_of(
	struct line_resolver *resolver, const struct question *question)
{
	struct line_answer answer = {.cookie = question->cookie};
	struct elf_lines *lines = lines_of(resolver, question->file);
	struct line_frame frames[LINE_FRAMES_MAX];
	size_t count = lines ? elf_lines_find(lines, question->vaddr, frames) : 0;
	if (count == 0)
		return answer;
	answer.n_frames = (uint32_t)count;
	answer.frames = mem_alloc(count * sizeof(*answer.frames));
	for (size_t i = 0; i < count; i++)
		answer.frames[i] = (struct line_answer_frame){
			.name = mem_strdup(frames[i].name),
			.file = mem_strdup(frames[i].file),
			.line = frames[i].line,
			.start_line = frames[i].start_line,
		};
	return answer;
}

/* Wait for the next question; false when it is time to end. Holds the mutex. */
static bool next_question(struct line_resolver *resolver, struct question *question)
{
	bool idle = false;
	while (!resolver->quit && resolver->next_question == resolver->questions.len) {
		resolver->busy = false;
		pthread_cond_signal(&resolver->answered);
		if (idle) {
			pthread_cond_wait(&resolver->asked, &resolver->mutex);
			continue;
		}
		struct timespec deadline = deadline_after(IDLE_NS);
		if (pthread_cond_timedwait(
			    &resolver->asked, &resolver->mutex, &deadline) != 0) {
			pthread_mutex_unlock(&resolver->mutex);
			close_files(resolver);
			pthread_mutex_lock(&resolver->mutex);
			idle = true;
		}
	}
	if (resolver->quit)
		return false;
	resolver->busy = true;
	*question = resolver->questions.data[resolver->next_question++];
	if (resolver->next_question == resolver->questions.len)
		resolver->next_question = resolver->questions.len = 0;
	return true;
}

static void release(struct line_resolver *resolver)
{
	struct line_answer answer;
	close_files(resolver);
	while (line_resolver_take(resolver, &answer))
		line_answer_finish(&answer);
	vec_each (&resolver->files, file)
		if (file->fd >= 0)
			close(file->fd);
	vec_free(&resolver->files);
	vec_free(&resolver->open);
	vec_free(&resolver->questions);
	vec_free(&resolver->answers);
	pthread_cond_destroy(&resolver->asked);
	pthread_cond_destroy(&resolver->answered);
	pthread_mutex_destroy(&resolver->mutex);
	free(resolver);
}

static void *resolver_main(void *argument)
{
	struct line_resolver *resolver = argument;
	prctl(PR_SET_NAME, "lines");
	if (!resolver->is_urgent) /* of this thread, on Linux */
		setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	pthread_mutex_lock(&resolver->mutex);
	struct question question;
	while (next_question(resolver, &question)) {
		pthread_mutex_unlock(&resolver->mutex);
		struct line_answer answer = answer_of(resolver, &question);
		pthread_mutex_lock(&resolver->mutex);
		vec_push(&resolver->answers, answer);
	}
	resolver->has_ended = true;
	pthread_cond_signal(&resolver->answered);
	bool alone = resolver->is_left_behind;
	pthread_mutex_unlock(&resolver->mutex);
	if (alone)
		release(resolver);
	return NULL;
}

/* --- life -------------------------------------------------------------------------- */

struct line_resolver *line_resolver_create(void)
{
	struct line_resolver *resolver = mem_zalloc(sizeof(*resolver));
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CONDITION_CLOCK);
	pthread_mutex_init(&resolver->mutex, NULL);
	pthread_cond_init(&resolver->asked, &attributes);
	pthread_cond_init(&resolver->answered, &attributes);
	pthread_condattr_destroy(&attributes);
	return resolver;
}

void line_resolver_hurry(struct line_resolver *resolver)
{
	resolver->is_urgent = true;
}

void line_resolver_destroy(struct line_resolver *resolver)
{
	if (!resolver)
		return;
	if (!resolver->has_thread) {
		release(resolver);
		return;
	}
	struct timespec deadline = deadline_after(LEAVE_BEHIND_NS);
	pthread_mutex_lock(&resolver->mutex);
	resolver->quit = true;
	pthread_cond_signal(&resolver->asked);
	while (!resolver->has_ended && pthread_cond_timedwait(&resolver->answered,
					       &resolver->mutex, &deadline) == 0)
		;
	bool ended = resolver->has_ended;
	resolver->is_left_behind = !ended;
	pthread_t thread = resolver->thread;
	pthread_mutex_unlock(&resolver->mutex);
	if (!ended) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	release(resolver);
}

static bool is_same(const struct file *a, const struct file *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec && a->trusted == b->trusted;
}

/* Every exec brings the same files again, and to unpack one anew takes long. */
uint32_t line_resolver_add_file(struct line_resolver *resolver, int fd, bool trusted)
{
	struct stat status;
	struct file file = {.fd = fd, .trusted = trusted};
	if (fstat(fd, &status) == 0) {
		file.device = status.st_dev;
		file.inode = status.st_ino;
		file.bytes = status.st_size;
		file.changed = status.st_ctim;
	}
	pthread_mutex_lock(&resolver->mutex);
	uint32_t id = 0;
	while (id < resolver->files.len &&
		!(file.inode && is_same(&file, &resolver->files.data[id])))
		id++;
	if (id == resolver->files.len)
		vec_push(&resolver->files, file);
	else
		close(fd);
	pthread_mutex_unlock(&resolver->mutex);
	return id;
}

/* --- questions and answers --------------------------------------------------------- */

void line_resolver_ask(
	struct line_resolver *resolver, uint32_t file, uint64_t vaddr, uint32_t cookie)
{
	pthread_mutex_lock(&resolver->mutex);
	vec_push(&resolver->questions,
		(struct question){.vaddr = vaddr, .file = file, .cookie = cookie});
	resolver->busy = true;
	pthread_cond_signal(&resolver->asked);
	if (!resolver->has_thread)
		resolver->has_thread = pthread_create(&resolver->thread, NULL,
					       resolver_main, resolver) == 0;
	if (!resolver->has_thread) { /* no lines then */
		resolver->questions.len = 0;
		resolver->busy = false;
	}
	pthread_mutex_unlock(&resolver->mutex);
}

bool line_resolver_take(struct line_resolver *resolver, struct line_answer *answer)
{
	pthread_mutex_lock(&resolver->mutex);
	bool found = resolver->next_answer < resolver->answers.len;
	if (found)
		*answer = resolver->answers.data[resolver->next_answer++];
	if (resolver->next_answer == resolver->answers.len)
		resolver->next_answer = resolver->answers.len = 0;
	pthread_mutex_unlock(&resolver->mutex);
	return found;
}

void line_answer_finish(struct line_answer *answer)
{
	for (uint32_t i = 0; i < answer->n_frames; i++) {
		free(answer->frames[i].name);
		free(answer->frames[i].file);
	}
	free(answer->frames);
	*answer = (struct line_answer){0};
}

bool line_resolver_wait(struct line_resolver *resolver, uint64_t limit_ns)
{
	struct timespec deadline = deadline_after(limit_ns);
	pthread_mutex_lock(&resolver->mutex);
	while (resolver->busy && pthread_cond_timedwait(&resolver->answered,
					 &resolver->mutex, &deadline) == 0)
		;
	bool done = !resolver->busy;
	pthread_mutex_unlock(&resolver->mutex);
	return done;
}
