use std::hint::black_box;

fn main() {
    lauka_bench::main(vec![
        lauka_bench::benchmark("sort", |seed| {
            let numbers: Vec<u64> = (0..100).map(|i| (seed / 2 + i * 7919) % 1000).collect();
            move || {
                let mut own = numbers.clone();
                own.sort();
                black_box(own);
            }
        }),
        lauka_bench::benchmark("format", |seed| {
            move || {
                black_box(format!("{} words {:.3}", black_box(seed), 3.25));
            }
        }),
    ]);
}
