//! Compares numbers that characterize GPGPU-Sim: issue distances, load latencies, instructions
//! per cycle by number of warps, and bandwidth by number of SMs. Issue distances must be equal.
//! Other numbers must agree within 5 %, and bandwidth within 10 % or its printed precision.

use gpusched::gpu::Program;
use gpusched::gpu::gpu::{Launch, Results, Settings, run};
use gpusched::gpu::program::FIRST_ADDRESS;

use crate::warp_reference::reference::{LIMIT, extents, machine, program};

/// A number: its name, GPGPU-Sim's value, the tolerance, and gpusched's value.
type Number = (String, f64, f64, f64);

/// Returns `of` percent of `expected`.
fn percent(of: f64, expected: f64) -> f64 {
    of / 100.0 * expected
}

/// Checks that all numbers are within their tolerance, and prints all numbers that are not.
fn check(numbers: impl IntoIterator<Item = Number>, count: usize) {
    let numbers: Vec<Number> = numbers.into_iter().collect();
    let wrong = |&&(_, expected, tolerance, found): &&Number| (found - expected).abs() > tolerance;
    let wrong: Vec<&Number> = numbers.iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(numbers.len(), count);
}

/// Runs `program` on `sms` SMs; the issues of a single SM are recorded.
fn simulate(program: &Program, sms: u32, scheduler: &str, warm: bool) -> Results {
    let settings = Settings {
        scheduler: scheduler.parse().unwrap(),
        sms: Some(sms),
        warm: if warm { extents(program) } else { Vec::new() },
        record_issues: (sms == 1).then_some(usize::MAX),
        limit: LIMIT,
        ..Settings::default()
    };
    let launches = [Launch::of_program(program).unwrap()];
    run(&machine(false), &launches, &settings).unwrap()
}

/// Runs the kernel, named as in the reference data, on one SM.
fn kernel(kernel: &str, scheduler: &str, warm: bool) -> Results {
    simulate(&program(kernel, FIRST_ADDRESS), 1, scheduler, warm)
}

/// Runs 64 copies of `body` in each of `warps` warps of one block, on one SM.
fn repeated(warps: u32, body: &str) -> Results {
    let threads = 32 * warps;
    let body = format!(r#"{{"repeat":64,"body":[{body}]}},{{"op":"exit"}}"#);
    let text = format!(r#"{{"name":"t","grid":1,"block":{threads},"body":[{body}]}}"#);
    simulate(&serde_json::from_str(&text).unwrap(), 1, "lrr", true)
}

/// The distance from an instruction to a dependent instruction is its latency and 5 cycles, or 4 cycles if it reads no
/// register.
#[test]
fn issue_distances() {
    let chains = [
        (
            "FMA",
            9,
            1,
            r#"{"op":"mad.single","to":"f1","from":["f1","f2","f3"]}"#,
        ),
        ("ADD", 9, 1, r#"{"op":"add.int","to":"r1","from":["r1","r2"]}"#),
        (
            "xor or and",
            6,
            1,
            r#"{"op":"other","to":"r1","from":["r1","r2"]}"#,
        ),
        (
            "setp, then what it guards",
            6,
            2,
            r#"{"op":"other","to":"p1","from":"r1"},{"op":"other","on":"p1"}"#,
        ),
        (
            "mov of a number, then its use",
            5,
            2,
            r#"{"op":"other","to":"r1"},{"op":"add.int","to":"r1","from":"r1"}"#,
        ),
    ];
    let numbers = chains.into_iter().flat_map(|(name, cycles, step, body)| {
        let issues = repeated(1, body).issues;
        let pairs = issues
            .windows(2)
            .map(|pair| (pair[1].cycle - pair[0].cycle) as f64);
        // The last instruction of a self-dependent chain has no dependent instruction.
        let distances: Vec<f64> = pairs.step_by(step).take(63).collect();
        distances
            .into_iter()
            .map(move |distance| (name.to_owned(), f64::from(cycles), 0.0, distance))
    });
    check(numbers, 5 * 63);
}

/// The time of a chase step without its multiplication and addition, which take 9 cycles each.
#[test]
fn from_load_to_use() {
    let loads = [
        // Sixteen lines fit in L1, and 1024 lines do not.
        ("L1", "chase:16:", 256, true, 36.0),
        ("L2 through L1", "chase:1024:", 1024, true, 239.0),
        ("L2 past L1", "chasecg:16:", 256, true, 206.0),
        // Each line is accessed once; lines are 128 bytes apart.
        ("DRAM", "chasecg:1024:", 512, false, 315.0),
    ];
    let numbers = loads.into_iter().map(|(name, lines, steps, warm, expected)| {
        let cycles = |steps: u64| kernel(&format!("{lines}{steps}"), "lrr", warm).cycles;
        let step = (cycles(2 * steps) - cycles(steps)) as f64 / steps as f64;
        (name.to_owned(), expected, 0.5, step - 18.0)
    });
    check(numbers, 4);
}

/// A kernel ends when its stores are acknowledged, about one memory round trip after its last instruction.
#[test]
fn from_the_last_instruction_to_the_end() {
    let results = kernel("pc:1:16:32", "lrr", true);
    let last = results.issues.iter().map(|issue| issue.cycle).max().unwrap();
    let rest = (results.kernels[0].finish - last) as f64;
    check([("end".to_owned(), 240.0, percent(5.0, 240.0), rest)], 1);
}

/// First, each warp runs a chain of FMAs. Then FMAs and additions are independent. Each kind has its own units, which
/// accept an instruction of a scheduler every second cycle.
#[test]
fn instructions_per_cycle() {
    let rate = |results: &Results| results.kernels[0].warp_instructions as f64 / results.cycles as f64;
    let chains = [
        ("lrr", 1, 0.115),
        ("lrr", 4, 0.457),
        ("lrr", 8, 0.832),
        ("lrr", 16, 1.65),
        ("lrr", 32, 2.04),
        ("gto", 8, 0.901),
        ("gto", 16, 1.64),
        ("gto", 32, 1.79),
    ];
    let chains = chains.map(|(scheduler, warps, expected)| {
        let results = kernel(&format!("pc:1:64:{}", 32 * warps), scheduler, true);
        let name = format!("{warps} warps under {scheduler}");
        (name, expected, percent(5.0, expected), rate(&results))
    });
    let fma = |to: &str| format!(r#"{{"op":"mad.single","to":"{to}","from":["f5","f2","f3"]}}"#);
    let add = |to: &str| format!(r#"{{"op":"add.int","to":"{to}","from":["r6","r3"]}}"#);
    let kinds = [
        (
            "FMAs",
            [fma("f1"), fma("f4"), fma("f6"), fma("f7")].join(","),
            2.0,
        ),
        ("FMAs and additions", [fma("f1"), add("r4")].join(","), 4.0),
    ];
    let kinds = kinds.map(|(name, body, most)| {
        let found = rate(&repeated(32, &body));
        assert!(found <= most, "{name}: {found}");
        (name.to_owned(), most, percent(5.0, most), found)
    });
    check(chains.into_iter().chain(kinds), 10);
}

/// Returns the bytes per nanosecond of `sectors` of 32 bytes, including acknowledged writes, as in the reference data.
fn gigabytes(sectors: u64, cycles: u64) -> f64 {
    sectors as f64 * 32.0 * 1.365 / cycles as f64
}

/// Bandwidth of L2 with four blocks per SM. The reference numbers have no decimals or three decimals.
#[test]
fn bandwidth_at_l2() {
    let sms = [1, 2, 5, 10, 15, 20, 25, 30];
    let warm = [20.0, 41.0, 102.0, 179.0, 260.0, 329.0, 390.0, 381.0];
    let cold = [17.0, 34.0, 86.0, 165.0, 232.0, 302.0, 345.0, 371.0];
    let at = |kernel: &str, sms, warm| {
        let results = simulate(&program(kernel, FIRST_ADDRESS), sms, "lrr", warm);
        gigabytes(results.traffic.l2_accesses, results.cycles)
    };
    let numbers = [(true, warm), (false, cold)]
        .into_iter()
        .flat_map(|(warm, rates)| {
            sms.into_iter().zip(rates).map(move |(sms, rate)| {
                let name = format!("copyl on {sms} SMs, warm {warm}");
                let found = at(&format!("copyl:{}:4", 4 * sms), sms, warm);
                (name, rate + 0.5, 0.5, found)
            })
        });
    let most = [("copyl:120:10", 489.655, 0.001), ("saxpyl:120:10", 578.383, 58.0)];
    let most = most.map(|(kernel, rate, tolerance)| {
        let found = at(kernel, 30, true);
        (kernel.to_owned(), rate, tolerance, found)
    });
    check(numbers.chain(most), 18);
}

/// A copy of 3.9 MB, more than L2 holds. The reference data used an older copyl.
#[test]
fn bandwidth_at_dram() {
    let results = simulate(&program("copyl:120:16", FIRST_ADDRESS), 30, "lrr", true);
    let (traffic, cycles) = (&results.traffic, results.cycles);
    let dram = traffic.dram_reads + traffic.dram_writes;
    let number =
        |name: &str, expected: f64, found| (name.to_owned(), expected, percent(10.0, expected), found);
    let numbers = [
        number("at L2", 477.0, gigabytes(traffic.l2_accesses, cycles)),
        number("at DRAM", 282.0, gigabytes(dram, cycles)),
        number("sectors read", 61_440.0, traffic.dram_reads as f64),
        number("sectors written", 11_220.0, traffic.dram_writes as f64),
    ];
    check(numbers, 4);
}
