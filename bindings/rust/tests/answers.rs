use lauka_bench::{answer, benchmark, serve, Benchmark};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

fn counting(calls: &Arc<AtomicU64>) -> Vec<Benchmark> {
    let calls = calls.clone();
    vec![
        benchmark("count", move |seed| {
            let calls = calls.clone();
            move || {
                calls.fetch_add(seed, Ordering::Relaxed);
            }
        }),
        benchmark("broken", |_| || panic!("no database")),
    ]
}

#[test]
fn a_whole_conversation() {
    let calls = Arc::new(AtomicU64::new(0));
    let mut out = Vec::new();
    serve(&counting(&calls), &b"hello 1\nlist\nrun count 100 7\nbye\nhello 1\n"[..], &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..4], ["hello 1", "benchmark count", "benchmark broken", "ok"]);
    let words: Vec<&str> = lines[4].split(' ').collect();
    assert_eq!((words[0], words.len(), lines.len()), ("ok", 3, 5));
    assert!(words[1].parse::<u64>().unwrap() > 0);
    assert_eq!(calls.load(Ordering::Relaxed), 700);
}

#[test]
fn what_fails_is_an_error() {
    let benchmarks = counting(&Arc::new(AtomicU64::new(0)));
    assert_eq!(answer(&benchmarks, "run broken 1 1").unwrap(), "error it panicked");
    for request in ["run other 1 1", "run count x 1", "run count 1", "dance", ""] {
        assert_eq!(answer(&benchmarks, request).unwrap(), "error this request is not understood");
    }
    assert_eq!(answer(&benchmarks, "bye"), None);
}

#[test]
#[should_panic(expected = "no blanks")]
fn names_with_blanks_are_refused() {
    benchmark("two words", |_| || ());
}
