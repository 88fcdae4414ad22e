// SPDX-License-Identifier: GPL-2.0-or-later
// model.js: a profile in a page (src/write/page/data.js), without anything that needs a page:
// choosing what counts, adding up, searching. tests/html-read.js runs it in node.
'use strict';

// Of each node: does its stack have a frame of this module?
function nodesOfModule(profile, module) {
	var has = new Uint8Array(profile.func.length);
	for (var i = 1; i < has.length; i++)
		has[i] = has[profile.parent[i]] ||
			+(profile.moduleOf[profile.func[i]] === module);
	return has;
}

// What each node has itself of WEIGHTS, one for each entry, of what is chosen: {thread,
// module}, -1: all.
function selfWeights(profile, chosen, weights) {
	var self = new Float64Array(profile.func.length);
	var has = chosen.module < 0 ? null : nodesOfModule(profile, chosen.module);
	for (var i = 0; i < profile.leaf.length; i++)
		if ((chosen.thread < 0 || profile.thread[i] === chosen.thread) &&
			(!has || has[profile.leaf[i]]))
			self[profile.leaf[i]] += weights[i];
	return self;
}

// Children by parent and function: a table of nodes, at most half full.
function Children(most) {
	var size = 1024;
	while (size < 2 * most)
		size *= 2;
	var places = new Int32Array(size), mask = size - 1;
	this.func = new Int32Array(most + 1);
	this.parent = new Int32Array(most + 1);
	this.func[0] = -1;
	this.count = 1;
	this.of = function (parent, func) {
		var place = Math.imul(Math.imul(parent, 0x9e3779b1) ^ func, 0x85ebca6b);
		for (place = (place ^ place >>> 15) & mask; places[place]; place = (place + 1) & mask)
			if (this.parent[places[place]] === parent && this.func[places[place]] === func)
				return places[place];
		places[place] = this.count;
		this.parent[this.count] = parent;
		this.func[this.count] = func;
		return this.count++;
	};
}

// The same stacks with the leaf as the outermost frame.
function reversed(profile, self, selfChange) {
	var depth = new Int32Array(self.length), most = 0, i, leaf;
	for (i = 1; i < self.length; i++) {
		depth[i] = depth[profile.parent[i]] + 1;
		most += self[i] ? depth[i] : 0;
	}
	var children = new Children(most), ends = new Int32Array(self.length);
	for (leaf = 1; leaf < self.length; leaf++) {
		if (!self[leaf])
			continue;
		for (i = leaf; i; i = profile.parent[i])
			ends[leaf] = children.of(ends[leaf], profile.func[i]);
	}
	function atEnds(weights) {
		var sums = new Float64Array(children.count);
		for (leaf = 0; weights && leaf < weights.length; leaf++)
			sums[ends[leaf]] += weights[leaf];
		return sums;
	}
	return {func: children.func.slice(0, children.count),
		parent: children.parent.slice(0, children.count),
		self: atEnds(self), selfChange: selfChange && atEnds(selfChange)};
}

// Sort LIST[FROM .. TO), mostly few, by RANK.
function sortSome(list, from, to, rank) {
	if (to - from > 16) {
		list.subarray(from, to).sort(function (a, b) { return rank(a) - rank(b); });
		return;
	}
	for (var i = from + 1; i < to; i++) {
		var item = list[i], place = rank(item), k = i;
		for (; k > from && rank(list[k - 1]) > place; k--)
			list[k] = list[k - 1];
		list[k] = item;
	}
}

// The children of node i are nodes[first[i] .. first[i + 1]), siblings by name.
function sortedChildren(profile, parent, func) {
	var count = parent.length, first = new Int32Array(count + 2), i;
	var nodes = new Int32Array(count);
	function rank(node) {
		return profile.rank[func[node]];
	}
	for (i = 1; i < count; i++)
		first[parent[i] + 2]++;
	for (i = 2; i < count + 2; i++)
		first[i] += first[i - 1];
	for (i = 1; i < count; i++)
		nodes[first[parent[i] + 1]++] = i;
	for (i = 0; i < count; i++)
		if (first[i + 1] - first[i] > 1)
			sortSome(nodes, first[i], first[i + 1], rank);
	return {first: first, nodes: nodes};
}

// The nodes so that each comes before its children and those before its next sibling.
function walkOrder(profile, parent, func) {
	var children = sortedChildren(profile, parent, func), order = new Int32Array(parent.length);
	var open = [0], count = 0;
	while (open.length) {
		var node = order[count++] = open.pop();
		for (var i = children.first[node + 1]; i-- > children.first[node];)
			open.push(children.nodes[i]);
	}
	return order;
}

// SELF of each node and of all below it.
function totals(parent, self) {
	var total = self.slice();
	for (var i = total.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

// A tree to be drawn: totals; where each node begins, in units of weight; and rows[depth],
// the nodes that weigh something, from left to right, siblings by name. The profile's nodes
// are in the order of walkOrder already. Of two profiles also selfChange and change: by how
// much the later one has more.
function buildTree(profile, chosen) {
	var self = selfWeights(profile, chosen, profile.weight), i, node;
	var change = profile.change && selfWeights(profile, chosen, profile.change);
	var tree = chosen.reverse ? reversed(profile, self, change) :
		{func: profile.func, parent: profile.parent, self: self, selfChange: change};
	var count = tree.func.length, parent = tree.parent;
	var order = chosen.reverse ? walkOrder(profile, parent, tree.func) : null;
	var total = tree.total = totals(parent, tree.self);
	tree.change = change && totals(parent, tree.selfChange);
	tree.largest = change && tree.change.reduce(function (most, value) {
		return Math.max(most, Math.abs(value));
	}, 0);
	tree.reverse = chosen.reverse;
	var start = tree.start = new Float64Array(count), end = new Float64Array(count);
	var depth = tree.depth = new Int32Array(count), lengths = [1];
	for (i = 1; i < count; i++) {
		node = order ? order[i] : i;
		if (!total[node])
			continue;
		end[node] = start[node] = end[parent[node]];
		end[parent[node]] += total[node];
		depth[node] = depth[parent[node]] + 1;
		lengths[depth[node]] = (lengths[depth[node]] || 0) + 1;
	}
	tree.rows = lengths.map(function (length) { return new Int32Array(length); });
	lengths.fill(0);
	for (i = 0; i < count; i++) {
		node = order ? order[i] : i;
		if (total[node] || !node)
			tree.rows[depth[node]][lengths[depth[node]]++] = node;
	}
	return tree;
}

// Each function once on a stack, however often it recurs: [{func, self, total}], by self. Of
// two profiles also {selfChange, change}, and what is more than noise comes first.
function functionTable(profile, tree) {
	var self = new Float64Array(profile.names.length), total = self.slice(), table = [];
	var selfChange = self.slice(), change = self.slice();
	var open = new Int32Array(profile.names.length); // how often it is on the path
	var path = [], i, node;
	// Depth first, by rows that are left: the next node of a row that is below the path.
	var next = new Int32Array(tree.rows.length);
	for (;;) {
		var depth = path.length, row = tree.rows[depth];
		node = row && next[depth] < row.length ? row[next[depth]] : -1;
		if (node >= 0 && (depth === 0 || tree.parent[node] === path[depth - 1])) {
			next[depth]++;
			path.push(node);
			i = tree.func[node];
			if (i >= 0 && !open[i]++) {
				total[i] += tree.total[node];
				change[i] += tree.change ? tree.change[node] : 0;
			}
			continue;
		}
		if (!path.length)
			break;
		node = path.pop();
		if (tree.func[node] >= 0)
			open[tree.func[node]]--;
	}
	for (node = 1; node < tree.self.length; node++) {
		self[tree.func[node]] += tree.self[node];
		selfChange[tree.func[node]] += tree.change ? tree.selfChange[node] : 0;
	}
	for (i = 0; i < self.length; i++)
		if (total[i])
			table.push({func: i, self: self[i], total: total[i],
				selfChange: selfChange[i], change: change[i]});
	return sortTable(profile, table, 'self');
}

// By 'self', 'total' or 'name'; of two profiles by the size of the change.
function sortTable(profile, table, by) {
	function weight(row) {
		if (!profile.change)
			return row[by];
		var change = by === 'self' ? row.selfChange : row.change;
		var real = profile.realFunctions[row.func] & (by === 'self' ? 1 : 2);
		return real ? Infinity : Math.abs(change);
	}
	function size(row) {
		return profile.change ? Math.abs(by === 'self' ? row.selfChange : row.change) : 0;
	}
	return table.sort(function (x, y) {
		if (by === 'name')
			return profile.rank[x.func] - profile.rank[y.func];
		var a = weight(x), b = weight(y);
		return (a === b ? 0 : b - a) || size(y) - size(x) || y.total - x.total;
	});
}

// What functions weigh does not depend on which end is outermost; TREE has its root there.
function tableOf(profile, chosen, tree) {
	return functionTable(profile, !chosen.reverse ? tree : buildTree(profile,
		{thread: chosen.thread, module: chosen.module, reverse: false}));
}

// Of each function: does its name match? TEXT is a regular expression; capitals count if
// there are any. NULL for no text; throws what RegExp throws.
function matching(profile, text) {
	if (!text)
		return null;
	var pattern = new RegExp(text, /[A-Z]/.test(text) ? '' : 'i');
	return Uint8Array.from(profile.names, function (name) { return +pattern.test(name); });
}

// The weight of all stacks with a match.
function matchedWeight(tree, matches) {
	var covered = new Uint8Array(tree.func.length), sum = 0;
	for (var i = 1; i < covered.length; i++) {
		covered[i] = covered[tree.parent[i]] | matches[tree.func[i]];
		if (covered[i])
			sum += tree.self[i];
	}
	return sum;
}

// The index of the first node of ROW that ends behind POSITION.
function firstBehind(tree, row, position) {
	var low = 0, high = row.length;
	while (low < high) {
		var middle = (low + high) >> 1;
		if (tree.start[row[middle]] + tree.total[row[middle]] <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Call DRAW for the nodes of ROW that are to be seen between FROM and TO. Those narrower
// than LEAST are one to the eye, and all but the first are passed over.
function eachVisible(tree, row, from, to, least, draw) {
	for (var i = firstBehind(tree, row, from); i < row.length;) {
		var node = row[i], start = tree.start[node], total = tree.total[node];
		if (start >= to)
			return;
		draw(node);
		i = total >= least ? i + 1 :
			Math.max(i + 1, firstBehind(tree, row, start + least));
	}
}

// The node beside NODE on its row, to the right (BY is 1) or to the left (-1), or NODE itself.
function neighbour(tree, node, by) {
	var row = tree.rows[tree.depth[node]];
	var next = row[firstBehind(tree, row, tree.start[node]) + by];
	return next === undefined ? node : next;
}

// The child of NODE with the most weight, or NODE itself.
function widestChild(tree, node) {
	var row = tree.rows[tree.depth[node] + 1] || [], widest = node, most = 0;
	for (var i = firstBehind(tree, row, tree.start[node]); i < row.length; i++) {
		if (tree.parent[row[i]] !== node)
			break;
		if (tree.total[row[i]] > most) {
			widest = row[i];
			most = tree.total[widest];
		}
	}
	return widest;
}

// Of two profiles: is the change of NODE more than noise? With the leaf outermost that is
// known of functions only; what leads to one is coloured as it is.
function isReal(profile, tree, node) {
	if (!tree.reverse)
		return profile.realNodes[node] === 1;
	while (tree.depth[node] > 1)
		node = tree.parent[node];
	return node > 0 && (profile.realFunctions[tree.func[node]] & 1) === 1;
}

// Of two profiles, a value or a change: in percent of the whole, unless values are compared.
function sayAmount(profile, value, withSign) {
	var size = Math.abs(value), sign = value < 0 ? '-' : withSign ? '+' : '';
	var text = profile.absolute ? say(profile.kind, Math.round(size)) :
		(profile.whole ? 100 * size / profile.whole : 0).toFixed(2) + '%';
	return (parseFloat(text) ? sign : '') + text;
}

// "+1.20%, 3.10% to 4.30%", of what two profiles weigh together and by how much the later
// one weighs more.
function sayChange(profile, weight, change) {
	return sayAmount(profile, change, true) + ', ' +
		sayAmount(profile, (weight - change) / 2) + ' to ' +
		sayAmount(profile, (weight + change) / 2);
}

// KIND as src/facts/origin.h has it: a count, nanoseconds or bytes.
function say(kind, value) {
	var units = kind === 1 ? [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']] :
		kind === 2 ? [[1073741824, 'GB'], [1048576, 'MB'], [1024, 'kB'], [1, 'B']] : null;
	if (!units || !value)
		return String(value);
	var unit = units.find(function (u) { return value >= u[0]; }) || units[3];
	return (value / unit[0]).toPrecision(3).replace(/e\+?(\d+)$/, 'e$1') + unit[1];
}
