/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, const char *format, ...)
{
	if (!err)
		return false;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return false;
}

bool error_errno(struct error *err, int errnum, const char *format, ...)
{
	if (!err)
		return false;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(errnum));
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	if (!err)
		return false;
	struct error reason = *err;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", reason.text);
	return false;
}
