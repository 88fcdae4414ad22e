// SPDX-License-Identifier: GPL-2.0-or-later
// A shop's web server with a route that is slow.
//
//	node shop.js PORT
const express = require("express");
const shop = express();

const catalogue = Array.from({ length: 300 }, (_, i) => ({
	id: i, name: `thing ${i}`, price: i % 100, tags: ["new", "red", `box ${i % 7}`],
}));

// Words with blanks between them? A word can be taken apart in many ways, (\w)(\w), (\w\w), and
// if the text does not end well, all of them are tried.
function isSearch(text) {
	return /^(\w+\s?)*$/.test(text);
}

shop.get("/search", (request, response) => {
	response.json({ valid: isSearch(request.query.q) });
});
shop.get("/catalogue", (request, response) => response.json(catalogue));
shop.get("/", (request, response) => response.send("welcome"));
shop.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
