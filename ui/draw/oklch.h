/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oklch: colours by lightness, chroma and hue, as they are seen.
 *
 * OKLCH is OKLab in polar coordinates (Björn Ottosson, "A perceptual color space for image
 * processing", 2020): colours of the same lightness look equally light, which those of the
 * same brightness in RGB do not. Contrast is that of WCAG 2.1: from 1 to 21, and 4.5 is the
 * least for text. RGB is sRGB, 0xrrggbb. Pure. Any thread.
 */
#ifndef CPROFTOP_UI_OKLCH_H
#define CPROFTOP_UI_OKLCH_H

#include <stdint.h>

struct oklch {
	double lightness; /* 0 is black, 1 is white */
	double chroma;	  /* 0 is grey; a screen has up to some 0.3 */
	double hue;	  /* degrees: 30 red, 110 yellow, 140 green, 260 blue */
};

struct oklab {
	double lightness, a, b;
};

/* The colour of a screen; if no screen has it, the one with as much chroma as there is. */
uint32_t oklch_rgb(struct oklch colour);

struct oklab oklab_of_rgb(uint32_t rgb);
double rgb_luminance(uint32_t rgb); /* 0 to 1 */
double rgb_contrast(uint32_t one, uint32_t other);

/* How different two colours look: the distance in OKLab. Black and white are 1 apart; less
   than 0.02 is hard to see. */
double rgb_distance(uint32_t one, uint32_t other);

/* The colours 16 to 255 of a terminal of 256, which are xterm's cube of 6 x 6 x 6 and its
   ramp of greys everywhere; those below 16 are a person's own choice. */
uint32_t rgb_of_256(int index);
int rgb_nearest_256(uint32_t rgb);

#endif
