// SPDX-License-Identifier: GPL-2.0-or-later
// cpuprofile-read.js FILE: what VS Code and Chrome DevTools make of FILE, as lines
//
//	US SAMPLES			how long it lasted
//	SELF<TAB>TOTAL<TAB>NAME		microseconds, one for each function; recursion counts once
//
// VS Code goes by the times of samples (vscode-js-profile-core, src/cpu/model.ts), DevTools by the
// hits of nodes (front_end/models/cpu_profile/CPUProfileDataModel.ts). What is printed is the times;
// that the hits say something else is complained of, as is what the protocol does not allow
// (https://chromedevtools.github.io/devtools-protocol/v8/Profiler).
'use strict';
const fs = require('fs');

const profile = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const faults = [];
const check = (holds, what) => {
	if (!holds && faults.length < 20)
		faults.push(what);
};

const {nodes, samples, timeDeltas, startTime, endTime} = profile;
const byId = new Map(), parents = new Map();
for (const node of nodes) {
	const {id, callFrame: frame, hitCount, children, positionTicks} = node;
	check(Number.isInteger(id) && id > 0 && !byId.has(id), `node ${id}: its id is a number of its own`);
	byId.set(id, node);
	check(typeof frame.functionName === 'string' && typeof frame.url === 'string', `node ${id} has a function`);
	check(typeof frame.scriptId === 'string' && /^[0-9]+$/.test(frame.scriptId), `node ${id} has a script`);
	check(Number.isInteger(frame.lineNumber) && frame.lineNumber >= -1, `node ${id} has a line, from 0`);
	check(Number.isInteger(frame.columnNumber) && frame.columnNumber >= -1, `node ${id} has a column`);
	check(Number.isInteger(hitCount) && hitCount >= 0, `node ${id} has hits`);
	for (const {line, ticks} of positionTicks || [])
		check(Number.isInteger(line) && line > 0 && Number.isInteger(ticks) && ticks > 0, `node ${id} has ticks`);
	for (const child of children) {
		check(!parents.has(child), `node ${child} has one parent`);
		parents.set(child, id);
	}
}
check(nodes[0].callFrame.functionName === '(root)' && !parents.has(nodes[0].id), 'the first node is the root');
for (const id of byId.keys())
	check(id === nodes[0].id || byId.has(parents.get(id)), `node ${id} hangs under another one`);
for (const id of parents.keys())
	check(byId.has(id), `child ${id} is there`);
check([startTime, endTime].every(Number.isSafeInteger) && startTime <= endTime, 'it starts before it ends');
check(samples.length === timeDeltas.length, 'each sample has its time');
check(samples.every(id => byId.has(id)), 'each sample has its node');
check(timeDeltas.every(delta => Number.isSafeInteger(delta) && delta >= 0), 'time goes on');

const times = new Map(), self = new Map(), total = new Map();
const add = (sums, key, value) => sums.set(key, (sums.get(key) || 0) + value);
let left = endTime - startTime - (timeDeltas[0] || 0);
samples.forEach((id, i) => {
	const lasts = i + 1 < samples.length ? timeDeltas[i + 1] : left;
	add(times, id, lasts);
	left -= lasts;
});
const hits = nodes.reduce((sum, node) => sum + node.hitCount, 0) || 1;
for (const node of nodes) {
	const value = times.get(node.id) || 0, seen = new Set();
	const said = node.hitCount * (endTime - startTime) / hits;
	check(Math.abs(said - value) < 1e-6 * (endTime - startTime) + 0.5,
		`node ${node.id} has ${value} by time and ${said} by hits`);
	for (let id = node.id; id !== nodes[0].id; id = parents.get(id)) {
		const name = byId.get(id).callFrame.functionName;
		if (id === node.id)
			add(self, name, value);
		if (!seen.has(name))
			add(total, name, value);
		seen.add(name);
	}
}
console.log(`${endTime - startTime} ${samples.length}`);
for (const [name, value] of total)
	console.log(`${self.get(name) || 0}\t${value}\t${name}`);
faults.forEach(fault => console.error(`cpuprofile-read: not so: ${fault}`));
process.exit(faults.length ? 1 : 0);
