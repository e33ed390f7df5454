#!/usr/bin/env node
// Benchmarks in JavaScript that `lauka suite ./old.js ./new.js` compares, by the protocol lauka-bench/1 of
// docs/suite.md. Only a function's loop is measured, not what comes before it.
"use strict";
const fs = require("fs");

const numbersOf = (seed) => Array.from({ length: 100 }, (_, i) => (seed + i * 7919) % 1000);

// Each prepares what it needs, and returns what an iteration does. The result is kept, so that it is computed.
const benchmarks = {
    sort(seed) {
        const numbers = numbersOf(seed);
        return () => numbers.slice().sort((a, b) => a - b)[0];
    },
    words(seed) {
        const words = numbersOf(seed).map(String);
        return () => words.join(" ").split(" ").length;
    },
};
let kept;

function run(name, iterations, seed) {
    const iteration = benchmarks[name](seed);
    const cpu = process.cpuUsage(), wall = process.hrtime.bigint();
    for (let i = 0; i < iterations; i++)
        kept = iteration();
    const wallNs = process.hrtime.bigint() - wall, spent = process.cpuUsage(cpu);
    return `ok ${wallNs} ${(spent.user + spent.system) * 1000}`;
}

function answer(line) {
    const [word, name, iterations, seed] = line.split(" ");
    if (line === "hello 1")
        return line;
    if (word === "list")
        return Object.keys(benchmarks).map((each) => `benchmark ${each}\n`).join("") + "ok";
    if (word === "run" && Object.hasOwn(benchmarks, name))
        return run(name, Number(iterations), Number(seed) % 1e9);
    return "error this is not understood";
}

if (!process.env.LAUKA_BENCH_FDS) {
    console.error("run this with: lauka suite ./old.js ./new.js");
    process.exit(1);
}
const [requests, answers] = process.env.LAUKA_BENCH_FDS.split(",").map(Number);
const block = Buffer.alloc(65536);
let text = "", size;
while ((size = fs.readSync(requests, block)) > 0) {
    text += block.toString("utf8", 0, size);
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
        if (line === "bye")
            process.exit(0);
        fs.writeSync(answers, answer(line) + "\n");
    }
}
