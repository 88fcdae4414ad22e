// SPDX-License-Identifier: GPL-2.0-or-later
// Recursion that V8 soon compiles, and a sort with a comparator.
'use strict';

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function sorted(seed) {
	const numbers = Array.from({length: 200}, (_, i) => (i * seed) % 1009);
	return numbers.sort((a, b) => a - b)[0];
}

require('fs').writeSync(1, 'ready\n');
for (let total = 0, seed = 7919;; seed++)
	total += fib(14) + sorted(seed);
