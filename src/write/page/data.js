// SPDX-License-Identifier: GPL-2.0-or-later
// data.js: the bytes of src/write/page/page-data.h, read. Trees are arrays by node; a parent has a
// smaller number than its children, and 0 is the root of all.
'use strict';

// Whole numbers of seven bits a byte, and texts.
function Reader(bytes) {
	var at = 0, decoder = new TextDecoder();
	this.number = function () {
		var value = 0, scale = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		return value;
	};
	this.text = function () {
		var length = this.number();
		at += length;
		return decoder.decode(bytes.subarray(at - length, at));
	};
	this.column = function () {
		var count = this.number(), width = this.number(), scale = 1;
		var list = width < 4 ? new Int32Array(count) : new Float64Array(count);
		for (; width; width--, scale *= 256, at += count) {
			var part = bytes.subarray(at, at + count);
			for (var i = 0; i < count; i++)
				list[i] += part[i] * scale;
		}
		return list;
	};
	this.list = function (read) {
		var count = this.number(), list = [];
		for (var i = 0; i < count; i++)
			list.push(read(this));
		return list;
	};
}

// Who is whose caller, and which function each node is.
function readNodes(reader, profile) {
	var lengths = reader.column(), listed = reader.column(), lists = [], next = 0, i;
	for (i = 0; i < lengths.length; next += lengths[i++])
		lists.push(listed.subarray(next, next + lengths[i]));
	var levels = reader.column(), ranks = reader.column(), others = reader.column();
	var count = levels.length + 1, nextRank = 0, nextOther = 0;
	var parent = profile.parent = new Int32Array(count);
	var func = profile.func = new Int32Array(count);
	func[0] = profile.names.length; // the last caller
	for (i = 1; i < count; i++) {
		parent[i] = i - 1;
		for (var left = levels[i - 1]; left; left--)
			parent[i] = parent[parent[i]];
		var callees = lists[func[parent[i]]];
		func[i] = callees.length ? callees[ranks[nextRank++]] : others[nextOther++];
	}
	func[0] = -1;
}

// How many entries end in each node; a node without children has one at least.
function readEntries(reader, profile) {
	var nodes = profile.parent.length, ends = reader.column(), entry = 0;
	profile.thread = reader.column();
	profile.weight = readWeights(reader);
	profile.leaf = new Int32Array(profile.weight.length);
	for (var i = 0; i < nodes; i++) {
		var isLeaf = i > 0 && (i + 1 === nodes || profile.parent[i + 1] !== i);
		for (var left = ends[i] + isLeaf; left; left--)
			profile.leaf[entry++] = i;
	}
}

function readWeights(reader) {
	var unit = reader.number();
	return Float64Array.from(reader.column(), function (value) { return value * unit; });
}

// Of two profiles: from here on each weighs what both do together, and has a change.
function readBefore(reader, profile) {
	var before = readWeights(reader);
	profile.change = new Float64Array(before.length);
	for (var i = 0; i < before.length; i++) {
		before[i] *= profile.factor;
		profile.change[i] = profile.weight[i] - before[i];
		profile.weight[i] += before[i];
	}
	profile.realNodes = new Uint8Array(profile.func.length);
	reader.column().forEach(function (node) { profile.realNodes[node] = 1; });
}

function readProfile(bytes) {
	var reader = new Reader(bytes), profile = {
		title: reader.text(), caption: reader.text(), metric: reader.text(), kind: reader.number(),
		names: [], moduleOf: [], colours: [], change: null
	};
	var two = reader.number() === 2;
	if (two) {
		profile.factor = parseFloat(reader.text());
		profile.whole = parseFloat(reader.text());
		profile.absolute = reader.number() === 1;
		profile.realFunctions = []; // 1: what it spends itself, 2: its total
	}
	profile.modules = reader.list(function (r) { return r.text(); });
	reader.list(function (r) {
		profile.moduleOf.push(r.number());
		profile.names.push(r.text());
		profile.colours.push(r.number());
		if (two)
			profile.realFunctions.push(r.number());
	});
	profile.threads = reader.list(function (r) { return r.text(); });
	readNodes(reader, profile);
	readEntries(reader, profile);
	if (two)
		readBefore(reader, profile);
	// Names in their order, so that siblings can be sorted by a number.
	var order = profile.names.map(function (name, index) { return index; });
	order.sort(function (a, b) {
		return profile.names[a] < profile.names[b] ? -1 :
			profile.names[a] > profile.names[b] ? 1 : a - b;
	});
	profile.rank = new Int32Array(order.length);
	order.forEach(function (index, rank) { profile.rank[index] = rank; });
	return profile;
}
