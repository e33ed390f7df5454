#!/usr/bin/env node
// Benchmarks in JavaScript that `lauka suite ./old.js ./new.js` compares. docs/languages.md says where the package comes
// from, which speaks the protocol lauka-bench/1 of docs/suite.md.
"use strict";
const { main } = require("@lauka/bench");

const numbersOf = (seed) => Array.from({ length: 100 }, (_, i) => (seed + i * 7919) % 1000);

// Each prepares what it needs, and returns what an iteration does. Promises are awaited.
main({
    sort: (seed) => {
        const numbers = numbersOf(seed);
        return () => numbers.slice().sort((a, b) => a - b);
    },
    resolve: (seed) => async () => Promise.all(numbersOf(seed).map((number) => Promise.resolve(number))),
});
