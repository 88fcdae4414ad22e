// SPDX-License-Identifier: GPL-2.0-or-later
// chromium-pages.js CPROFTOP MAKE_PROFILE FOLDER: our HTML pages in headless Chromium, with a
// real mouse and keyboard: how long until something is drawn, and until a click and a search
// are answered; and pictures of them in FOLDER, to be looked at. It prints a table and judges
// nothing that is a time. `make pages` runs it; it takes a minute, so the suite does not.
//
// It speaks the DevTools protocol over a pipe and needs nothing but node and Chromium.
'use strict';
const {execFileSync, spawn, spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [cproftop, makeProfile, folder] = process.argv.slice(2);
if (spawnSync('chromium', ['--version']).status !== 0) {
	console.log('chromium-pages: chromium is not installed (Debian: chromium); nothing was shown');
	process.exit(0);
}
fs.mkdirSync(folder, {recursive: true});
const place = name => path.join(folder, name);

// --- profiles ------------------------------------------------------------------------------

let seed = 1;
function random(n) {
	seed = seed * 16807 % 2147483647;
	return Math.floor(seed / 2147483647 * n);
}

// COUNT different walks through a call graph of 5000 functions with up to 8 callees each.
function writeStacks(file, count) {
	const stacks = new Set();
	while (stacks.size < count) {
		let at = 0, stack = `worker-${random(16)};main`;
		for (let left = 5 + random(36); left; left--) {
			at = (Math.imul(at * 8 + Math.min(random(8), random(8)) + 1, 2654435761) >>> 0) % 5000;
			stack += `;module::Class${at % 97}::function_${at}`;
		}
		stacks.add(stack);
	}
	fs.writeFileSync(file, [...stacks].map(stack => `${stack} ${random(1000) + 1}\n`).join(''));
}

function writeDeep(file) {
	let lines = '';
	for (const [depth, weight] of [[5000, 100], [2500, 50], [10, 80]])
		lines += `main;${Array.from({length: depth}, (_, i) => `recurse_${i % 7}`).join(';')} ${weight}\n`;
	fs.writeFileSync(file, lines);
}

function makePages() {
	writeStacks(place('many.folded'), 100000);
	writeDeep(place('deep.folded'));
	for (const name of ['many', 'deep'])
		execFileSync(cproftop, ['convert', place(`${name}.folded`), place(`${name}.html`)]);
	execFileSync(makeProfile, ['html', place('small.html')]);
	execFileSync(makeProfile, ['folded', place('small.folded'), 'cpu']);
	// Another run of it: primes have become slower, and are sought otherwise.
	const later = fs.readFileSync(place('small.folded'), 'utf8').replace(
		/^(.*is_prime_by_division.*) (\d+)$/gm, (_, stack, n) => `${stack} ${Math.round(n * 1.4)}`).replace(
		/^(.*;dot) (\d+)$/gm, (_, stack, n) => `${stack} ${Math.round(n * 0.6)}`);
	fs.writeFileSync(place('later.folded'), later);
	execFileSync(cproftop, ['diff', place('small.folded'), place('later.folded'), '-o', place('difference.html')]);
}

// --- a browser -----------------------------------------------------------------------------

class Browser {
	constructor() {
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'pages-'));
		this.child = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
			'--no-first-run', '--disable-background-networking', '--disable-component-update',
			'--disable-sync', `--user-data-dir=${this.home}`, '--remote-debugging-pipe', 'about:blank'],
		{stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
		this.waiting = new Map();
		this.count = 0;
		let rest = '';
		this.child.stdio[4].setEncoding('utf8').on('data', text => {
			const messages = (rest + text).split('\0');
			rest = messages.pop();
			messages.map(JSON.parse).forEach(message => this.take(message));
		});
	}
	take(message) {
		if (message.method === 'Runtime.exceptionThrown') {
			console.error(`chromium-pages: ${JSON.stringify(message.params.exceptionDetails)}`);
			process.exitCode = 1;
		}
		const done = this.waiting.get(message.id);
		if (done && message.error)
			done.reject(new Error(message.error.message));
		else if (done)
			done.resolve(message.result);
	}
	send(method, params, sessionId = this.session) {
		const id = ++this.count;
		this.child.stdio[3].write(JSON.stringify({id, method, params, sessionId: sessionId || undefined}) + '\0');
		return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
	}
	async open() {
		const {targetInfos} = await this.send('Target.getTargets', {});
		const page = targetInfos.find(target => target.type === 'page');
		const {sessionId} = await this.send('Target.attachToTarget', {targetId: page.targetId, flatten: true});
		this.session = sessionId;
		await this.send('Page.enable', {});
		await this.send('Runtime.enable', {});
		await this.send('Emulation.setDeviceMetricsOverride',
			{width: 1280, height: 800, deviceScaleFactor: 1, mobile: false});
		// Two frames after something has happened it is to be seen.
		await this.send('Page.addScriptToEvaluateOnNewDocument', {source: `
			var shown = {};
			function afterFrames(name, since) {
				requestAnimationFrame(function () { requestAnimationFrame(function () {
					shown[name] = performance.now() - since; }); });
			}
			document.addEventListener('DOMContentLoaded', function () {
				new MutationObserver(function () { afterFrames('page', 0); })
					.observe(document.body, {attributes: true, attributeFilter: ['class']});
			});
			['click', 'input'].forEach(function (kind) {
				window.addEventListener(kind, function (event) { afterFrames(kind, event.timeStamp); }, true);
			});`});
	}
	async value(expression) {
		const {result} = await this.send('Runtime.evaluate', {expression, returnByValue: true});
		return result.value;
	}
	async until(expression) {
		for (;;) {
			const value = await this.value(expression);
			if (value)
				return value;
			await new Promise(resolve => setTimeout(resolve, 20));
		}
	}
	async show(file) {
		await this.send('Page.navigate', {url: `file://${path.resolve(file)}`});
		return this.until('shown.page');
	}
	// CPU time of all of Chromium so far, in ms: what other load on the machine does not change.
	async cpu() {
		const {processInfo} = await this.send('SystemInfo.getProcessInfo', {}, null);
		return 1000 * processInfo.reduce((sum, one) => sum + one.cpuTime, 0);
	}
	async click(x, y) {
		await this.value('delete shown.click');
		for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
			await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
		return this.until('shown.click');
	}
	async press(key) {
		for (const type of ['keyDown', 'keyUp'])
			await this.send('Input.dispatchKeyEvent', {type, key, text: type === 'keyDown' && key.length === 1 ? key : undefined});
	}
	async search(text) {
		await this.press('/');
		await this.value('delete shown.input');
		await this.send('Input.insertText', {text});
		return this.until('shown.input');
	}
	async scheme(value) {
		await this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value}]});
	}
	async picture(name) {
		await this.value('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
		await new Promise(resolve => setTimeout(resolve, 300));
		const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
		fs.writeFileSync(place(`${name}.png`), Buffer.from(data, 'base64'));
	}
	async close() {
		const ended = new Promise(resolve => this.child.on('exit', resolve));
		this.session = undefined;
		this.send('Browser.close', {}).catch(() => {});
		await ended;
		fs.rmSync(this.home, {recursive: true, force: true, maxRetries: 5});
	}
}

// --- what a person does --------------------------------------------------------------------

async function measure(browser, name, regex) {
	const start = await browser.cpu();
	const drawn = await browser.show(place(`${name}.html`));
	const cpu = await browser.cpu() - start;
	await browser.picture(`${name}`);
	const zoomed = await browser.click(40, 75);
	await browser.picture(`${name}-zoomed`);
	await browser.press('Escape');
	const searched = await browser.search(regex);
	const matched = await browser.value('document.getElementById("matched").textContent');
	await browser.picture(`${name}-searched`);
	const size = fs.statSync(place(`${name}.html`)).size;
	console.log([name, `${size} bytes`, `drawn ${drawn.toFixed(0)} ms, ${cpu.toFixed(0)} of CPU`, `click ${zoomed.toFixed(0)} ms`,
		`search ${searched.toFixed(0)} ms`, matched].join('\t'));
	if (!/^matched: [0-9.]+%$/.test(matched)) {
		console.error(`chromium-pages: ${name}: a search says "${matched}"`);
		process.exitCode = 1;
	}
}

async function choose(browser, id, index) {
	await browser.value(`var box = document.getElementById('${id}'); box.selectedIndex = ${index}; box.onchange()`);
}

async function pictures(browser) {
	for (const scheme of ['light', 'dark']) {
		await browser.scheme(scheme);
		await browser.show(place('small.html'));
		await browser.picture(`${scheme}`);
		await browser.press('i');
		await browser.picture(`${scheme}-flame`);
		await browser.press('i');
		await browser.press('r');
		await browser.picture(`${scheme}-reverse`);
		await browser.press('r');
		await browser.press('ArrowDown');
		await browser.press('ArrowDown');
		await browser.press('ArrowRight');
		await browser.picture(`${scheme}-arrows`);
		await browser.search('prime');
		await browser.picture(`${scheme}-search`);
		await browser.show(place('difference.html'));
		await browser.picture(`${scheme}-difference`);
	}
	await browser.scheme('light');
	await browser.show(place('small.html'));
	await choose(browser, 'thread', 2);
	await browser.picture('thread');
	await choose(browser, 'thread', 0);
	await choose(browser, 'module', 2);
	await browser.press('t');
	await browser.picture('module');
}

(async () => {
	makePages();
	const browser = new Browser();
	await browser.open();
	await measure(browser, 'many', 'function_1');
	await measure(browser, 'deep', 'recurse_3');
	await pictures(browser);
	await browser.close();
	console.log(`pictures: ${folder}`);
})().catch(error => {
	console.error(`chromium-pages: ${error.message}`);
	process.exit(1);
});
