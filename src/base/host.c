/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/host.h"

#include <dlfcn.h>
#include <langinfo.h>
#include <link.h>
#include <locale.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

enum {
	USER_BYTES = 4096 /* of one entry of the list of users */
};

/* The first object that is listed is the program itself. */
static int look_for_interpreter(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(bool *)found = true;
	return 1;
}

bool host_loads_objects(void)
{
	bool has_interpreter = false;
	dl_iterate_phdr(look_for_interpreter, &has_interpreter);
	return has_interpreter;
}

bool host_find_function(void *handle, const char *name, void *out)
{
	void *found = dlsym(handle, name);
	memcpy(out, &found, sizeof(found));
	return found != NULL;
}

/* The entry for UID of /etc/passwd, or NULL. */
static struct passwd *listed_user(
	uid_t uid, struct passwd *entry, char *buffer, size_t size)
{
	struct passwd *found = NULL;
	FILE *list = fopen("/etc/passwd", "re");
	if (!list)
		return NULL;
	while (fgetpwent_r(list, entry, buffer, size, &found) == 0 &&
		found->pw_uid != uid)
		found = NULL;
	fclose(list);
	return found;
}

static struct passwd *find_user(
	uid_t uid, struct passwd *entry, char *buffer, size_t size)
{
	struct passwd *found = NULL;
	if (!host_loads_objects())
		return listed_user(uid, entry, buffer, size);
	return getpwuid_r(uid, entry, buffer, size, &found) == 0 ? found : NULL;
}

bool host_user_name(uid_t uid, char *out, size_t size)
{
	char buffer[USER_BYTES];
	struct passwd entry;
	const struct passwd *found = find_user(uid, &entry, buffer, sizeof(buffer));
	if (found)
		snprintf(out, size, "%s", found->pw_name);
	return found != NULL;
}

bool host_user(uid_t uid, struct host_user *user)
{
	char buffer[USER_BYTES];
	struct passwd entry;
	const struct passwd *found = find_user(uid, &entry, buffer, sizeof(buffer));
	if (!found)
		return false;
	user->gid = found->pw_gid;
	snprintf(user->name, sizeof(user->name), "%s", found->pw_name);
	snprintf(user->home, sizeof(user->home), "%s", found->pw_dir);
	return true;
}

void host_set_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (!host_loads_objects() && strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C");
}
