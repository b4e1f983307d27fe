//! Measures the block events per second of the block-level simulator. A block has two events: its
//! start and its end.
//!
//! `cargo bench --bench blocks`

#![allow(clippy::unwrap_used, clippy::expect_used)] // a bench may panic

use std::time::Instant;

use gpusched::model::Scenario;
use gpusched::simulator::blocks::{Record, simulate};

const BLOCKS: u32 = 2_000_000;

fn scenario(platform: &str, kernels: u32, threads: u32, extra: &str) -> Scenario {
    let list: Vec<String> = (0..kernels)
        .map(|stream| {
            let blocks = BLOCKS / kernels;
            let low = 1000 + 37 * stream;
            format!(
                r#"{{"stream":{stream},"blocks":{blocks},"threads":{threads},"block_time":{{"uniform":[{low},9000]}}{extra}}}"#
            )
        })
        .collect();
    let bandwidth = match extra {
        "" => "",
        _ => r#""interference":{"bandwidth":1000},"#,
    };
    let text = format!(
        r#"{{"platform":"{platform}",{bandwidth}"kernels":[{}]}}"#,
        list.join(",")
    );
    serde_json::from_str(&text).expect("a scenario")
}

fn main() {
    for (name, platform, kernels, threads, extra) in [
        ("xavier, 1 kernel of 2 blocks per SM", "xavier", 1, 1024, ""),
        ("xavier, 8 streams of 16 blocks per SM", "xavier", 8, 128, ""),
        ("h100, 8 streams of 8 blocks per SM", "h100", 8, 256, ""),
        (
            "xavier, 1 kernel, shared bandwidth",
            "xavier",
            1,
            1024,
            r#","bandwidth":100"#,
        ),
    ] {
        let scenario = scenario(platform, kernels, threads, extra);
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            simulate(&scenario, 1, &mut ()).expect("a run");
            best = best.min(start.elapsed().as_secs_f64());
        }
        let start = Instant::now();
        let mut record = Record::default();
        simulate(&scenario, 1, &mut record).expect("a run");
        let recorded = start.elapsed().as_secs_f64();
        let events = f64::from(2 * BLOCKS);
        println!(
            "{name}: {:.1} million block events per second, recorded {:.1}",
            events / best / 1e6,
            events / recorded / 1e6
        );
    }
}
