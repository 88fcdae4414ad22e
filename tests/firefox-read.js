// SPDX-License-Identifier: GPL-2.0-or-later
// firefox-read.js FILE: what the Firefox Profiler makes of FILE, as lines
//
//	WEIGHTTYPE TOTAL SAMPLES TIMES		TIMES: how many different ones
//	SELF<TAB>TOTAL<TAB>NAME			one for each function of all threads
//	mark<TAB>MS<TAB>TEXT			one for each time mark, if there are any
//
// It reads version 60 of the processed format as src/types/profile.ts of
// https://github.com/firefox-devtools/profiler describes it, and complains of what its
// views could not follow: an index that leads nowhere, a column of another length, a stack
// before its prefix, times that go back.
'use strict';
const fs = require('fs');

const profile = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const faults = [];
const check = (holds, what) => {
	if (!holds && faults.length < 20)
		faults.push(what);
};

// Columns of a table, and what each refers to: a number of rows, or null for none.
const table = (name, rows, columns) => {
	check(Number.isInteger(rows.length), `${name} has a length`);
	for (const [column, range, optional] of columns) {
		const values = rows[column];
		check(Array.isArray(values) && values.length === rows.length, `${name}.${column} has as many values`);
		if (range === undefined)
			continue;
		for (const value of values || [])
			check(value === optional || (Number.isInteger(value) && value >= 0 && value < range),
				`${name}.${column}: ${value} is not below ${range}`);
	}
};

const {meta, libs, shared, threads} = profile;
const strings = shared.stringArray;
check(meta.preprocessedProfileVersion === 60, 'the version is 60');
check(meta.interval > 0 && meta.startTime >= 0, 'interval and start are times');
check(meta.categories.some(category => category.color === 'grey'), 'there is a category to fall back on');
check(meta.categories.every(category => category.subcategories.length), 'categories have parts');
check(strings.every(text => typeof text === 'string'), 'strings are texts');
check(new Set(strings).size === strings.length, 'no string twice');
for (const lib of libs)
	for (const key of ['arch', 'name', 'path', 'debugName', 'debugPath', 'breakpadId'])
		check(typeof lib[key] === 'string', `a library has ${key}`);

table('stackTable', shared.stackTable, [['prefix', shared.stackTable.length, null],
	['frame', shared.frameTable.length]]);
shared.stackTable.prefix.forEach((prefix, i) => check(prefix === null || prefix < i, `stack ${i} comes after its prefix`));
table('frameTable', shared.frameTable, [['address'], ['inlineDepth'], ['category', meta.categories.length],
	['subcategory', 1], ['func', shared.funcTable.length], ['nativeSymbol', 0, null], ['innerWindowID'],
	['line'], ['column']]);
table('funcTable', shared.funcTable, [['name', strings.length], ['isJS'], ['relevantForJS'],
	['resource', shared.resourceTable.length, -1], ['source', shared.sources.length, null],
	['lineNumber'], ['columnNumber']]);
table('resourceTable', shared.resourceTable, [['lib', libs.length], ['name', strings.length],
	['host', 0, null], ['type']]);
table('sources', shared.sources, [['id'], ['filename', strings.length]]);
table('nativeSymbols', shared.nativeSymbols, [['libIndex'], ['address'], ['name'], ['functionSize']]);

const self = new Map(), total = new Map();
const add = (sums, name, value) => sums.set(name, (sums.get(name) || 0) + value);
const times = new Set(), marks = [];
let sum = 0, count = 0, type = 'none';
for (const thread of threads) {
	const {samples} = thread;
	check(typeof thread.name === 'string' && typeof thread.pid === 'string', 'a thread has a name and a process');
	table('markers', thread.markers, [['data'], ['name', strings.length], ['startTime'], ['endTime'], ['phase'], ['category']]);
	table('samples', samples, [['stack', shared.stackTable.length, null], ['time'], ['weight'],
		...(samples.threadCPUDelta ? [['threadCPUDelta']] : [])]);
	check(samples.length > 0, 'a thread has samples');
	type = samples.weightType;
	thread.markers.data.forEach((data, i) => {
		const schema = meta.markerSchema.find(row => row.name === data.type);
		check(schema && schema.fields.every(field => field.key in data), `marker ${i} is as its schema`);
		marks.push(`mark\t${thread.markers.startTime[i]}\t${data.text}`);
	});
	for (let i = 0; i < samples.length; i++) {
		check(i === 0 || samples.time[i - 1] <= samples.time[i], `${thread.name}: time goes on`);
		times.add(samples.time[i]);
		sum += samples.weight[i];
		count++;
		const seen = new Set();
		for (let at = samples.stack[i], leaf = true; at !== null; at = shared.stackTable.prefix[at], leaf = false) {
			const name = strings[shared.funcTable.name[shared.frameTable.func[shared.stackTable.frame[at]]]];
			if (leaf)
				add(self, name, samples.weight[i]);
			if (!seen.has(name))
				add(total, name, samples.weight[i]);
			seen.add(name);
		}
	}
}
console.log(`${type} ${sum.toFixed(3)} ${count} ${times.size}`);
for (const [name, value] of total)
	console.log(`${(self.get(name) || 0).toFixed(6)}\t${value.toFixed(6)}\t${name}`);
for (const mark of marks)
	console.log(mark);
faults.forEach(fault => console.error(`firefox-read: not so: ${fault}`));
process.exit(faults.length ? 1 : 0);
