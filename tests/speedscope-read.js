// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope-read.js BUNDLE FILE [calls]: what speedscope makes of FILE, as lines
//
//	unit TOTAL			the unit of the weights and their sum
//	SELF<TAB>TOTAL<TAB>NAME		one for each frame
//
// or with "calls" what it draws from the left to the right, "NAME FROM TO" each.
//
// The npm package holds the web application as one script. Only its importer is wanted, so
// the script is stopped just before it draws its page, with the importer handed out; what
// it asks of a browser while it loads is a handful of names.
'use strict';
const fs = require('fs');
const vm = require('vm');

const [bundle, file, calls] = process.argv.slice(2);
const script = fs.readFileSync(bundle, 'utf8');
const importer = /importProfilesFromArrayBuffer:\(\)=>([\w$]+)/.exec(script);
const drawing = script.lastIndexOf('console.log(`speedscope v');
if (!importer || drawing < 0) {
	console.error('speedscope-read: this is not the bundle of speedscope 1.25');
	process.exit(1);
}

const element = () => ({style: {}, setAttribute() {}, appendChild() {}, getContext() {}});
const sandbox = {
	ArrayBuffer, Uint8Array, // else the file would be of another realm's types
	TextDecoder, TextEncoder, URL, clearTimeout, setTimeout,
	addEventListener() {},
	console: {log() {}, warn: console.error, error: console.error},
	devicePixelRatio: 1,
	document: {
		addEventListener() {},
		body: element(),
		createElement: element,
		createTextNode: element,
		getElementsByTagName: () => [],
		head: element(),
		querySelector: () => null,
	},
	location: {hash: '', href: 'http://localhost/', search: ''},
	navigator: {userAgent: ''},
};
sandbox.window = sandbox.self = sandbox;
try {
	vm.runInNewContext(script.slice(0, drawing) +
		`window.importFile = ${importer[1]}; return;` + script.slice(drawing), sandbox);
} catch (error) {
	// Not uncaught: node would show the line, which is the whole script.
	console.error(`speedscope-read: ${error.message}`);
	process.exit(1);
}

// Its parts initialise themselves in promises, which are through before an immediate runs.
setImmediate(async () => {
	const bytes = new Uint8Array(fs.readFileSync(file));
	const group = await sandbox.importFile(file, bytes.buffer).catch(error => {
		console.error(`speedscope-read: ${error.message}`);
	});
	for (const profile of group ? group.profiles : []) {
		if (calls) {
			const from = [];
			profile.forEachCall((node, at) => from.push(at),
				(node, at) => console.log(node.frame.name, from.pop(), at));
			continue;
		}
		console.log(`${profile.getWeightUnit()} ${profile.getTotalWeight()}`);
		profile.forEachFrame(frame => console.log(
			`${frame.getSelfWeight()}\t${frame.getTotalWeight()}\t${frame.name}`));
	}
	process.exit(group ? 0 : 1);
});
