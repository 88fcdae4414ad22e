/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg-script: what makes a flame graph of src/write/export-svg.c answer the mouse.
 *
 * ECMAScript as a constant text, to stand in a CDATA section. Without it, as in a viewer
 * that runs no scripts, the picture is whole and says names when the mouse rests.
 */
#ifndef CPROFTOP_SVG_SCRIPT_H
#define CPROFTOP_SVG_SCRIPT_H

extern const char svg_script[];

#endif
