// SPDX-License-Identifier: GPL-2.0-or-later
// Three functions, and after each round which part of the CPU time each has used so far.
'use strict';

function mix(n) {
	let x = 1;
	for (let i = 0; i < n; i++)
		x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
	return x;
}

function fifty() {
	return mix(3000);
}

function thirty() {
	return Array.from({length: 100}, (_, i) => i * 7919 % 100).sort((a, b) => b - a)[0];
}

function twenty() {
	return 'word '.repeat(50).replace(/\w+/g, (word) => String(word.length + mix(10)));
}

function used() {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
}

const shares = [[fifty, 50], [thirty, 30], [twenty, 20]];
const spent = new Map(shares.map(([work]) => [work, 0]));
console.log('ready');
for (;;) {
	for (const [work, ms] of shares) {
		const begin = used();
		let end;
		do {
			for (let i = 0; i < 50; i++)
				work();
			end = used();
		} while (end < begin + ms);
		spent.set(work, spent.get(work) + end - begin);
	}
	const all = [...spent.values()].reduce((sum, time) => sum + time);
	for (const [work, time] of spent)
		console.log(`truth ${work.name} ${(100 * time / all).toFixed(2)}`);
}
