const { main } = require("@lauka/bench");

const numbersOf = (seed) => Array.from({ length: 100 }, (_, i) => (seed + i * 7919) % 1000);

main({
    sort: (seed) => {
        const numbers = numbersOf(seed);
        return () => numbers.slice().sort((a, b) => a - b);
    },
    resolve: (seed) => async () => Promise.all(numbersOf(seed).map((number) => Promise.resolve(number))),
});
