"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { main, answer } = require("./index.js");

let calls = 0;
const seeds = [];
const benchmarks = {
    count: (seed) => {
        seeds.push(seed);
        return () => calls++;
    },
    wait: () => () => new Promise((resolve) => setTimeout(resolve, 5)),
    fail: () => () => {
        throw new Error("no\ndatabase");
    },
};

test("it greets, lists, and ends", async () => {
    assert.equal(await answer(benchmarks, "hello 1"), "hello 1");
    assert.equal(await answer(benchmarks, "list"), "benchmark count\nbenchmark wait\nbenchmark fail\nok");
    assert.equal(await answer(benchmarks, "bye"), undefined);
});

test("each iteration is run once", async () => {
    calls = 0;
    assert.match(await answer(benchmarks, "run count 1000 9223372036854775807"), /^ok [0-9]+ [0-9]+$/);
    assert.equal(calls, 1000);
    assert.deepEqual(seeds, [4294967295]);
});

test("promises are awaited", async () => {
    const wall = Number((await answer(benchmarks, "run wait 4 1")).split(" ")[1]);
    assert.ok(wall >= 4 * 4_000_000, `${wall}`);
});

test("what fails is an error of one line", async () => {
    assert.equal(await answer(benchmarks, "run fail 1 1"), "error Error: no database");
    assert.equal(await answer(benchmarks, "run toString 1 1"), "error this request is not understood");
    assert.equal(await answer(benchmarks, "dance"), "error this request is not understood");
});

test("names with blanks are refused", async () => {
    await assert.rejects(main({ "two words": () => () => 1 }), /no blanks/);
});
