/** What is measured; an async function's promise is awaited. */
export type Iteration = () => unknown;
/** Prepares a benchmark: only what it returns is measured. Equal seeds are to give equal work. */
export type Benchmark = (seed: number) => Iteration | Promise<Iteration>;

/**
 * Answers lauka's requests, if it started this program; otherwise prints what an iteration takes.
 * Names have no blanks. Call it once.
 */
export function main(benchmarks: Record<string, Benchmark>): Promise<void>;

/** The answer to a request of lauka-bench/1, without the line feed; undefined: `bye`. */
export function answer(benchmarks: Record<string, Benchmark>, request: string): Promise<string | undefined>;
