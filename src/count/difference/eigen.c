/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/eigen.h"

#include <math.h>

enum {
	SWEEPS_MAX = 50 /* some eight are enough for any matrix */
};

/* Turn the numbers A and B of one row or column by the angle. */
static void turn(double *a, double *b, double cosine, double sine)
{
	double x = *a, y = *b;
	*a = cosine * x - sine * y;
	*b = sine * x + cosine * y;
}

/* Make element (P, Q) zero by a rotation in the plane of P and Q. */
static void rotate(double *matrix, size_t n, double *vectors, size_t p, size_t q)
{
	double between = matrix[p * n + q];
	if (between == 0)
		return;
	double half = (matrix[q * n + q] - matrix[p * n + p]) / (2 * between);
	double tangent = (half >= 0 ? 1 : -1) / (fabs(half) + sqrt(half * half + 1));
	double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
	for (size_t k = 0; k < n; k++)
		turn(&matrix[k * n + p], &matrix[k * n + q], cosine, sine);
	for (size_t k = 0; k < n; k++)
		turn(&matrix[p * n + k], &matrix[q * n + k], cosine, sine);
	for (size_t k = 0; k < n; k++)
		turn(&vectors[p * n + k], &vectors[q * n + k], cosine, sine);
}

static void swap_rows(double *vectors, size_t n, size_t i, size_t j)
{
	for (size_t k = 0; k < n; k++) {
		double kept = vectors[i * n + k];
		vectors[i * n + k] = vectors[j * n + k];
		vectors[j * n + k] = kept;
	}
}

static void sort_by_value(double *values, double *vectors, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t largest = i;
		for (size_t j = i + 1; j < n; j++)
			if (values[j] > values[largest])
				largest = j;
		double kept = values[i];
		values[i] = values[largest];
		values[largest] = kept;
		if (largest != i)
			swap_rows(vectors, n, i, largest);
	}
}

void eigen_symmetric(double *matrix, size_t n, double *values, double *vectors)
{
	for (size_t i = 0; i < n * n; i++)
		vectors[i] = i / n == i % n;
	for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		double outside = 0, all = 0;
		for (size_t i = 0; i < n * n; i++) {
			all += matrix[i] * matrix[i];
			outside += i / n == i % n ? 0 : matrix[i] * matrix[i];
		}
		if (outside <= 1e-20 * all)
			break;
		for (size_t p = 0; p < n; p++)
			for (size_t q = p + 1; q < n; q++)
				rotate(matrix, n, vectors, p, q);
	}
	for (size_t i = 0; i < n; i++)
		values[i] = matrix[i * n + i];
	sort_by_value(values, vectors, n);
}
