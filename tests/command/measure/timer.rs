//! Guarantee: kernels that wait for the timer of the GPU end, also if the timer stands still. A short interpreter executes the kernels in
//! PTX, for one thread.

use std::collections::HashMap;

use crate::support::root;

/// How a kernel ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum End {
    Return,
    /// The driver reports an error.
    Trap,
}

/// Bound of the kernels on the number of equal values of the timer, and the bound in these tests, which saves time.
const BOUND: (&str, u64) = ("33554432", 1000);

/// Executes the kernel `name` with the values `parameters`, in the order of the kernel. `timer` returns the value of the timer at each
/// call, from 0. Returns the end, and the last value of the timer.
fn execute(name: &str, parameters: &[u64], timer: impl Fn(u64) -> u64) -> (End, u64) {
    let folder = root().join("crates/gpusched-runtime/src/backend/cuda");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let text =
        (read("kernels.ptx") + &read("calibration/kernels.ptx")).replace(BOUND.0, &BOUND.1.to_string());
    let (_, kernel) = text.split_once(&format!(".entry {name}(")).unwrap();
    let (head, body) = kernel.split_once("{\n").unwrap();
    let body = body.split_once("\n}").unwrap().0;
    let names = head.trim_end().trim_end_matches(')').split(',');
    let names = names.map(|parameter| parameter.split_whitespace().last().unwrap());
    let mut values: HashMap<&str, u64> = names.zip(parameters.iter().copied()).collect();
    assert_eq!(values.len(), parameters.len(), "{head}");
    values.extend([("%tid.x", 0), ("%ctaid.x", 0), ("%smid", 5)]);

    let lines: Vec<&str> = body
        .lines()
        .map(|line| line.trim().trim_end_matches(';'))
        .collect();
    let mut memory: HashMap<u64, u64> = HashMap::new();
    let (mut at, mut calls, mut last) = (0, 0, 0);
    for _ in 0..10_000_000 {
        let mut words = lines[at]
            .split([' ', ',', '[', ']'])
            .filter(|word| !word.is_empty());
        at += 1;
        let Some(mut word) = words.next() else { continue };
        if word.ends_with(':') || word == ".reg" {
            continue;
        }
        if let Some(condition) = word.strip_prefix('@') {
            if values[condition] == 0 {
                continue;
            }
            word = words.next().unwrap();
        }
        let operands: Vec<&str> = words.collect();
        let value = |text: &str| match text.split_once('+') {
            Some((base, offset)) => values[base] + offset.parse::<u64>().unwrap(),
            None => text.parse().unwrap_or_else(|_| values[text]),
        };
        let pair = || (value(operands[1]), value(operands[2]));
        let result = match word.split('.').collect::<Vec<_>>()[..] {
            ["ret"] => return (End::Return, last),
            ["trap"] => return (End::Trap, last),
            ["bra"] => {
                let label = format!("{}:", operands[0]);
                at = lines.iter().position(|line| *line == label).unwrap();
                continue;
            }
            ["st", ..] => {
                memory.insert(value(operands[0]), value(operands[1]));
                continue;
            }
            ["mov", _] if operands[1] == "%globaltimer" => {
                last = timer(calls);
                calls += 1;
                last
            }
            ["mov" | "cvt", ..] | ["ld", "param", _] => value(operands[1]),
            ["add", _] => pair().0.wrapping_add(pair().1),
            ["sub", _] => pair().0.wrapping_sub(pair().1),
            ["mul", ..] => pair().0 * pair().1,
            ["atom", "global", "add", _] => {
                let cell = memory.entry(value(operands[1])).or_default();
                *cell += value(operands[2]);
                *cell - value(operands[2])
            }
            ["setp", relation, _] => {
                let order = pair().0.cmp(&pair().1);
                u64::from(match relation {
                    "lt" => order.is_lt(),
                    "le" => order.is_le(),
                    "ge" => order.is_ge(),
                    "gt" => order.is_gt(),
                    "eq" => order.is_eq(),
                    "ne" => order.is_ne(),
                    other => panic!("{other}"),
                })
            }
            _ => panic!("unknown instruction {word} in {name}"),
        };
        values.insert(operands[0], result);
    }
    panic!("{name} does not end");
}

/// Each kernel that waits, with its parameters. The times are 5 µs.
const KERNELS: [(&str, &[u64]); 4] = [
    ("gpusched_spin", &[5_000]),
    // Addresses of memory, the limit, and two blocks that meet.
    ("gpusched_smid", &[4096, 8192, 5_000, 2]),
    ("gpusched_log", &[4096, 5_000]),
    ("gpusched_gaps", &[4096, 8, 5_000, 2_000]),
];

#[test]
fn waiting_kernels_end_when_the_timer_stands_still() {
    for (name, parameters) in KERNELS {
        for (timer, step) in [(1, 1), (1, 32), (2, 1024), (900, 1024), (3, 10_000)] {
            // The timer advances by `step` ns after each `timer` values.
            let (end, last) = execute(name, parameters, |call| 7 + call / timer * step);
            assert_eq!(end, End::Return, "{name} {timer} {step}");
            assert!((5_007..=5_007 + step).contains(&last), "{name}: {last}");
        }
        // The timer never advances, or stops before the end.
        assert_eq!(execute(name, parameters, |_| 7), (End::Trap, 7), "{name}");
        assert_eq!(execute(name, parameters, |_| u64::MAX).0, End::Trap, "{name}");
        let stops = |call: u64| 10 * call.min(400);
        assert_eq!(execute(name, parameters, stops), (End::Trap, 4_000), "{name}");
        // It advances again before the bound.
        let resumes = |call: u64| {
            10 * if call < 400 {
                call
            } else {
                400 + call.saturating_sub(1_300)
            }
        };
        assert_eq!(execute(name, parameters, resumes).0, End::Return, "{name}");
    }
    // A block that meets the others ends at once, and a kernel of no time, too.
    assert_eq!(
        execute("gpusched_smid", &[4096, 8192, 5_000, 1], |_| 7),
        (End::Return, 7)
    );
    assert_eq!(execute("gpusched_spin", &[0], |_| 7), (End::Return, 7));
    // The kernel that observes the step of the timer returns without a value.
    assert_eq!(execute("gpusched_ticks", &[4096, 8, 5_000], |_| 7).0, End::Return);
}
