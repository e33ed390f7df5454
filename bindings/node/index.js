// Benchmarks that `lauka suite` compares, by the protocol lauka-bench/1 of docs/suite.md.
"use strict";
const fs = require("fs");

const isThenable = (value) => value !== null && typeof value === "object" && typeof value.then === "function";
let kept; // results, so that they are computed

// The first result says whether iterations are awaited.
async function measure(iteration, iterations) {
    const cpu = process.cpuUsage(), wall = process.hrtime.bigint();
    kept = iteration();
    if (isThenable(kept)) {
        kept = await kept;
        for (let i = 1; i < iterations; i++)
            kept = await iteration();
    } else {
        for (let i = 1; i < iterations; i++)
            kept = iteration();
    }
    const wallNs = process.hrtime.bigint() - wall, spent = process.cpuUsage(cpu);
    return { wallNs, cpuNs: (spent.user + spent.system) * 1000 };
}

async function run(benchmark, iterations, seed) {
    const { wallNs, cpuNs } = await measure(await benchmark(seed), iterations);
    return `ok ${wallNs} ${cpuNs}`;
}

async function answer(benchmarks, request) {
    const [word, name, iterations, seed] = request.split(" ");
    if (request === "bye")
        return undefined;
    if (request === "hello 1")
        return request;
    if (request === "list")
        return [...Object.keys(benchmarks).map((each) => `benchmark ${each}`), "ok"].join("\n");
    if (word !== "run" || !Object.hasOwn(benchmarks, name))
        return "error this request is not understood";
    try {
        // A number cannot hold all seeds; equal ones stay equal.
        return await run(benchmarks[name], Number(iterations), Number(BigInt(seed) % BigInt(2 ** 32)));
    } catch (error) {
        return `error ${error}`.replace(/\s+/g, " ");
    }
}

function checkNames(benchmarks) {
    for (const name of Object.keys(benchmarks))
        if (!/^[^\s\u0000-\u0020\u007f]+$/.test(name) || Buffer.byteLength(name) > 300)
            throw new Error(`the name of a benchmark has no blanks and at most 300 bytes: ${JSON.stringify(name)}`);
}

async function serve(benchmarks, requests, answers) {
    const block = Buffer.alloc(65536);
    let text = "", size;
    while ((size = fs.readSync(requests, block)) > 0) {
        text += block.toString("latin1", 0, size);
        const lines = text.split("\n");
        text = lines.pop();
        for (const line of lines) {
            const said = await answer(benchmarks, Buffer.from(line, "latin1").toString());
            if (said === undefined)
                return;
            fs.writeSync(answers, `${said}\n`);
        }
    }
}

// Without lauka: as many iterations as take a tenth of a second.
async function show(benchmarks) {
    for (const [name, benchmark] of Object.entries(benchmarks)) {
        const iteration = await benchmark(1);
        let iterations = 1, took = await measure(iteration, iterations);
        while (took.wallNs < 100_000_000n)
            took = await measure(iteration, iterations *= 2);
        console.log(`${name}\t${(Number(took.wallNs) / iterations).toFixed(1)} ns`);
    }
}

async function main(benchmarks) {
    checkNames(benchmarks);
    const descriptors = process.env.LAUKA_BENCH_FDS;
    if (!descriptors)
        return show(benchmarks);
    const [requests, answers] = descriptors.split(",").map(Number);
    await serve(benchmarks, requests, answers);
    process.exit(0); // timers of the benchmarks must not keep it
}

module.exports = { main, answer };
