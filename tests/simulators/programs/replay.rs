//! Streams of imported kernels against issue traces of GPGPU-Sim: each warp issues the same instructions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gpusched::gpu::Program;
use gpusched::gpu::code::{Code, Effect, Stream};
use gpusched::gpu::import::ptx::{Argument, Module, Options, import};
use gpusched::gpu::program::{Dimensions, Overrides};

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Imports a kernel of `tasksets/kernels/ptx`; arguments are `NAME:BYTES` or `NAME=VALUE`.
pub fn imported(file_name: &str, kernel: &str, grid: u32, block: u32, pc: u32, arguments: &str) -> Program {
    let module = Module::read(&file(&format!("tasksets/kernels/ptx/{file_name}"))).unwrap();
    let arguments = arguments
        .split(' ')
        .map(|argument| match argument.split_once('=') {
            Some((name, value)) => Argument::Number(name.to_owned(), value.parse().unwrap()),
            None => {
                let (name, bytes) = argument.split_once(':').unwrap();
                Argument::Buffer(name.to_owned(), bytes.parse().unwrap())
            }
        });
    let options = Options {
        grid: Dimensions::line(grid),
        block: Dimensions::line(block),
        arguments: arguments.collect(),
        contents: Vec::new(),
        registers: Program::REGISTERS,
        dynamic_shared_memory: 0,
        any_modifier: false,
        pc,
        source: None,
    };
    import(&module, kernel, &options).unwrap()
}

/// Returns the issues of a warp: addresses and texts of instructions.
fn issued(code: &Arc<Code>, block: u64, warp: u32) -> Vec<(u32, String)> {
    let mut stream = code.stream(block, warp);
    let mut effect = Effect::default();
    let mut issued = Vec::new();
    while let Some(instruction) = stream.next() {
        issued.push((instruction.pc, code.text(instruction.pc).unwrap().to_owned()));
        let following = instruction.pc + 8;
        stream.issue(&mut effect);
        let next = stream.next().map(|next| next.pc);
        assert_eq!(effect.jumped, next.is_some_and(|next| next != following));
    }
    issued
}

/// Returns the issues of each warp, by age. `dynamic_warp_id` counts blocks in the order of their arrival at the SM,
/// then warps.
fn traced(text: &str) -> BTreeMap<u32, Vec<(u32, String)>> {
    let mut warps: BTreeMap<u32, Vec<(u32, String)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let pc = u32::from_str_radix(columns[4], 16).unwrap();
        let text = columns[6].replace(['%', ';'], "");
        warps
            .entry(columns[3].parse().unwrap())
            .or_default()
            .push((pc, text));
    }
    warps
}

fn replay(program: &Program, trace: &str) {
    let code = Arc::new(Code::new(program).unwrap());
    let warps = traced(&file(trace));
    assert_eq!(warps.len() as u64, code.blocks() * u64::from(code.warps()));
    for (age, expected) in warps {
        // All blocks of these kernels issue the same instructions, so the order of their arrival has no effect.
        let (block, warp) = (age / code.warps(), age % code.warps());
        assert_eq!(
            issued(&code, u64::from(block), warp),
            expected,
            "{trace}: warp {age}"
        );
    }
}

#[test]
fn vadd_issues_what_the_reference_issues() {
    let program = imported("kernels.ptx", "vadd", 8, 256, 0xc8, "a:8192 b:8192 c:8192");
    replay(&program, "tests/simulators/programs/data/vadd_8_lrr.csv");
}

#[test]
fn pc_issues_what_the_reference_issues() {
    let program = imported("kernels.ptx", "pc", 8, 256, 0x258, "a:8192 b:8192 n=2");
    replay(&program, "tests/simulators/programs/data/pc_8_2_gto.csv");
}

#[test]
fn fma4_issues_what_the_reference_issues() {
    let program = imported("fma4.ptx", "fma4", 1, 32, 0x1fc0, "a:4096 b:4096 n=2");
    replay(&program, "tests/simulators/programs/data/fma4_1_2_32_lrr.csv");
}

/// Returns the numbers of warp instructions and thread instructions of a launch.
fn counts(program: &Program) -> (u64, u64) {
    let code = Arc::new(Code::new(program).unwrap());
    let mut effect = Effect::default();
    let (mut warps, mut threads) = (0, 0);
    for block in 0..code.blocks() {
        for warp in 0..code.warps() {
            let mut stream = code.stream(block, warp);
            while stream.next().is_some() {
                stream.issue(&mut effect);
                warps += 1;
                threads += u64::from(effect.lanes.count_ones());
            }
        }
    }
    (warps, threads)
}

/// Compares with the columns `warp_insn` and `thread_insn` of runs of GPGPU-Sim.
#[test]
fn kernels_issue_as_many_instructions_as_in_the_reference() {
    let kernels = "kernels.ptx";
    for (file, kernel, grid, block, arguments, expected) in [
        (kernels, "pc", 1, 32, "a:4096 b:4096 n=16", (174, 5472)),
        (kernels, "pc", 1, 1024, "a:4096 b:4096 n=64", (19776, 629_760)),
        (
            kernels,
            "vadd",
            480,
            256,
            "a:491520 b:491520 c:491520",
            (72960, 2_334_720),
        ),
        (
            kernels,
            "matmul",
            36,
            256,
            "a:36864 b:36864 c:36864 n=96",
            (184_320, 5_870_592),
        ),
        (kernels, "copyl", 4, 256, "a:99999 b:99999 n=4", (1568, 47104)),
        (
            kernels,
            "copyl",
            120,
            256,
            "a:99999 b:99999 n=10",
            (87360, 2_641_920),
        ),
        (
            kernels,
            "conv2d",
            240,
            256,
            "in:245760 out:245760 h=240",
            (80192, 2_492_364),
        ),
        ("fma4.ptx", "fma4", 1, 32, "a:4096 b:4096 n=16", (308, 9760)),
        ("fma4.ptx", "fma4", 1, 256, "a:4096 b:4096 n=32", (4672, 148_736)),
        ("iadd.ptx", "iadd", 1, 32, "a:4096 b:4096 n=16", (311, 9856)),
        (
            "iadd.ptx",
            "iadd",
            1,
            1024,
            "a:4096 b:4096 n=64",
            (37216, 1_187_840),
        ),
        (
            "saxpyl.ptx",
            "saxpyl",
            120,
            256,
            "a:99999 b:99999 f=2 n=10",
            (107_520, 3_287_040),
        ),
    ] {
        let program = imported(file, kernel, grid, block, 0, arguments);
        assert_eq!(counts(&program), expected, "{kernel} {grid} {block} {arguments}");
    }
}

/// The programs in the repository equal the output of the commands on their page.
#[test]
fn programs_that_ship_are_those_of_their_commands() {
    let page = file("tasksets/kernels/programs/README.md").replace(" \\\n  ", " ");
    let mut made = 0;
    for command in page
        .lines()
        .filter(|line| line.starts_with("gpusched import ptx "))
    {
        let words: Vec<&str> = command.split(' ').collect();
        let after = |flag: &str| {
            let at = words.iter().position(|word| *word == flag);
            at.map(|at| words[at + 1])
        };
        let number = |flag: &str| after(flag).map_or(0, |value| value.parse().unwrap());
        let parameters: Vec<&str> = words
            .windows(2)
            .filter(|pair| pair[0] == "-p")
            .map(|pair| pair[1])
            .collect();
        let program = imported(
            words[3].strip_prefix("tasksets/kernels/ptx/").unwrap(),
            after("--kernel").unwrap(),
            number("--grid"),
            number("--block"),
            number("--pc"),
            &parameters.join(" "),
        );
        assert_eq!(
            file(after("-o").unwrap()),
            program.to_text().unwrap(),
            "{command}"
        );
        made += 1;
    }
    assert_eq!(made, 8);
}

#[test]
fn chases_issue_as_many_instructions_as_in_the_reference() {
    for (name, values, expected) in [
        ("chase", (16, 256), (981, 31296)),
        ("chase", (16, 512), (1941, 62016)),
        ("chasecg", (16, 256), (980, 31264)),
        ("chasecg", (1024, 1024), (3860, 123_424)),
    ] {
        let text = file(&format!("tasksets/kernels/programs/{name}.json"));
        let program: Program = serde_json::from_str(&text).unwrap();
        let overrides = Overrides {
            values: vec![("n".to_owned(), values.0), ("p".to_owned(), values.1)],
            ..Overrides::default()
        };
        assert_eq!(counts(&program.with(&overrides).unwrap()), expected, "{name}");
    }
}
