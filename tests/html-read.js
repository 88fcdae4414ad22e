// SPDX-License-Identifier: GPL-2.0-or-later
// html-read.js FILE [THREAD [REGEX]]: what the scripts of an HTML flame graph make of its
// own data, without a page. THREAD is a name, "-" all of them. Prints
//
//	all TOTAL, deepest DEPTH
//	matched WEIGHT			of REGEX
//	reversed TOTAL
//	SELF<TAB>TOTAL<TAB>NAME		one for each function
//	caption TEXT
//	colour #RRGGBB NAME		one for each function
//
// and of a difference the changes of both, and "real" if one is more than noise.
'use strict';
const fs = require('fs');
const vm = require('vm');
const zlib = require('zlib');

const [file, thread, regex] = process.argv.slice(2);
const page = fs.readFileSync(file, 'utf8');
const data = /<script type="text\/plain" id="data">([^<]*)<\/script>/.exec(page);
const scripts = [...page.matchAll(/<script>\n([^]*?)<\/script>/g)];
if (!data || scripts.length !== 1) {
	console.error('html-read: this is no flame graph of ours');
	process.exit(1);
}
if (/(?:src|href)\s*=|https?:/i.test(page.replace(data[1], ''))) {
	console.error('html-read: the page refers to something outside');
	process.exit(1);
}
const sandbox = {TextDecoder, Uint8Array, Int32Array, Float64Array};
vm.runInNewContext(scripts[0][1], sandbox);
const bytes = new Uint8Array(zlib.gunzipSync(Buffer.from(data[1], 'base64')));
const profile = sandbox.readProfile(bytes);
const chosen = {thread: -1, module: -1, reverse: false};
if (thread && thread !== '-')
	chosen.thread = profile.threads.findIndex(name => name.startsWith(thread));
const tree = sandbox.buildTree(profile, chosen);
console.log(`all ${tree.total[0]}, deepest ${tree.rows.length - 1}`);

// What is drawn of each row: neither overlapping nor wider than what is below.
tree.rows.forEach((row, depth) => {
	let end = 0;
	row.forEach(node => {
		const parent = tree.parent[node];
		if (tree.start[node] < end || tree.depth[node] !== depth ||
			tree.start[node] + tree.total[node] > tree.start[parent] + tree.total[parent]) {
			console.error(`html-read: node ${node} does not lie on its caller`);
			process.exit(1);
		}
		end = tree.start[node] + tree.total[node];
	});
	let drawn = 0;
	sandbox.eachVisible(tree, row, 0, tree.total[0], 0, () => drawn++);
	if (drawn !== row.length) {
		console.error(`html-read: ${drawn} of ${row.length} are drawn at depth ${depth}`);
		process.exit(1);
	}
});
if (regex)
	console.log(`matched ${sandbox.matchedWeight(tree, sandbox.matching(profile, regex))}`);
if (profile.change) {
	// Changes add up along the tree, and the two sides are never less than nothing.
	tree.change.forEach((change, node) => {
		if (Math.abs(change) > tree.total[node] * (1 + 1e-9)) {
			console.error(`html-read: node ${node} changes by more than it is`);
			process.exit(1);
		}
	});
}
const other = sandbox.buildTree(profile, {...chosen, reverse: true});
console.log(`reversed ${other.total[0]}`);
for (const row of sandbox.tableOf(profile, chosen, tree))
	if (profile.change)
		console.log(`${Math.round(row.selfChange)}\t${Math.round(row.change)}\t` +
			`${profile.names[row.func]}${profile.realFunctions[row.func] ? '\treal' : ''}`);
	else
		console.log(`${row.self}\t${row.total}\t${profile.names[row.func]}`);
console.log(`caption ${profile.caption}`);
profile.names.forEach((name, i) =>
	console.log(`colour #${profile.colours[i].toString(16).padStart(6, '0')} ${name}`));
