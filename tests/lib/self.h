/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * self: this process as the target of an address space.
 */
#ifndef CPROFTOP_TESTS_SELF_H
#define CPROFTOP_TESTS_SELF_H

#include "tests/lib/unit.h"

#include "src/facts/profile.h"
#include "src/read/space/address-space.h"

#include <fcntl.h>
#include <string.h>

struct self {
	struct profile *profile;
	struct address_space *space;
};

static inline struct self self_open(void)
{
	struct error err = {.text = ""};
	struct self self = {.profile = profile_create()};
	int fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	self.space = address_space_create(fd, self.profile, NULL, NULL, &err);
	if (!self.space)
		fail_msg("%s", err.text);
	return self;
}

static inline void self_finish(struct self *self)
{
	address_space_destroy(self->space);
	profile_unref(self->profile);
}

/* Pretend that these were its maps. */
static inline void self_parse(struct self *self, const char *text)
{
	assert_true(address_space_parse(self->space, text, strlen(text)));
}

static inline const struct mapping *self_mapping(
	const struct self *self, const struct region *region)
{
	assert_non_null(region);
	assert_int_not_equal(region->mapping, PROFILE_NONE);
	return profile_mapping(self->profile, region->mapping);
}

#endif
