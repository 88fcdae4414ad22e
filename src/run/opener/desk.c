/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/desk.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/packet.h"
#include "src/base/regular-file.h"
#include "src/process/maps.h"
#include "src/process/memory.h"
#include "src/process/proc-dir.h"
#include "src/read/elf/elf-image.h"
#include "src/read/names/perf-map.h"
#include "src/read/runtimes/v8/v8-map-file.h"
#include "src/read/space/mapped-file.h"
#include "src/run/opener/entries.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One question, and what becomes of it. */
struct asked {
	struct opener_question question;
	const char *text; /* the first one */
	size_t length;	  /* of all texts, each with its NUL */
	int proc_fd;	  /* of the process in question; -1: none */
	struct opener_answer answer;
	size_t out_length; /* of the desk's OUT */
	int fd;		   /* to be handed over, and closed; -1: none */
};

/* --- entries of a process -------------------------------------------------------------- */

static int answer_open(struct desk *desk, struct asked *asked)
{
	bool is_folder = false;
	(void)desk;
	if (asked->proc_fd < 0 ? !entries_is_public(asked->text)
			       : !entries_may_open(asked->text, &is_folder))
		return EACCES;
	asked->fd = openat(asked->proc_fd, asked->text,
		O_RDONLY | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
	return asked->fd < 0 ? errno : 0;
}

static bool is_there(int proc_fd, const char *entry)
{
	struct stat status;
	return fstatat(proc_fd, entry, &status, 0) == 0;
}

static int answer_exists(struct desk *desk, struct asked *asked)
{
	(void)desk;
	if (!entries_may_look_for(asked->text))
		return EACCES;
	return is_there(asked->proc_fd, asked->text) ? 0 : ENOENT;
}

static int answer_links(struct desk *desk, struct asked *asked)
{
	const char *at = asked->text, *end = asked->text + asked->length;
	size_t count = 0;
	for (; at < end; at += strlen(at) + 1)
		if (++count > OPENER_LINKS_MAX || !entries_may_follow(at))
			return EACCES;
	asked->answer.number = (int32_t)opener_packet_links(asked->proc_fd, asked->text,
		count, desk->out, sizeof(desk->out), &asked->out_length,
		&asked->answer.link_errnum);
	return 0;
}

/* By calls: of a thread of this process and no other, before and after. */
static int answer_memory(struct desk *desk, struct asked *asked)
{
	char thread[32];
	const struct opener_question *question = &asked->question;
	snprintf(thread, sizeof(thread), "task/%d", question->number);
	if (question->number <= 0 || question->length > sizeof(desk->out) ||
		!is_there(asked->proc_fd, thread))
		return EACCES;
	ssize_t got = memory_read(memory_by_calls(question->number), desk->out,
		question->length, question->address);
	int errnum = errno;
	if (!is_there(asked->proc_fd, thread))
		return ESRCH;
	asked->out_length = got > 0 ? (size_t)got : 0;
	return got < 0 ? errnum : 0;
}

/* --- what is mapped -------------------------------------------------------------------- */

/* Does the text at LINE's path end with, or (IS_WHOLE) is it PATH? */
static bool has_path(const struct maps_line *line, const char *path, bool is_whole)
{
	size_t length = strlen(path);
	return line->path_length >= length &&
	       (!is_whole || line->path_length == length) &&
	       memcmp(line->path + line->path_length - length, path, length) == 0;
}

/* The code in the maps TEXT of which FILE says the path and, unless it is 0, the inode. */
static bool find_code(const char *text, size_t length, const struct mapped_file *file,
	struct maps_line *line)
{
	const char *cursor = text;
	while (maps_next(&cursor, text + length, line))
		if (line->permissions[2] == 'x' && line->inode != 0 &&
			has_path(line, file->path, file->inode != 0) &&
			(file->inode == 0 || (line->inode == file->inode &&
						     line->dev_major == file->dev_major &&
						     line->dev_minor == file->dev_minor)))
			return true;
	return false;
}

static int answer_mapped(struct desk *desk, struct asked *asked)
{
	const struct opener_question *question = &asked->question;
	struct mapped_file file = {.dev_major = question->dev_major,
		.dev_minor = question->dev_minor,
		.inode = question->inode,
		.path = asked->text};
	struct proc_dir dir;
	struct maps_line line;
	size_t length = 0;
	proc_dir_init(&dir, asked->proc_fd);
	char *text = proc_dir_read_maps(&dir, &length);
	if (file.inode == 0 || !text || !find_code(text, length, &file, &line)) {
		free(text);
		return ESTALE;
	}
	file.start = line.start; /* of the kernel's text, whatever was told */
	file.limit = line.limit;
	asked->fd = mapped_file_open(&dir, &file, NULL);
	int errnum = asked->fd < 0 ? errno : 0;
	if (asked->fd >= 0)
		granted_add_path(desk->granted, file.path);
	free(text);
	return errnum;
}

static int answer_exe(struct desk *desk, struct asked *asked)
{
	struct proc_dir dir;
	struct mapped_file exe;
	size_t length;
	(void)desk;
	proc_dir_init(&dir, asked->proc_fd);
	free(proc_dir_read_maps(&dir, &length)); /* says where there is one */
	if (!mapped_file_identify_exe(&dir, &exe))
		return ENOENT;
	asked->answer.dev_major = exe.dev_major;
	asked->answer.dev_minor = exe.dev_minor;
	asked->answer.inode = exe.inode;
	return 0;
}

/* --- files ----------------------------------------------------------------------------- */

/* What is below the folder DIR of LENGTH bytes by PATH; NULL: it is not. */
static const char *below(const char *path, const char *dir, size_t length)
{
	while (length > 1 && dir[length - 1] == '/')
		length--;
	if (length == 0 || strncmp(path, dir, length) != 0 || path[length] != '/')
		return NULL;
	path += length;
	return path + strspn(path, "/");
}

static int open_below(const char *path, const char *dir, size_t length)
{
	char folder[PATH_MAX];
	const char *rest = below(path, dir, length);
	if (!rest || strstr(rest, "..") || length >= sizeof(folder)) {
		errno = EACCES;
		return -1;
	}
	snprintf(folder, sizeof(folder), "%.*s", (int)length, dir);
	int dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -1;
	int fd = regular_file_open(dir_fd, rest, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	int errnum = errno;
	close(dir_fd);
	errno = errnum;
	return fd;
}

static int answer_debug(struct desk *desk, struct asked *asked)
{
	int errnum = EACCES;
	for (const char *dir = desk->debug_dirs; *dir && asked->fd < 0;) {
		size_t length = strcspn(dir, ":");
		asked->fd = open_below(asked->text, dir, length);
		errnum = errno != EACCES ? errno : errnum;
		dir += length + (dir[length] == ':');
	}
	return asked->fd < 0 ? errnum : 0;
}

static bool is_program(int fd)
{
	Elf64_Half type = ET_NONE;
	char magic[SELFMAG];
	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0 &&
	       pread(fd, &type, sizeof(type), offsetof(Elf64_Ehdr, e_type)) ==
		       (ssize_t)sizeof(type) &&
	       (type == ET_EXEC || type == ET_DYN);
}

/* Another file may have that name by now: it is a program, or nothing for who asks. */
static int answer_code(struct desk *desk, struct asked *asked)
{
	if (!granted_has_path(desk->granted, asked->text))
		return EACCES;
	int fd = regular_file_open(AT_FDCWD, asked->text, 0);
	if (fd < 0)
		return errno;
	if (!is_program(fd)) {
		close(fd);
		return EACCES;
	}
	asked->fd = fd;
	return 0;
}

static int answer_perf_map(struct desk *desk, struct asked *asked)
{
	struct proc_dir dir;
	(void)desk;
	proc_dir_init(&dir, asked->proc_fd);
	asked->fd = perf_map_open(&dir, true, &asked->answer.number);
	return 0;
}

static int answer_source_map(struct desk *desk, struct asked *asked)
{
	struct proc_dir dir;
	if (!desk->source_maps)
		return EACCES;
	proc_dir_init(&dir, asked->proc_fd);
	asked->fd = v8_map_file_open(&dir, asked->text);
	return asked->fd < 0 ? errno : 0;
}

/* --- others ---------------------------------------------------------------------------- */

static int answer_worker(struct desk *desk, struct asked *asked)
{
	return begun_begin(&desk->begun, asked->text, desk->debug_dirs, &asked->fd);
}

/* --- the questions --------------------------------------------------------------------- */

enum needs {
	A_PROCESS = 1,
	A_TEXT = 2,
	TEXTS = 4,
};

static const struct {
	int (*answer)(struct desk *desk, struct asked *asked);
	unsigned needs;
} rules[OPENER_KINDS] = {
	[OPENER_OPEN] = {answer_open, A_TEXT},
	[OPENER_EXISTS] = {answer_exists, A_PROCESS | A_TEXT},
	[OPENER_LINKS] = {answer_links, A_PROCESS | TEXTS},
	[OPENER_MEMORY] = {answer_memory, A_PROCESS},
	[OPENER_MAPPED] = {answer_mapped, A_PROCESS | A_TEXT},
	[OPENER_EXE] = {answer_exe, A_PROCESS},
	[OPENER_DEBUG] = {answer_debug, A_TEXT},
	[OPENER_CODE] = {answer_code, A_TEXT},
	[OPENER_PERF_MAP] = {answer_perf_map, A_PROCESS},
	[OPENER_SOURCE_MAP] = {answer_source_map, A_PROCESS | A_TEXT},
	[OPENER_WORKER] = {answer_worker, A_TEXT},
};

/* A text ends within the packet, and is not the empty one. */
static bool has_texts(const struct asked *asked, unsigned needs)
{
	if (!(needs & (A_TEXT | TEXTS)))
		return asked->length == 0;
	return asked->length > 1 && asked->text[asked->length - 1] == '\0' &&
	       asked->text[0] &&
	       ((needs & TEXTS) || strlen(asked->text) + 1 == asked->length);
}

static int judge(struct desk *desk, struct asked *asked)
{
	const struct opener_question *question = &asked->question;
	if (question->kind >= OPENER_KINDS ||
		!has_texts(asked, rules[question->kind].needs))
		return EACCES;
	bool is_named = question->device || question->folder;
	if (is_named)
		asked->proc_fd = granted_process(
			desk->granted, question->device, question->folder);
	bool needs_process = is_named || rules[question->kind].needs & A_PROCESS;
	if (needs_process && asked->proc_fd < 0)
		return EACCES;
	return rules[question->kind].answer(desk, asked);
}

/* Where /proc hides processes of others (hidepid), the reader cannot say which folder it has, and
   sends it. Closes FOLDER_FD. */
static void look_at(int folder_fd, struct opener_question *question)
{
	struct stat folder;
	bool shows = fstat(folder_fd, &folder) == 0;
	question->device = shows ? folder.st_dev : 0;
	question->folder = shows ? folder.st_ino : 0;
	close(folder_fd);
}

void desk_serve(struct desk *desk)
{
	bool is_heard = true;
	while (is_heard) {
		struct asked asked = {.text = desk->texts, .proc_fd = -1, .fd = -1};
		int folder_fd = -1;
		ssize_t length = packet_receive(desk->socket, PACKET_WAIT,
			&asked.question, sizeof(asked.question), desk->texts,
			sizeof(desk->texts), &folder_fd);
		if (folder_fd >= 0)
			look_at(folder_fd, &asked.question);
		if (length == -1)
			break;
		asked.length = length > 0 ? (size_t)length : 0;
		asked.answer.errnum = length < 0 ? EACCES : judge(desk, &asked);
		is_heard = packet_send(desk->socket, PACKET_WAIT, &asked.answer,
			sizeof(asked.answer), desk->out, asked.out_length, asked.fd);
		if (asked.fd >= 0)
			close(asked.fd);
		if (asked.proc_fd >= 0)
			close(asked.proc_fd);
	}
}

void desk_finish(struct desk *desk)
{
	begun_finish(&desk->begun);
	close(desk->socket);
}
