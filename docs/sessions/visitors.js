// SPDX-License-Identifier: GPL-2.0-or-later
// Visitors of the shop: they look around, and search for something with a comma in it.
//
//	node visitors.js PORT
const port = process.argv[2];
const ask = (path) => fetch(`http://127.0.0.1:${port}${path}`).then((reply) => reply.text());

async function visit() {
	for (;;) {
		await ask("/");
		await ask("/catalogue");
		await ask("/search?q=" + encodeURIComponent("something remarkable and red, or blue"));
	}
}
for (let i = 0; i < 4; i++)
	visit().catch(() => process.exit());
