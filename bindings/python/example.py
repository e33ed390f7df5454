import lauka.bench


@lauka.bench.benchmark
def join(seed):
    words = [str(seed + i) for i in range(100)]
    return lambda: " ".join(words)


@lauka.bench.benchmark
def sort(seed):
    numbers = [(seed + i * 7919) % 1000 for i in range(100)]
    return lambda: sorted(numbers)


lauka.bench.main()
