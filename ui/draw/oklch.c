/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/oklch.h"

#include <math.h>
#include <stdbool.h>

enum {
	CUBE_FROM = 16, /* the first colour of the cube, */
	GREY_FROM = 232 /* and of the greys */
};

struct linear {
	double red, green, blue; /* light, 0 to 1 on a screen */
};

static double to_light(unsigned part)
{
	double value = part / 255.0;
	return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t from_light(double light)
{
	double value =
		light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055;
	return value <= 0 ? 0 : value >= 1 ? 255 : (uint32_t)lround(value * 255);
}

static struct linear linear_of_rgb(uint32_t rgb)
{
	return (struct linear){
		to_light(rgb >> 16 & 255), to_light(rgb >> 8 & 255), to_light(rgb & 255)};
}

/* The matrices are Ottosson's. */
static struct linear linear_of_oklab(struct oklab lab)
{
	double l = pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
	double m = pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
	double s = pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);

	return (struct linear){
		4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
		-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
		-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
	};
}

struct oklab oklab_of_rgb(uint32_t rgb)
{
	struct linear from = linear_of_rgb(rgb);
	double l = cbrt(0.4122214708 * from.red + 0.5363325363 * from.green +
			0.0514459929 * from.blue);
	double m = cbrt(0.2119034982 * from.red + 0.6806995451 * from.green +
			0.1073969566 * from.blue);
	double s = cbrt(0.0883024619 * from.red + 0.2817188376 * from.green +
			0.6299787005 * from.blue);

	return (struct oklab){
		0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
	};
}

static bool is_on_screens(const struct linear *colour)
{
	const double parts[] = {colour->red, colour->green, colour->blue};

	for (int i = 0; i < 3; i++)
		if (parts[i] < -0.0001 || parts[i] > 1.0001)
			return false;
	return true;
}

static struct linear linear_of(struct oklch colour)
{
	double radians = colour.hue * 3.14159265358979 / 180;

	return linear_of_oklab((struct oklab){colour.lightness,
		colour.chroma * cos(radians), colour.chroma * sin(radians)});
}

uint32_t oklch_rgb(struct oklch colour)
{
	struct linear light = linear_of(colour);

	while (colour.chroma > 0 && !is_on_screens(&light)) {
		colour.chroma -= 0.001;
		light = linear_of(colour);
	}
	return from_light(light.red) << 16 | from_light(light.green) << 8 |
	       from_light(light.blue);
}

double rgb_luminance(uint32_t rgb)
{
	struct linear light = linear_of_rgb(rgb);
	return 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue;
}

double rgb_contrast(uint32_t one, uint32_t other)
{
	double a = rgb_luminance(one), b = rgb_luminance(other);
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

double rgb_distance(uint32_t one, uint32_t other)
{
	struct oklab a = oklab_of_rgb(one), b = oklab_of_rgb(other);
	return sqrt(pow(a.lightness - b.lightness, 2) + pow(a.a - b.a, 2) +
		    pow(a.b - b.b, 2));
}

uint32_t rgb_of_256(int index)
{
	uint32_t rgb = 0;

	if (index >= GREY_FROM)
		return (uint32_t)(8 + (index - GREY_FROM) * 10) * 0x010101;
	for (int part = 36, rest = index - CUBE_FROM; part > 0; rest %= part, part /= 6)
		rgb = rgb << 8 | (uint32_t)(rest / part ? 55 + 40 * (rest / part) : 0);
	return rgb;
}

int rgb_nearest_256(uint32_t rgb)
{
	int nearest = CUBE_FROM;
	double least = INFINITY;

	for (int index = CUBE_FROM; index < 256; index++) {
		double distance = rgb_distance(rgb, rgb_of_256(index));
		if (distance < least) {
			least = distance;
			nearest = index;
		}
	}
	return nearest;
}
