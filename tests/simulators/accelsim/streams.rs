//! Traces as streams of instructions for the simulator.

use std::io::Cursor;

use gpusched::gpu::code::{
    Caching, Effect, Instruction, Number, Operation, Register, Space, Specialized, Stream, TraceStream,
    TracedKernel,
};
use gpusched::gpu::import::accelsim::TraceFile;
use proptest::prelude::*;

use crate::accelsim::model::{Kernel, LOCAL, SHARED};
use crate::support::rounds;

fn open(text: String) -> TracedKernel {
    TracedKernel::new(TraceFile::from_reader("test", Cursor::new(text)).unwrap())
}

/// Returns a warp that executes `lines` on `binary_version`, with windows for generic addresses.
fn warp(binary_version: u32, lines: &[&str]) -> TraceStream {
    let text = crate::accelsim::refusals::small()
        .replacen("version = 75", &format!("version = {binary_version}"), 1)
        .replacen(
            "-nregs",
            &format!("-shmem base_addr = {SHARED:x}\n-local mem base_addr = {LOCAL:x}\n-nregs"),
            1,
        );
    let start = text.find("insts").unwrap();
    let text = format!(
        "{}insts = {}\n{}\n#END_TB\n",
        &text[..start],
        lines.len(),
        lines.join("\n")
    );
    open(text).next_block().unwrap().unwrap().remove(0)
}

/// Runs a stream to its end.
fn run(mut stream: TraceStream) -> Vec<(Instruction, Effect)> {
    let mut steps = Vec::new();
    while let Some(instruction) = stream.next().cloned() {
        let mut effect = Effect::default();
        stream.issue(&mut effect);
        steps.push((instruction, effect));
    }
    let mut effect = Effect {
        lanes: 42,
        ..Effect::default()
    };
    stream.issue(&mut effect);
    assert_eq!(effect.lanes, 42, "nothing after the end");
    steps
}

fn operation(line: &str) -> Operation {
    run(warp(75, &[line])).remove(0).0.operation
}

#[test]
fn opcodes_are_operations() {
    let load = |space, bytes, caching| Operation::Load {
        space,
        bytes,
        caching,
    };
    for (columns, expected) in [
        ("1 R1 FADD 0 0", Operation::Add(Number::Single)),
        ("1 R1 FMUL.FTZ 0 0", Operation::Mul(Number::Single)),
        ("1 R1 HFMA2 0 0", Operation::Mad(Number::Single)),
        ("1 R1 DADD 0 0", Operation::Add(Number::Double)),
        ("1 R1 DFMA 0 0", Operation::Mad(Number::Double)),
        ("1 R1 IADD3 0 0", Operation::Add(Number::Int)),
        ("1 R1 IMAD.WIDE 0 0", Operation::Mad(Number::Int)),
        ("0 ISETP.GE.AND 0 0", Operation::Add(Number::Int)),
        ("1 R1 LEA 0 0", Operation::Add(Number::Int)),
        ("1 R1 SHF.L.U32 0 0", Operation::Add(Number::Int)),
        ("1 R1 MOV 0 0", Operation::Add(Number::Int)),
        ("1 R1 S2R 0 0", Operation::Add(Number::Int)),
        ("1 R1 MUFU.EX2 0 0", Operation::Special),
        (
            "1 R1 HMMA.1688.F32 0 0",
            Operation::Specialized(Specialized::Tensor),
        ),
        ("0 SHFL.IDX 0 0", Operation::Shuffle),
        ("0 BAR.SYNC 0 0", Operation::Barrier),
        ("0 MEMBAR.SC.GPU 0 0", Operation::Fence),
        ("0 BRA 0 0", Operation::Specialized(Specialized::Branch)),
        ("0 EXIT 0 0", Operation::Exit),
        ("0 NOP 0 0", Operation::Other),
        ("0 UIADD3 0 0", Operation::Specialized(Specialized::Uniform)),
        ("1 R1 TEX 0 0", Operation::Specialized(Specialized::Texture)),
        ("0 SUST 0 0", Operation::Other),
        ("0 FNORD 0 0", Operation::Other),
        (
            "1 R1 LDG.E.64.SYS 1 R2 8 1 0x0 8",
            load(Space::Global, 8, Caching::All),
        ),
        (
            "1 R1 LDG.E.STRONG.GPU 1 R2 4 1 0x0 4",
            load(Space::Global, 4, Caching::L2),
        ),
        (
            "1 R1 LDS.U.128 1 R2 16 1 0x0 16",
            load(Space::Shared, 16, Caching::All),
        ),
        ("1 R1 LDL 1 R2 4 1 0x0 0", load(Space::Local, 4, Caching::All)),
        ("1 R1 LDC.64 0 0", load(Space::Constant, 8, Caching::All)),
        (
            "0 STG.E.U8 2 R2 R1 1 1 0x0 1",
            Operation::Store {
                space: Space::Global,
                bytes: 1,
            },
        ),
        (
            "0 STS 2 R2 R1 4 1 0x0 4",
            Operation::Store {
                space: Space::Shared,
                bytes: 4,
            },
        ),
        (
            "0 STL 2 R2 R1 4 1 0x0 0",
            Operation::Store {
                space: Space::Local,
                bytes: 4,
            },
        ),
        (
            "0 RED.E.ADD 2 R2 R1 4 1 0x0 4",
            Operation::Atomic {
                space: Space::Global,
                bytes: 4,
            },
        ),
        (
            "1 R0 ATOMG.E.CAS.64 2 R2 R1 8 1 0x0 8",
            Operation::Atomic {
                space: Space::Global,
                bytes: 8,
            },
        ),
        (
            "1 R0 ATOMS.ADD 2 R2 R1 4 1 0x0 4",
            Operation::Atomic {
                space: Space::Shared,
                bytes: 4,
            },
        ),
    ] {
        assert_eq!(
            operation(&format!("0000 ffffffff {columns}")),
            expected,
            "{columns}"
        );
    }
}

#[test]
fn registers_count_from_one_and_rz_is_none() {
    let steps = run(warp(
        75,
        &[
            "0000 ffffffff 1 R0 IMAD 3 R255 R7 R7 0",
            "0010 ffffffff 1 R255 FADD 1 R254 0",
        ],
    ));
    let register = |number| Register { number, bank: number };
    assert_eq!(*steps[0].0.writes, [register(1)]);
    assert_eq!(*steps[0].0.reads, [register(8)]);
    assert!(steps[1].0.writes.is_empty() && steps[1].0.guard.is_none());
    assert_eq!(*steps[1].0.reads, [register(255)]);
}

#[test]
fn a_jump_is_what_does_not_follow_in_memory() {
    let jumps = |version, pcs: &[u32]| -> Vec<bool> {
        let lines: Vec<String> = pcs.iter().map(|pc| format!("{pc:04x} 1 0 NOP 0 0")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        run(warp(version, &lines))
            .iter()
            .map(|(_, effect)| effect.jumped)
            .collect()
    };
    assert_eq!(
        jumps(75, &[0, 0x10, 0x20, 0x10, 0x30]),
        [false, false, true, true, false]
    );
    assert_eq!(
        jumps(61, &[8, 0x10, 0x18, 0x28, 0x28, 0x30]),
        [false, false, false, true, false, false]
    );
    assert_eq!(jumps(35, &[0x18, 0x20, 0x38, 0x48]), [false, true, false, false]);
}

#[test]
fn generic_addresses_find_their_memory() {
    let line = |pc: u32, address: u64| format!("{pc:04x} 00000003 1 R1 LD.E 1 R2 4 1 0x{address:x} 4");
    let lines = [
        line(0, SHARED + 64),
        line(0, LOCAL + 128),
        line(0, 0x7f00_0000_0000),
        line(16, LOCAL + (1 << 20)),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let steps = run(warp(75, &lines));
    let spaces: Vec<Space> = steps
        .iter()
        .map(|(instruction, _)| match instruction.operation {
            Operation::Load { space, .. } => space,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        spaces,
        [Space::Shared, Space::Local, Space::Global, Space::Global]
    );
    assert_eq!(steps[0].1.addresses[..2], [64, 68], "an offset in shared memory");
    // Thread 0 accesses word 32 of its local memory, and thread 1 accesses word 33. The distance is one row of 32
    // threads plus one word.
    let [first, second] = [steps[1].1.addresses[0], steps[1].1.addresses[1]];
    assert_eq!(second - first, 33 * 4);
    assert_eq!(first % (1 << 24), 32 * 32 * 4);
    assert_eq!(steps[2].1.addresses[..2], [0x7f00_0000_0000, 0x7f00_0000_0004]);
}

#[test]
fn no_two_warps_share_local_memory() {
    let kernel = "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 75\n\
                  -accelsim tracer version = 3\n";
    let block = |number| {
        let warps = [0, 1].map(|warp| format!("warp = {warp}\ninsts = 1\n0000 1 0 STL 0 4 1 0xfffffc 0\n"));
        format!(
            "#BEGIN_TB\nthread block = {number},0,0\n{}#END_TB\n",
            warps.concat()
        )
    };
    let mut kernel = open(format!("{kernel}{}{}", block(0), block(1)));
    let mut places = Vec::new();
    while let Some(streams) = kernel.next_block().unwrap() {
        places.extend(
            streams
                .into_iter()
                .map(|stream| run(stream)[0].1.addresses[0] >> 24),
        );
    }
    assert_eq!(
        places.windows(2).map(|two| two[1] - two[0]).collect::<Vec<_>>(),
        [1, 1, 1]
    );
}

#[test]
fn a_warp_without_instructions_is_at_its_end() {
    assert!(run(warp(75, &[])).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: rounds(256), ..ProptestConfig::default() })]

    /// Keeps the streams of all blocks until the last block is read, and then runs them. Reading later blocks must not
    /// change earlier streams.
    #[test]
    fn streams_issue_what_the_trace_says(seed: u64, form: u64) {
        let drawn = Kernel::draw(seed);
        let mut kernel = open(drawn.print(form));
        let mut blocks = Vec::new();
        while let Some(streams) = kernel.next_block().unwrap() {
            blocks.push(streams);
        }
        prop_assert_eq!(blocks.len(), drawn.blocks.len());
        for (streams, warps) in blocks.into_iter().zip(&drawn.blocks) {
            prop_assert_eq!(streams.len(), warps.len());
            for (stream, lines) in streams.into_iter().zip(warps) {
                let steps = run(stream);
                prop_assert_eq!(steps.len(), lines.len());
                for (at, ((instruction, effect), line)) in steps.iter().zip(lines).enumerate() {
                    prop_assert_eq!((instruction.pc, effect.lanes), (line.pc, line.lanes));
                    let follows = lines.get(at + 1).is_none_or(|next| next.pc == line.pc + 16);
                    prop_assert_eq!(effect.jumped, !follows);
                    if line.opcode.contains("LDG") || line.opcode.contains("STG") || line.opcode.contains("RED") {
                        let lanes = (0..32).filter(|lane| line.lanes >> lane & 1 == 1);
                        let found: Vec<u64> = lanes.map(|lane: usize| effect.addresses[lane]).collect();
                        prop_assert_eq!(&found, &line.addresses);
                    }
                }
            }
        }
    }
}
