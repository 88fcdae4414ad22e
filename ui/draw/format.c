/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/format.h"

#include "src/base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 1, 2))) static struct format print(const char *format, ...)
{
	struct format out;
	va_list args;
	va_start(args, format);
	vsnprintf(out.text, sizeof(out.text), format, args);
	va_end(args);
	return out;
}

struct format format_share(double share)
{
	double percent = share * 100;

	if (!isfinite(percent) || percent < 0)
		return print("-");
	if (percent == 0)
		return print("0.0%%");
	if (percent < 0.05)
		return print("<0.1%%");
	if (percent < 999.95)
		return print("%.1f%%", percent);
	return percent < 99999.5 ? print("%.0f%%", percent) : print(">9999%%");
}

struct format format_percent(uint64_t part, uint64_t whole)
{
	return whole == 0 ? print("-") : format_share((double)part / (double)whole);
}

struct format format_seconds(uint64_t ns)
{
	double seconds = (double)ns / (double)NS_PER_SEC;

	if (seconds < 999.995)
		return print("%.2fs", seconds);
	if (seconds < 9999.95)
		return print("%.1fs", seconds);
	return seconds < 999999.5 ? print("%.0fs", seconds) : format_duration(ns);
}

/* VALUE with three digits: 1.23, 12.3, 123. The limits are where rounding would add a
   digit. */
static struct format three_digits(double value, const char *unit)
{
	if (value < 9.995)
		return print("%.2f%s", value, unit);
	if (value < 99.95)
		return print("%.1f%s", value, unit);
	return print("%.0f%s", value, unit);
}

struct format format_duration(uint64_t ns)
{
	static const struct {
		uint64_t per_minor;
		unsigned minors;
		char major, minor;
	} pairs[] = {
		{NS_PER_SEC, 60, 'm', 's'},
		{60 * NS_PER_SEC, 60, 'h', 'm'},
		{3600 * NS_PER_SEC, 24, 'd', 'h'},
	};

	if (ns < 1000)
		return print("%u ns", (unsigned)ns);
	if (ns < 999500)
		return three_digits((double)ns / 1e3, " us");
	if (ns < 999500000)
		return three_digits((double)ns / 1e6, " ms");
	if (ns < 60 * NS_PER_SEC) {
		/* A whole number of seconds is written without decimals: "30 s". */
		if (ns % NS_PER_SEC == 0)
			return print("%u s", (unsigned)(ns / NS_PER_SEC));
		return print("%.1f s", (double)ns / 1e9);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint64_t minors = ns / pairs[i].per_minor;
		uint64_t majors = minors / pairs[i].minors;
		unsigned limit = i + 1 < sizeof(pairs) / sizeof(pairs[0])
					 ? pairs[i + 1].minors
					 : 1000;
		if (majors < limit)
			return print("%u%c%02u%c", (unsigned)majors, pairs[i].major,
				(unsigned)(minors % pairs[i].minors), pairs[i].minor);
	}
	return print("%llud", (unsigned long long)(ns / (86400 * NS_PER_SEC)));
}

struct format format_count(uint64_t count)
{
	static const char units[] = "kMGTPE";
	double value = (double)count / 1000;
	size_t unit = 0;

	if (count <= 99999)
		return print("%u", (unsigned)count);
	for (; value >= 999.95 && units[unit + 1]; unit++)
		value /= 1000;
	return print("%.1f%c", value, units[unit]);
}

struct format format_bytes(uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 1024)
		return print("%uB", (unsigned)bytes);
	for (; value >= 999.5 && units[unit + 1]; unit++)
		value /= 1024;
	return value < 99.95 ? print("%.1f%c", value, units[unit])
			     : print("%.0f%c", value, units[unit]);
}

struct format format_value(enum value_kind kind, uint64_t value)
{
	switch (kind) {
	case VALUE_BYTES:
		return format_bytes(value);
	case VALUE_COUNT:
		return format_count(value);
	default:
		return format_seconds(value);
	}
}

struct format format_rate(double achieved_hz, uint64_t asked_hz)
{
	if (!isfinite(achieved_hz) || achieved_hz < 0)
		achieved_hz = 0;
	if (achieved_hz > 99999)
		achieved_hz = 99999;
	return print("%.0f/%llu Hz", achieved_hz, (unsigned long long)asked_hz);
}
