/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eigen: the eigenvalues and eigenvectors of a small symmetric matrix (Jacobi's method).
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_EIGEN_H
#define CPROFTOP_EIGEN_H

#include <stddef.h>

/* MATRIX has N rows of N and is overwritten. VALUES get the N eigenvalues, largest first;
   row i of VECTORS (N of N) is the eigenvector of VALUES[i], of length 1. */
void eigen_symmetric(double *matrix, size_t n, double *values, double *vectors);

#endif
