// SPDX-License-Identifier: GPL-2.0-or-later
// svg-play.js FILE PATTERN NAME: play with a flame graph as a browser would: search for PATTERN,
// click the box of the function NAME, press Escape. Prints what is on the screen, a line each:
// what matches; the width of the box, how many boxes are shown; how many are shown at last.
//
// node has no document, so the script gets one with the few names that it uses.
'use strict';
const fs = require('fs');
const vm = require('vm');

const [file, pattern, name] = process.argv.slice(2);
const svg = fs.readFileSync(file, 'utf8');
const plain = text => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

function element(attributes, text) {
	const listeners = {}, values = {...attributes};
	return {
		style: {}, textContent: text || '', values,
		addEventListener(kind, listener) { listeners[kind] = listener; },
		fire(kind, event) { listeners[kind](event); },
		getAttribute: key => values[key],
		setAttribute(key, value) { values[key] = value; },
	};
}

const groups = [];
const shape = /<g class="f"><title>(.*?)<\/title><rect x="(.*?)" y="(.*?)" width="(.*?)" height="\d+" fill="(.*?)"\/><text x="(.*?)" y="\d+">(.*?)<\/text><\/g>/g;
for (const [, title, x, y, width, fill, at, label] of svg.matchAll(shape)) {
	const parts = {
		title: [element({}, plain(title))],
		rect: [element({x, y, width, fill})],
		text: [element({x: at}, plain(label))],
	};
	groups.push({...element({}), parts, getElementsByTagName: kind => parts[kind]});
}
const named = Object.fromEntries(['details', 'matched', 'unzoom', 'search'].map(id => [id, element({})]));
const window = element({});
vm.runInNewContext(/<!\[CDATA\[([\s\S]*)\]\]>/.exec(svg)[1], {
	window,
	prompt: () => pattern,
	document: {
		documentElement: {viewBox: {baseVal: {width: 1200}}},
		getElementById: id => named[id],
		getElementsByClassName: () => groups,
	},
});

const shown = () => groups.filter(group => group.style.display !== 'none').length;
window.fire('keydown', {key: 'F3', preventDefault() {}});
console.log(named.matched.textContent);
const box = groups.find(group => group.parts.title[0].textContent.startsWith(`${name} (`));
box.fire('mouseover');
console.log(named.details.textContent);
box.fire('click');
console.log(`${box.parts.rect[0].values.width} ${shown()}`);
window.fire('keydown', {key: 'Escape'});
console.log(`${shown()} of ${groups.length}`);
