// SPDX-License-Identifier: GPL-2.0-or-later
// screen.js: the page around src/write/page/model.js: a canvas on which only what is to be seen is
// drawn, a table, and the keys.
'use strict';
var ROW = 18, LETTER = 7.2, MOST_ROWS = 500;

function Screen(profile) {
	var byId = document.getElementById.bind(document);
	var canvas = byId('canvas'), pen = canvas.getContext('2d'), scroller = byId('scroller');
	var chosen = {thread: -1, module: -1, reverse: false};
	var flame = false, matches = null, tree, zoomed = 0, pointed = -1, waiting = false;
	var order = 'self', rows = [], covered = '';
	var colours = []; // of functions, as they are now: to make the texts costs more than to draw
	var dark = window.matchMedia('(prefers-color-scheme: dark)');

	// Text is dark on all of them. A hue for each module, one of two tones for each function.
	function colour(node, dim) {
		var func = tree.func[node], light = dark.matches ? -8 : 0;
		if (func < 0)
			return dark.matches ? 'hsl(35,25%,60%)' : 'hsl(35,60%,75%)';
		if (matches && matches[func])
			return dark.matches ? 'rgb(240,110,240)' : 'rgb(230,90,230)';
		if (profile.change)
			return changeColour(node, dim, light);
		return 'rgb(' + [16, 8, 0].map(function (shift) {
			var part = profile.colours[func] >> shift & 255;
			return dim ? Math.round((part + 2 * 190) / 3) : part;
		}) + ')';
	}
	function fill(node, dim) {
		var func = tree.func[node];
		if (dim || func < 0 || profile.change)
			return colour(node, dim);
		return colours[func] || (colours[func] = colour(node, false));
	}
	// Red for more, blue for less, the paler the smaller; grey if it may be chance.
	function changeColour(node, dim, light) {
		if (!isReal(profile, tree, node))
			return 'hsl(0,0%,' + (84 + 2 * light) + '%)';
		var strength = Math.sqrt(Math.abs(tree.change[node]) / (tree.largest || 1));
		return 'hsl(' + (tree.change[node] > 0 ? 0 : 215) + ',' + (dim ? 40 : 90) + '%,' +
			Math.round(85 - 30 * Math.min(strength, 1) + light) + '%)';
	}
	function name(node) {
		var func = tree.func[node];
		return func < 0 ? 'all' : profile.names[func];
	}
	function share(weight) {
		return tree.total[0] ? (100 * weight / tree.total[0]).toFixed(2) + '%' : '0%';
	}
	function rowAt(y) {
		return Math.floor((flame ? height() - y : y) / ROW);
	}
	function height() {
		return Math.max(tree.rows.length * ROW, scroller.clientHeight - 4);
	}
	function view() {
		return {from: tree.start[zoomed], length: tree.total[zoomed] || 1};
	}

	function label(text, x, y, width) {
		var room = Math.floor((width - 6) / LETTER);
		if (room < 3)
			return;
		pen.fillStyle = '#000';
		pen.fillText(text.length <= room ? text : text.slice(0, room - 2) + '..',
			Math.max(x, 0) + 3, y + 13);
	}
	function draw() {
		waiting = false;
		var dots = window.devicePixelRatio || 1, width = scroller.clientWidth;
		var top = scroller.scrollTop, tall = scroller.clientHeight;
		byId('tall').style.height = height() + 'px';
		canvas.style.width = width + 'px';
		canvas.style.height = tall + 'px';
		canvas.width = width * dots;
		canvas.height = tall * dots;
		pen.setTransform(dots, 0, 0, dots, 0, 0);
		pen.font = '12px monospace';
		var range = view(), scale = width / range.length;
		var a = rowAt(top), b = rowAt(top + tall);
		var last = Math.min(Math.max(a, b), tree.rows.length - 1);
		for (var depth = Math.max(0, Math.min(a, b)); depth <= last; depth++) {
			var y = (flame ? height() - (depth + 1) * ROW : depth * ROW) - top;
			eachVisible(tree, tree.rows[depth], range.from, range.from + range.length,
				0.5 / scale, function (node) {
					var above = depth < tree.depth[zoomed];
					var x = (tree.start[node] - range.from) * scale;
					var w = tree.total[node] * scale;
					if (x < 0) {
						w += x;
						x = 0;
					}
					w = Math.min(w, width - x);
					pen.fillStyle = fill(node, above);
					pen.fillRect(x, y, Math.max(w - (w > 3 ? 0.7 : 0), 0.5), ROW - 1);
					if (node === pointed) {
						pen.strokeStyle = '#000';
						pen.strokeRect(x + 0.5, y + 0.5, Math.max(w - 1, 1), ROW - 2);
					}
					label(name(node), x, y, w);
				});
		}
	}
	function redraw() {
		if (!waiting) {
			waiting = true;
			requestAnimationFrame(draw);
		}
	}

	function describe() {
		var node = pointed < 0 ? zoomed : pointed, func = tree.func[node];
		var text = name(node) + (func < 0 || !profile.modules[profile.moduleOf[func]] ? '' :
			' (' + profile.modules[profile.moduleOf[func]] + ')') + ': ';
		if (profile.change)
			text += sayChange(profile, tree.total[node], tree.change[node]) +
				(node && !isReal(profile, tree, node) ? ', may be noise' : '');
		else
			text += say(profile.kind, tree.total[node]) + ', ' + share(tree.total[node]) +
				'; itself ' + say(profile.kind, tree.self[node]);
		byId('details').textContent = text;
		byId('matched').textContent = covered;
	}
	function cover() {
		covered = !matches ? '' : 'matched: ' + (tree.total[0] ?
			100 * matchedWeight(tree, matches) / tree.total[0] : 0).toFixed(1) + '%';
	}

	function cells(row) {
		return profile.change ?
			[sayAmount(profile, row.selfChange, true),
				sayAmount(profile, (row.self + row.selfChange) / 2),
				sayAmount(profile, row.change, true),
				sayAmount(profile, (row.total + row.change) / 2)] :
			[say(profile.kind, row.self), share(row.self), say(profile.kind, row.total),
				share(row.total)];
	}
	function fillTable() {
		var body = byId('rows'), shown = rows.filter(function (row) {
			return !matches || matches[row.func];
		});
		sortTable(profile, shown, order);
		body.textContent = '';
		shown.slice(0, MOST_ROWS).forEach(function (row) {
			var line = document.createElement('tr');
			cells(row).concat(profile.names[row.func]).forEach(function (text) {
				line.appendChild(document.createElement('td')).textContent = text;
			});
			line.title = profile.names[row.func];
			if (profile.change)
				line.className = !profile.realFunctions[row.func] ? 'noise' :
					row.change + row.selfChange > 0 ? 'more' : 'less';
			line.onclick = function () {
				search('^' + profile.names[row.func].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$');
			};
			body.appendChild(line);
		});
		byId('rest').textContent = shown.length <= MOST_ROWS ? '' :
			'and ' + (shown.length - MOST_ROWS) + ' more: search for them';
	}
	// The table takes as long again as the picture, so it comes after that.
	function rebuild() {
		tree = buildTree(profile, chosen);
		rows = [];
		zoomed = 0;
		pointed = -1;
		cover();
		settle();
		setTimeout(function () {
			rows = tableOf(profile, chosen, tree);
			fillTable();
		}, 30);
	}
	// The root is to be seen, on whichever side it is.
	function settle() {
		byId('tall').style.height = height() + 'px';
		scroller.scrollTop = flame ? height() : 0;
		describe();
		redraw();
	}
	function zoom(node) {
		zoomed = node;
		describe();
		redraw();
	}
	function search(text) {
		byId('search').value = text;
		try {
			matches = matching(profile, text);
			byId('search').className = '';
		} catch (error) {
			byId('search').className = 'wrong';
			return;
		}
		colours = [];
		cover();
		fillTable();
		describe();
		redraw();
	}
	// To the caller, the widest callee, or a neighbour on the same row.
	function step(key) {
		var at = pointed < 0 ? zoomed : pointed, next = at;
		if (key === 'ArrowLeft' || key === 'ArrowRight')
			next = neighbour(tree, at, key === 'ArrowRight' ? 1 : -1);
		else if ((key === 'ArrowDown') === flame)
			next = tree.parent[at];
		else
			next = widestChild(tree, at);
		pointed = next;
		reveal(next);
		describe();
		redraw();
	}
	function reveal(node) {
		var y = flame ? height() - (tree.depth[node] + 1) * ROW : tree.depth[node] * ROW;
		if (y < scroller.scrollTop)
			scroller.scrollTop = y;
		else if (y + ROW > scroller.scrollTop + scroller.clientHeight)
			scroller.scrollTop = y + ROW - scroller.clientHeight;
	}
	function nodeAt(event) {
		var place = canvas.getBoundingClientRect(), range = view();
		var row = tree.rows[rowAt(event.clientY - place.top + scroller.scrollTop)];
		if (!row)
			return -1;
		var at = range.from + (event.clientX - place.left) / canvas.clientWidth * range.length;
		var node = row[firstBehind(tree, row, at)];
		return node !== undefined && tree.start[node] <= at ? node : -1;
	}
	function flip() {
		flame = !flame;
		settle();
	}
	function reverse() {
		chosen.reverse = !chosen.reverse;
		rebuild();
	}
	function choice(id, texts, all, set) {
		var box = byId(id);
		[all].concat(texts).forEach(function (text, index) {
			var option = box.appendChild(document.createElement('option'));
			option.value = index - 1;
			option.textContent = text || '(none)';
		});
		box.onchange = function () {
			set(+box.value);
			box.blur();
			rebuild();
		};
	}

	document.title = profile.title;
	byId('name').textContent = byId('name').title = profile.title + ': ' + profile.metric;
	byId('caption').textContent = byId('caption').title = profile.caption;
	choice('thread', profile.threads, 'all threads', function (i) { chosen.thread = i; });
	choice('module', profile.modules, 'all modules', function (i) { chosen.module = i; });
	byId('search').oninput = function () { search(this.value); };
	byId('flip').onclick = flip;
	byId('reverse').onclick = reverse;
	byId('table').onclick = function () {
		document.body.classList.toggle('wide');
		redraw();
	};
	['self', 'total', 'name'].forEach(function (column) {
		byId('by-' + column).onclick = function () {
			order = column;
			fillTable();
		};
	});
	canvas.onmousemove = function (event) {
		var node = nodeAt(event);
		if (node !== pointed) {
			pointed = node;
			describe();
			redraw();
		}
	};
	canvas.onmouseleave = function () {
		pointed = -1;
		describe();
		redraw();
	};
	canvas.onclick = function (event) {
		var node = nodeAt(event);
		if (node >= 0)
			zoom(node);
	};
	scroller.onscroll = redraw;
	window.onresize = redraw;
	dark.onchange = function () {
		colours = [];
		redraw();
	};
	byId('legend').hidden = !profile.change;
	document.onkeydown = function (event) {
		var typing = document.activeElement === byId('search');
		if (event.key === 'Escape') {
			if (typing)
				byId('search').blur();
			else if (zoomed)
				zoom(0);
			else
				search('');
		} else if (event.key === 'F3' || (event.key === 'f' && event.ctrlKey) ||
			(event.key === '/' && !typing)) {
			byId('search').focus();
			event.preventDefault();
		} else if (typing || event.ctrlKey || event.altKey || event.metaKey) {
			return;
		} else if (event.key === 'i') {
			flip();
		} else if (event.key === 'r') {
			reverse();
		} else if (event.key === 't') {
			byId('table').onclick();
		} else if (event.key === 'Backspace' || event.key === 'u') {
			zoom(tree.parent[zoomed]);
		} else if (event.key === 'Enter') {
			if (document.activeElement.tagName !== 'BUTTON')
				zoom(pointed < 0 ? zoomed : pointed);
		} else if (/^Arrow/.test(event.key) && document.activeElement.tagName !== 'SELECT') {
			step(event.key);
			event.preventDefault();
		}
	};
	rebuild();
}

function complain(text) {
	document.getElementById('details').textContent = 'This cannot be shown: ' + text;
}

// The data is text of base64, of gzip.
function start() {
	if (typeof DecompressionStream === 'undefined') {
		complain('the browser is too old. It needs DecompressionStream, which Chromium 80, ' +
			'Firefox 113 and Safari 16.4 brought. "-f svg" makes a picture for any browser.');
		return;
	}
	var text = atob(document.getElementById('data').textContent.trim());
	var bytes = new Uint8Array(text.length);
	for (var i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	var unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	new Response(unpacked).arrayBuffer().then(function (buffer) {
		Screen(readProfile(new Uint8Array(buffer)));
		document.body.classList.add('ready');
	}).catch(complain);
}
if (typeof document !== 'undefined')
	start();
