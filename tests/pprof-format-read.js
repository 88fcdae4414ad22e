// SPDX-License-Identifier: GPL-2.0-or-later
// pprof-format-read.js PACKAGE FILE: what npm's pprof-format makes of a pprof file, for each
// sample the stack as folded stacks have it, and its CPU time in nanoseconds.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const [where, file] = process.argv.slice(2);
const {Profile} = require(where);
const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)));
const text = (index) => profile.stringTable.strings[Number(index)];
const byId = (list) => new Map(list.map((entry) => [Number(entry.id), entry]));
const locations = byId(profile.location), functions = byId(profile.function);

for (const sample of profile.sample) {
	const frames = [];
	for (const id of sample.locationId)
		for (const line of locations.get(Number(id)).line)
			frames.push(text(functions.get(Number(line.functionId)).name).replace(/;/g, ':'));
	console.log(`${frames.reverse().join(';')} ${sample.value[sample.value.length - 1]}`);
}
