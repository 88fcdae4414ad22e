// SPDX-License-Identifier: GPL-2.0-or-later
// As tests/targets/callers.py, for JavaScript: a function ID__A_B may be called by A and by B
// only, from a line on which its ID stands.
//
//	node callers.js SECONDS
'use strict';
const end = Date.now() + 1000 * Number(process.argv[2] || 10);

function work__first_second_inner_coinner_bykey_bymatch_caught_made_got_fresh_tick(n) {
	let total = 0;
	for (let i = 0; i < n; i++)
		total += i * i % 7;
	return total;
}
const work = work__first_second_inner_coinner_bykey_bymatch_caught_made_got_fresh_tick;

function first__recursion_second_raising_inner(depth, boom) {
	if (depth <= 0) {
		if (boom)
			throw new Error('boom');
		return work(8);
	}
	return second__first(depth - 1, boom);
}

function second__first(depth, boom) {
	try {
		return depth <= 0 ? work(8) : first(depth - 1, boom);
	} finally {
		depth = null;
	}
}
const first = first__recursion_second_raising_inner;

function recursion__loop() {
	return first(1 + Math.floor(Math.random() * 60), false);
}

function raising__loop() {
	try {
		return first(1 + Math.floor(Math.random() * 30), true);
	} catch (error) {
		return caught__raising(error);
	}
}

function caught__raising(error) {
	return error.stack.length + work(5);
}

function* outer__generators(n) {
	yield* inner__outer_generators(n);
}

function* inner__outer_generators(n) {
	for (let i = 0; i < n; i++) {
		if (i === 3)
			first(5, false);
		yield work(9);
	}
}

function generators__loop() {
	let total = 0;
	for (const x of outer__generators(10))
		total += x;
	return total;
}

async function coouter__asynchronous(n) {
	let total = 0;
	for (let i = 0; i < n; i++)
		total += await coinner__coouter_lib(i);
	return total;
}

async function coinner__coouter_lib(i) {
	if (i % 3 === 0)
		await null;
	return work(20);
}

function bykey__callbacks(a, b) {
	return work(3) + a - b;
}

function callbacks__loop() {
	const numbers = [5, 3, 8, 1, 9, 2].sort(bykey__callbacks);
	return numbers.map((x) => x + 1).reduce(byreduce__callbacks);
}

function byreduce__callbacks(a, b) {
	return a + b;
}

function bymatch__matching(match) {
	return String(work(4));
}

function matching__loop() {
	return 'a1b22c333d4'.replace(/\d+/g, bymatch__matching);
}

const document = JSON.stringify(Array.from({length: 15}, (_, i) => ({a: i, b: [1, 2, {c: null}]})));

function byrevive__parsing_lib(key, value) {
	return value;
}

function parsing__loop() {
	return JSON.parse(document, byrevive__parsing_lib);
}

class Thing {
	constructor(n) {
		this.n = made__Thing(n);
	}
	get part() {
		return got__part(this.n);
	}
}

function made__Thing(n) {
	return work(n);
}

function got__part(n) {
	return work(6);
}

function objects__loop() {
	const several = [1, 2, 3].map((n) => new Thing(n));
	return several.reduce((sum, one) => sum + one.part, 0);
}

// Functions that live for a moment only.
function closures__loop() {
	let total = 0;
	for (let i = 0; i < 20; i++) {
		const fresh__closures = function fresh__closures(x) {
			return work(x);
		};
		total += fresh__closures(i) + fresh__closures(3);
	}
	return total;
}

function code__loop() {
	const number = Math.floor(Math.random() * 10000);
	const made = new Function('n', 'let t = 0; for (let i = 0; i < n; i++) t += i; return t;');
	return made(200) + number;
}

function garbage__loop() {
	return Array.from({length: 200}, (_, i) => ({i, text: 'x' + i})).length;
}

const parts = [recursion__loop, raising__loop, generators__loop, callbacks__loop, matching__loop,
	parsing__loop, objects__loop, closures__loop, code__loop, garbage__loop];

async function asynchronous__loop() {
	await coouter__asynchronous(6);
}

async function loop__main_lib() {
	while (Date.now() < end) {
		for (let i = 0; i < 50; i++)
			parts[Math.floor(Math.random() * parts.length)]();
		await asynchronous__loop();
	}
}

console.log('ready');
loop__main_lib();
