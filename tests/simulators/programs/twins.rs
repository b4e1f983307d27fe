//! Compares streams of imported kernels with the interpreter: instructions, lanes and addresses
//! are equal.

use std::sync::Arc;

use gpusched::gpu::Program;
use gpusched::gpu::code::{Code, Effect, Stream};
use gpusched::gpu::import::ptx::{Argument, Module, Options, import};
use gpusched::gpu::program::Dimensions;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::programs::interpreter::{Issue, Launch};
use crate::support::rounds;

/// Returns the issues of a stream in the form of the interpreter.
fn issues(code: &Arc<Code>, block: u64, warp: u32) -> Vec<Issue> {
    let mut stream = code.stream(block, warp);
    let first = code.instructions()[0].pc;
    let mut effect = Effect::default();
    let mut issues = Vec::new();
    while let Some(instruction) = stream.next() {
        let index = (instruction.pc - first) as usize / 8;
        let accesses = {
            use gpusched::gpu::code::Operation::{Atomic, Load, Store};
            matches!(instruction.operation, Load { .. } | Store { .. } | Atomic { .. })
        };
        stream.issue(&mut effect);
        let lanes = (0..32_u32).filter(|lane| accesses && effect.lanes >> lane & 1 == 1);
        let addresses = lanes
            .map(|lane| (lane, effect.addresses[lane as usize]))
            .collect();
        issues.push(Issue {
            index,
            lanes: effect.lanes,
            addresses,
        });
    }
    issues
}

/// Compares `program` with its kernel in `text`, in up to `blocks` blocks.
pub fn compare(text: &str, program: &Program, kernel: &str, arguments: &[Argument], blocks: u64) {
    let module = Module::read(text).unwrap();
    let kernel = module.kernel(kernel).unwrap();
    let arguments = arguments
        .iter()
        .map(|argument| program.value(argument.name()).unwrap() as u64)
        .collect();
    let buffers = program.buffers.iter().zip(program.addresses());
    let contents = buffers.filter_map(|((_, buffer), address)| {
        let contents = buffer.contents.as_ref()?;
        Some((address, contents.element, contents.numbers()?.to_vec()))
    });
    let launch = Launch {
        contents: contents.collect(),
        kernel,
        grid: program.grid,
        block: program.block,
        arguments,
    };
    // A program that is written and read stays the same.
    let read: Program = serde_json::from_str(&program.to_text().unwrap()).unwrap();
    assert_eq!(&read, program);
    let code = Arc::new(Code::new(&read).unwrap());
    assert_eq!(code.instructions().len(), kernel.instructions.len());
    let last = code.blocks() - 1;
    for block in (0..code.blocks().min(blocks)).chain([last]) {
        for warp in 0..code.warps() {
            let (found, expected) = (issues(&code, block, warp), launch.warp(block, warp));
            let at = found
                .iter()
                .zip(&expected)
                .position(|(found, expected)| found != expected);
            let at = at.unwrap_or(found.len().min(expected.len()));
            assert_eq!(
                found.get(at),
                expected.get(at),
                "block {block}, warp {warp}, issue {at}"
            );
        }
    }
}

pub fn arguments(text: &str) -> Vec<Argument> {
    let read = |argument: &str| match argument.split_once('=') {
        Some((name, value)) => Argument::Number(name.to_owned(), value.parse().unwrap()),
        None => {
            let (name, bytes) = argument.split_once(':').unwrap();
            Argument::Buffer(name.to_owned(), bytes.parse().unwrap())
        }
    };
    text.split(' ').map(read).collect()
}

pub fn options(grid: &str, block: &str, arguments: Vec<Argument>) -> Options {
    Options {
        grid: grid.parse().unwrap(),
        block: block.parse().unwrap(),
        arguments,
        contents: Vec::new(),
        registers: Program::REGISTERS,
        dynamic_shared_memory: 0,
        any_modifier: false,
        pc: 0,
        source: None,
    }
}

#[test]
fn kernels_that_ship_do_what_their_ptx_does() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/ptx");
    for (file, kernel, grid, block, given) in [
        ("kernels", "vadd", "12", "250", "a:9999 b:9999 c:9999"),
        ("kernels", "pc", "2", "64", "a:9999 b:9999 n=0"),
        ("kernels", "pc", "2", "70", "a:9999 b:9999 n=3"),
        ("kernels", "pc", "2", "64", "a:9999 b:9999 n=13"),
        ("kernels", "conv2d", "9", "256", "a:9999 b:9999 h=8"),
        ("kernels", "conv2d", "9", "250", "a:9999 b:9999 h=240"),
        ("kernels", "matmul", "4", "256", "a:9999 b:9999 c:9999 n=35"),
        ("kernels", "matmul", "36", "256", "a:9999 b:9999 c:9999 n=96"),
        ("kernels", "copyl", "3", "96", "a:9999 b:9999 n=10"),
        ("kernels", "copyl", "3", "96", "a:9999 b:9999 n=3"),
        ("kernels", "copyl", "3", "96", "a:9999 b:9999 n=-1"),
        ("fma4", "fma4", "2", "64", "a:9999 b:9999 n=7"),
        ("iadd", "iadd", "2", "64", "a:9999 b:9999 n=7"),
        ("saxpyl", "saxpyl", "2", "64", "a:9999 b:9999 f=1 n=7"),
        (
            "shared",
            "histogram",
            "3",
            "96",
            "a:9999 b:9999 n=5 factor=1103515245 shift=16",
        ),
        (
            "shared",
            "histogram",
            "3",
            "70",
            "a:9999 b:9999 n=5 factor=32 shift=0",
        ),
        ("shared", "reduction", "2", "256", "a:9999 b:9999"),
        (
            "shared",
            "transposition",
            "2x2",
            "32x8",
            "a:9999 b:9999 columns=64 pitch=132",
        ),
        ("shared", "relaxation", "2", "256", "a:9999 b:9999 n=3"),
        ("shared", "gather", "2", "64", "a:9999 b:9999 n=3 stride=128"),
        ("shared", "tickets", "2", "70", "a:9999 b:9999 n=3 lanes=5"),
        ("shared", "fences", "2", "64", "a:9999 b:9999 n=3"),
    ] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("ptx")).unwrap();
        let given = arguments(given);
        let module = Module::read(&text).unwrap();
        let program = import(&module, kernel, &options(grid, block, given.clone())).unwrap();
        compare(&text, &program, kernel, &given, 3);
    }
}

#[test]
fn instrumented_kernels_do_what_their_ptx_does() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/instrument/vector_add.ptx");
    let text = std::fs::read_to_string(file).unwrap();
    for (kernel, grid, block, given) in [
        ("vector_add", "4", "64", "a:9999 b:9999 c:9999 rounds=3"),
        (
            "vector_add_traced",
            "4",
            "70",
            "a:9999 b:9999 c:9999 rounds=3 records:96",
        ),
        (
            "vector_add_traced",
            "2x3x2",
            "8x4x3",
            "a:9999 b:9999 c:9999 rounds=0 records:288",
        ),
    ] {
        let given = arguments(given);
        let module = Module::read(&text).unwrap();
        let program = import(&module, kernel, &options(grid, block, given.clone())).unwrap();
        compare(&text, &program, kernel, &given, 12);
    }
}

/// Values of floating-point parameters are stored as bits. No other part of the program depends on them.
#[test]
fn decimals_are_stated_by_their_bits() {
    let text =
        ".entry k(.param .f32 s, .param .f64 d)\n{ .reg .f32 %f<2>;\nld.param.f32 %f1, [s];\nret;\n}\n";
    let module = Module::read(text).unwrap();
    let program = |s: &str, d: &str| {
        let decimals = [("s", s), ("d", d)];
        let decimals = decimals.map(|(name, value)| Argument::Decimal(name.to_owned(), value.to_owned()));
        import(&module, "k", &options("1", "32", decimals.into())).unwrap()
    };
    let found = program("2.5", "-0.1");
    assert_eq!(found.value("s"), Some(0x4020_0000));
    assert_eq!(found.value("d"), Some((-0.1_f64).to_bits().cast_signed()));
    assert_eq!(found.body, program("1", "2").body);
    let whole = [("s", 3), ("d", -2)].map(|(name, value)| Argument::Number(name.to_owned(), value));
    let whole = import(&module, "k", &options("1", "32", whole.into())).unwrap();
    assert_eq!(whole.parameters, program("3.0", "-2.0").parameters);
}

/// A program with another launch equals its kernel with that launch.
#[test]
fn overridden_launches_do_what_the_ptx_does() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/ptx");
    let text = std::fs::read_to_string(folder.join("kernels.ptx")).unwrap();
    let module = Module::read(&text).unwrap();
    for (kernel, given, values) in [
        ("pc", "a:9999 b:9999 n=16", &[0, 1, 3, 4, 5, 10][..]),
        ("copyl", "a:9999 b:9999 n=4", &[0, 1, 3, 4, 5, 10]),
        ("matmul", "a:9999 b:9999 c:9999 n=96", &[0, 16, 17, 35]),
        ("conv2d", "a:9999 b:9999 n=240", &[0, 1, 2, 5]),
    ] {
        let given = arguments(given);
        let program = import(&module, kernel, &options("30", "256", given.clone())).unwrap();
        for value in values {
            let overrides = gpusched::gpu::program::Overrides {
                grid: Some(Dimensions::line(3)),
                block: Some(Dimensions::line(80)),
                values: vec![("n".to_owned(), *value)],
                ..Default::default()
            };
            // A division by zero that only depends on parameters is rejected.
            if kernel == "matmul" && *value < 16 {
                assert!(program.with(&overrides).is_err());
                continue;
            }
            compare(&text, &program.with(&overrides).unwrap(), kernel, &given, 3);
        }
    }
}

/// A piece of a generated kernel.
#[derive(Debug, Clone)]
enum Part {
    /// An instruction, by number, on registers, by number.
    Plain(u8, [u8; 3], i32),
    /// A load or store at `base + 4·register`.
    Memory(bool, u8, i32),
    /// The inner part under a guard.
    Guarded(Box<Part>, u8, bool),
    If(u8, [u8; 2], i32, Vec<Part>, Vec<Part>),
    /// Rounds, by number; a step; the form; the body.
    Loop(u8, u8, u8, Vec<Part>),
    Exit(u8, i32),
}

fn part() -> impl Strategy<Value = Part> {
    let plain = || (0..20_u8, any::<[u8; 3]>(), -9..40_i32).prop_map(|(op, r, c)| Part::Plain(op, r, c));
    let memory = || (any::<bool>(), any::<u8>(), -8..9_i32).prop_map(|(load, r, c)| Part::Memory(load, r, c));
    let leaf = prop_oneof![
        4 => plain(),
        2 => memory(),
        1 => (prop_oneof![plain(), memory()], any::<u8>(), any::<bool>())
            .prop_map(|(part, p, negated)| Part::Guarded(Box::new(part), p, negated)),
        1 => (any::<u8>(), 20..90_i32).prop_map(|(r, c)| Part::Exit(r, c)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..4);
        let other = prop_oneof![Just(Vec::new()), prop::collection::vec(inner.clone(), 1..3)];
        prop_oneof![
            (any::<u8>(), any::<[u8; 2]>(), -2..40_i32, body(), other)
                .prop_map(|(op, r, c, then, otherwise)| Part::If(op, r, c, then, otherwise)),
            (any::<u8>(), 1..4_u8, any::<u8>(), body()).prop_map(|(n, s, f, body)| Part::Loop(n, s, f, body)),
        ]
    })
}

/// Writes PTX for parts of a kernel.
#[derive(Default)]
struct Writer {
    text: String,
    labels: usize,
    /// Number of used registers `%q…` of loops and `%p…` of branches.
    own: usize,
    predicates: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(&format!("\t{text};\n"));
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn compare(&mut self, op: u8, a: u8, c: i32) -> usize {
        let word = ["lt", "le", "gt", "ge", "eq", "ne"][usize::from(op) % 6];
        let kind = if op.is_multiple_of(2) { "s32" } else { "u32" };
        let p = self.predicates + 1;
        self.predicates = p;
        self.line(&format!("setp.{word}.{kind} %p{p}, %r{}, {c}", a % 8));
        p
    }

    fn part(&mut self, part: &Part, guard: &str) {
        match part {
            Part::Plain(op, registers, c) => {
                let [d, a, b] = registers.map(|register| register % 8);
                // Registers 0 to 3 hold inputs and never change.
                let d = 4 + d % 4;
                let text = match op {
                    0 => format!("add.s32 %r{d}, %r{a}, %r{b}"),
                    1 => format!("add.s32 %r{d}, %r{d}, {c}"),
                    2 => format!("sub.s32 %r{d}, %r{a}, %r{b}"),
                    3 => format!("mul.lo.s32 %r{d}, %r{a}, {c}"),
                    4 => format!("mad.lo.s32 %r{d}, %r{a}, {c}, %r{b}"),
                    5 => format!("shl.b32 %r{d}, %r{a}, {}", c & 7),
                    6 => format!("shr.s32 %r{d}, %r{a}, {}", c & 7),
                    7 => format!("shr.u32 %r{d}, %r{a}, {}", c & 31),
                    8 => format!("and.b32 %r{d}, %r{a}, {}", c & 31),
                    9 => format!("xor.b32 %r{d}, %r{a}, %r{b}"),
                    10 => format!("min.s32 %r{d}, %r{a}, %r{b}"),
                    11 => format!("max.u32 %r{d}, %r{a}, {c}"),
                    12 => format!("div.s32 %r{d}, %r{a}, {}", c.max(&1)),
                    13 => format!("rem.u32 %r{d}, %r{a}, {}", c.max(&1)),
                    14 => format!("mov.u32 %r{d}, %r{a}"),
                    15 => format!("mov.u32 %r{d}, {c}"),
                    16 => format!("selp.b32 %r{d}, %r{a}, %r{b}, %p0"),
                    17 => format!("bfi.b32 %r{d}, %r{a}, %r{b}, {}, {}", c & 15, 1 + (c & 7)),
                    18 => format!("not.b32 %r{d}, %r{a}"),
                    _ => format!("bfe.u32 %r{d}, %r{a}, {}, {}", c & 15, 1 + (c & 7)),
                };
                self.line(&format!("{guard}{text}"));
            }
            Part::Memory(load, register, c) => {
                let wide = if *load { "mul.wide.s32" } else { "mul.wide.u32" };
                self.line(&format!("{wide} %rd3, %r{}, 4", register % 8));
                self.line("add.s64 %rd4, %rd1, %rd3");
                self.line(&match load {
                    true => format!("{guard}ld.global.f32 %f1, [%rd4+{c}]"),
                    false => format!("{guard}st.global.f32 [%rd4+{c}], %f1"),
                });
            }
            Part::Guarded(part, register, negated) => {
                let p = self.compare(*register, *register, i32::from(*register) / 8);
                self.part(part, &format!("@{}%p{p} ", if *negated { "!" } else { "" }));
            }
            Part::If(op, [a, _], c, then, otherwise) => {
                let (over, out) = (self.label(), self.label());
                let p = self.compare(*op, *a, *c);
                self.line(&format!("@%p{p} bra $L{over}"));
                then.iter().for_each(|part| self.part(part, ""));
                if !otherwise.is_empty() {
                    self.line(&format!("bra.uni $L{out}"));
                }
                self.text.push_str(&format!("$L{over}:\n"));
                otherwise.iter().for_each(|part| self.part(part, ""));
                self.text.push_str(&format!("$L{out}:\n"));
            }
            Part::Loop(rounds, step, form, body) => {
                let start = self.label();
                let q = self.own + 1;
                self.own = q;
                // The number of rounds is equal for all threads or depends on the thread.
                let bound = ["%r3", "5", "%r9", "%r3"][usize::from(*rounds) % 4];
                // The step is a number or depends on the thread.
                let stride = ["%r9".to_owned(), step.to_string()][usize::from(form % 5 < 3)].clone();
                match form % 5 {
                    0 | 3 => self.line(&format!("mov.u32 %q{q}, 0")),
                    1 | 4 => self.line(&format!("mov.u32 %q{q}, {bound}")),
                    _ => self.line(&format!("mul.lo.s32 %q{q}, {bound}, {step}")),
                }
                self.text.push_str(&format!("$L{start}:\n"));
                body.iter().for_each(|part| self.part(part, ""));
                let p = self.predicates + 1;
                self.predicates = p;
                match form % 5 {
                    0 | 3 => {
                        self.line(&format!("add.s32 %q{q}, %q{q}, {stride}"));
                        self.line(&format!("setp.lt.s32 %p{p}, %q{q}, {bound}"));
                    }
                    1 | 4 => {
                        self.line(&format!("sub.s32 %q{q}, %q{q}, {stride}"));
                        self.line(&format!("setp.gt.s32 %p{p}, %q{q}, 0"));
                    }
                    _ => {
                        self.line(&format!("sub.s32 %q{q}, %q{q}, {step}"));
                        self.line(&format!("setp.ne.s32 %p{p}, %q{q}, 0"));
                    }
                }
                // An address makes the effect of each round visible.
                self.line(&format!("mul.wide.s32 %rd3, %q{q}, 4"));
                self.line("add.s64 %rd4, %rd2, %rd3");
                self.line("ld.global.f32 %f1, [%rd4]");
                self.line(&format!("@%p{p} bra $L{start}"));
            }
            Part::Exit(register, c) => {
                let p = self.compare(2, *register, *c);
                self.line(&format!("@%p{p} ret"));
            }
        }
    }
}

fn kernel(parts: &[Part]) -> String {
    let mut writer = Writer::default();
    writer.line("ld.param.u64 %rd1, [g_param_0]");
    writer.line("ld.param.u64 %rd2, [g_param_1]");
    writer.line("ld.param.u32 %r3, [g_param_2]");
    writer.line("mov.u32 %r0, %tid.x");
    writer.line("mov.u32 %r1, %ctaid.x");
    writer.line("mov.u32 %r2, %tid.y");
    writer.line("mad.lo.s32 %r4, %r1, 32, %r0");
    writer.line("mov.u32 %r5, 3");
    writer.line("mov.u32 %r6, %r2");
    writer.line("mov.u32 %r7, %ntid.x");
    writer.line("and.b32 %r8, %r0, 3");
    writer.line("add.s32 %r9, %r8, 1");
    writer.line("setp.lt.s32 %p0, %r0, 9");
    parts.iter().for_each(|part| writer.part(part, ""));
    writer.line("ret");
    format!(
        ".visible .entry g(.param .u64 g_param_0, .param .u64 g_param_1, .param .u32 g_param_2)\n{{\n\t.reg .pred %p<{}>;\n\t.reg \
         .f32 %f<2>;\n\t.reg .b32 %r<10>;\n\t.reg .b32 %q<{}>;\n\t.reg .b64 %rd<5>;\n{}}}\n",
        writer.predicates + 1,
        writer.own + 1,
        writer.text
    )
}

#[test]
fn generated_kernels_do_what_their_ptx_does() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: rounds(400),
        ..ProptestConfig::default()
    });
    let (imported, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let shapes = prop::sample::select(vec![("3", "32"), ("2", "40"), ("2", "6x7"), ("2x2", "64x2")]);
    let strategy = (prop::collection::vec(part(), 1..7), shapes, 1..9_i64);
    let outcome = runner.run(&strategy, |(parts, (grid, block), n)| {
        let text = kernel(&parts);
        let given = arguments(&format!("a:4096 b:4096 n={n}"));
        let module = Module::read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        match import(&module, "g", &options(grid, block, given.clone())) {
            Err(_) => refused.set(refused.get() + 1),
            Ok(program) => {
                imported.set(imported.get() + 1);
                let same = std::panic::catch_unwind(|| compare(&text, &program, "g", &given, 2));
                prop_assert!(same.is_ok(), "n = {n}\n{text}\n{}", program.to_text().unwrap());
            }
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // Kernels with loop-carried values or a possible overflow are rejected. About half of the random kernels are
    // rejected.
    assert!(
        4 * imported.get() > refused.get(),
        "{} imported, {} refused",
        imported.get(),
        refused.get()
    );
}
