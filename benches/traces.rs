//! Measures the time to read a machine-code trace. Run with `cargo bench --bench traces`.
//!
//! The benchmark reads a synthetic trace of about 100 MB in four ways: it counts the lines, reads
//! block by block, computes all figures, and issues the streams to their end. The trace is in
//! memory. The four ways run in turn, and each printed figure is a median.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Cursor};
use std::sync::Arc;
use std::time::Instant;

use gpusched::gpu::code::{Effect, Stream, TracedKernel};
use gpusched::gpu::import::accelsim::{KernelSummary, TraceFile};

const BLOCKS: u64 = 1_024;
/// Number of iterations of the loop in each warp.
const ROUNDS: u64 = 16;
const TURNS: usize = 9;

/// Text in memory that several readers share.
struct Text(Arc<[u8]>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn main() {
    let text: Arc<[u8]> = trace().into_bytes().into();
    let megabytes = text.len() as f64 / 1e6;
    let open = || TraceFile::from_reader("bench", Cursor::new(Text(Arc::clone(&text)))).unwrap();
    println!("{megabytes:.0} MB, {} lines", count_lines(&text));
    let blocks = || {
        let mut trace = open();
        let mut records = 0;
        while let Some(block) = trace.next_block().unwrap() {
            records += block
                .warps()
                .iter()
                .map(|warp| warp.records().len() as u64)
                .sum::<u64>();
        }
        records
    };
    let streams = || {
        let mut kernel = TracedKernel::new(open());
        let (mut effect, mut sum) = (Effect::default(), 0u64);
        while let Some(streams) = kernel.next_block().unwrap() {
            for mut stream in streams {
                while stream.next().is_some() {
                    stream.issue(&mut effect);
                    sum = sum.wrapping_add(effect.addresses[31]);
                }
            }
        }
        sum
    };
    let tasks: [(&str, &dyn Fn() -> u64); 4] = [
        ("lines counted", &|| count_lines(&text)),
        ("blocks read", &blocks),
        ("summary", &|| {
            KernelSummary::read(open()).unwrap().footprint_bytes
        }),
        ("streams issued", &streams),
    ];
    let rounds: Vec<[f64; 4]> = (0..TURNS).map(|_| tasks.map(|(_, task)| seconds(task))).collect();
    for (index, (what, _)) in tasks.into_iter().enumerate() {
        let speed = median(rounds.iter().map(|round| megabytes / round[index]));
        let ratio = median(rounds.iter().map(|round| round[index] / round[0]));
        println!("  {what:<16} {speed:>6.0} MB/s, {ratio:>5.1} times the time of counting lines");
    }
}

fn seconds(task: &dyn Fn() -> u64) -> f64 {
    let start = Instant::now();
    black_box(task());
    start.elapsed().as_secs_f64()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn count_lines(text: &Arc<[u8]>) -> u64 {
    let mut reader = BufReader::with_capacity(1 << 17, Cursor::new(Text(Arc::clone(text))));
    let (mut line, mut lines) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        line.clear();
        lines += 1;
    }
    lines
}

/// Returns a trace with eight warps per block. Each warp runs a loop of twelve instructions, with
/// a regular load, an irregular load and a store.
fn trace() -> String {
    let mut text = format!(
        "-kernel name = bench\n-kernel id = 1\n-grid dim = ({BLOCKS},1,1)\n-block dim = (256,1,1)\n-shmem = 0\n-nregs = 32\n\
         -binary version = 75\n-accelsim tracer version = 5\n\n#traces format = …\n\n"
    );
    for block in 0..BLOCKS {
        writeln!(text, "#BEGIN_TB\n\nthread block = {block},0,0").unwrap();
        for warp in 0..8 {
            write!(text, "\nwarp = {warp}\ninsts = {}\n", 12 * ROUNDS).unwrap();
            for round in 0..ROUNDS {
                let base = 0x7f00_0000_0000 + (block * 8 + warp) * 128 + round * 0x10_0000;
                let irregular: String = (1..32)
                    .map(|lane| format!("{} ", (lane * 37 + block + round) % 4096 * 4))
                    .collect();
                for (pc, columns) in [
                    "1 R0 IMAD 3 R1 R2 R3 0 ".to_owned(),
                    "1 R4 IMAD.WIDE 2 R0 R5 0 ".to_owned(),
                    format!("1 R6 LDG.E.SYS 1 R4 4 1 0x{base:x} 4 "),
                    "1 R8 LEA 2 R6 R5 0 ".to_owned(),
                    format!("1 R9 LDG.E.SYS 1 R8 4 2 0x{base:x} {irregular}"),
                    "1 R10 FMUL 2 R6 R9 0 ".to_owned(),
                    "1 R10 FFMA 3 R6 R9 R10 0 ".to_owned(),
                    "1 R10 FFMA 3 R6 R9 R10 0 ".to_owned(),
                    format!("0 STG.E.SYS 2 R4 R10 4 1 0x{base:x} 4 "),
                    "1 R1 IADD3 3 R1 R2 R255 0 ".to_owned(),
                    "0 ISETP.GE.AND 2 R1 R3 0 ".to_owned(),
                    "0 BRA 0 0 ".to_owned(),
                ]
                .into_iter()
                .enumerate()
                {
                    writeln!(text, "{:04x} ffffffff {columns}0 ", pc * 16).unwrap();
                }
            }
        }
        text += "\n#END_TB\n\n";
    }
    text
}
