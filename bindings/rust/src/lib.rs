//! Benchmarks that `lauka suite ./old ./new` compares, by the protocol lauka-bench/1 of docs/suite.md.
//!
//! ```no_run
//! lauka_bench::main(vec![lauka_bench::benchmark("sort", |seed| {
//!     let numbers: Vec<u64> = (0..100).map(|i| (seed / 2 + i * 7919) % 1000).collect();
//!     move || {
//!         let mut own = numbers.clone(); // only this closure is measured
//!         own.sort();
//!         std::hint::black_box(own);
//!     }
//! })]);
//! ```
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::io::FromRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;

/// What is measured.
pub type Iteration = Box<dyn FnMut()>;

/// A name without blanks, and what prepares the iterations. Equal seeds are to give equal work.
pub struct Benchmark {
    name: String,
    prepare: Box<dyn Fn(u64) -> Iteration>,
}

/// A benchmark. Panics if the name has blanks or more than 300 bytes.
pub fn benchmark<F, I>(name: &str, prepare: F) -> Benchmark
where
    F: Fn(u64) -> I + 'static,
    I: FnMut() + 'static,
{
    let good = !name.is_empty() && name.len() <= 300 && name.bytes().all(|byte| byte > b' ' && byte != 0x7f);
    assert!(good, "the name of a benchmark has no blanks and at most 300 bytes: {:?}", name);
    Benchmark { name: name.to_string(), prepare: Box::new(move |seed| Box::new(prepare(seed))) }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

/// Of the whole process, in nanoseconds; None if the system does not say.
fn cpu_time() -> Option<u128> {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = if cfg!(target_os = "macos") { 12 } else { 2 };
    if !cfg!(target_pointer_width = "64") {
        return None; // times have other sizes there
    }
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the struct is the timespec of 64-bit systems, and lives until the call returns.
    let failed = unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    (failed == 0).then(|| time.seconds as u128 * 1_000_000_000 + time.nanoseconds as u128)
}

fn measure(iteration: &mut Iteration, iterations: u64) -> (u128, Option<u128>) {
    let (cpu, wall) = (cpu_time(), Instant::now());
    for _ in 0..iterations {
        iteration();
    }
    let took = wall.elapsed().as_nanos();
    (took, cpu.and_then(|before| Some(cpu_time()?.saturating_sub(before))))
}

fn run(benchmark: &Benchmark, iterations: u64, seed: u64) -> String {
    let ran = catch_unwind(AssertUnwindSafe(|| measure(&mut (benchmark.prepare)(seed), iterations)));
    match ran {
        Ok((wall, Some(cpu))) => format!("ok {} {}", wall, cpu),
        Ok((wall, None)) => format!("ok {} -", wall),
        Err(_) => "error it panicked".to_string(), // the message is on stderr
    }
}

/// The answer to a request, without the line feed; None to `bye`.
pub fn answer(benchmarks: &[Benchmark], request: &str) -> Option<String> {
    let words: Vec<&str> = request.split(' ').collect();
    let known = |name: &str| benchmarks.iter().find(|benchmark| benchmark.name == name);
    Some(match words[..] {
        ["bye"] => return None,
        ["hello", "1"] => request.to_string(),
        ["list"] => benchmarks.iter().map(|each| format!("benchmark {}\n", each.name)).collect::<String>() + "ok",
        ["run", name, iterations, seed] => match (known(name), iterations.parse(), seed.parse()) {
            (Some(benchmark), Ok(iterations), Ok(seed)) => run(benchmark, iterations, seed),
            _ => "error this request is not understood".to_string(),
        },
        _ => "error this request is not understood".to_string(),
    })
}

/// Answers requests until `bye` or the end of the input.
pub fn serve(benchmarks: &[Benchmark], requests: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    for line in requests.lines() {
        match answer(benchmarks, &line?) {
            Some(text) => writeln!(answers, "{}", text)?,
            None => break,
        }
        answers.flush()?;
    }
    Ok(())
}

/// Without lauka: as many iterations as take a tenth of a second.
fn show(benchmarks: &[Benchmark]) {
    for benchmark in benchmarks {
        let (mut iteration, mut iterations) = ((benchmark.prepare)(1), 1);
        while measure(&mut iteration, iterations).0 < 100_000_000 {
            iterations *= 2;
        }
        let (wall, _) = measure(&mut iteration, iterations);
        println!("{}\t{:.1} ns", benchmark.name, wall as f64 / iterations as f64);
    }
}

/// Answers lauka's requests, if it started this program; otherwise prints what an iteration takes.
pub fn main(benchmarks: Vec<Benchmark>) {
    let descriptors = match std::env::var("LAUKA_BENCH_FDS") {
        Ok(text) => text,
        Err(_) => return show(&benchmarks),
    };
    let numbers: Vec<i32> = descriptors.split(',').filter_map(|number| number.parse().ok()).collect();
    if let [requests, answers] = numbers[..] {
        // SAFETY: lauka opened both for this program, and nothing else uses them.
        let (requests, answers) = unsafe { (File::from_raw_fd(requests), File::from_raw_fd(answers)) };
        let served = serve(&benchmarks, BufReader::new(requests), answers);
        std::process::exit(if served.is_ok() { 0 } else { 1 });
    }
    panic!("LAUKA_BENCH_FDS is not two descriptors: {}", descriptors);
}
