//! The reader returns what was written.

use std::io::Cursor;

use gpusched::gpu::import::accelsim::{Dimension, Header, TraceFile};
use proptest::prelude::*;

use crate::accelsim::model::{Executed, Kernel};
use crate::support::rounds;

fn open(text: String) -> TraceFile {
    TraceFile::from_reader("test.traceg", Cursor::new(text)).unwrap()
}

/// Returns the complete content of a trace, in the terms of the model.
fn read(mut trace: TraceFile) -> Vec<Vec<Vec<Executed>>> {
    let mut blocks = Vec::new();
    while let Some(block) = trace.next_block().unwrap() {
        assert_eq!(block.number(), blocks.len() as u64);
        let mut warps = Vec::new();
        for warp in block.warps() {
            let mut lines = Vec::new();
            for record in warp.records() {
                let instruction = trace.code().get(record).unwrap();
                let mut addresses = [0xdead; 32];
                let known = warp.addresses(record, &mut addresses);
                let lanes = (0..32).filter(|lane| record.lanes >> lane & 1 == 1);
                lines.push(Executed {
                    pc: instruction.pc,
                    lanes: record.lanes,
                    writes: instruction.writes.to_vec(),
                    opcode: instruction.opcode.clone().leak(),
                    reads: instruction.reads.to_vec(),
                    bytes: if known { instruction.bytes } else { 0 },
                    addresses: if known {
                        lanes.map(|lane: usize| addresses[lane]).collect()
                    } else {
                        vec![]
                    },
                });
                let others = (0..32).filter(|lane| !known || record.lanes >> lane & 1 == 0);
                assert!(others.into_iter().all(|lane: usize| addresses[lane] == 0xdead));
            }
            warps.push(lines);
        }
        blocks.push(warps);
    }
    assert!(trace.next_block().unwrap().is_none());
    blocks
}

/// Returns the content of the model without parts that have no dependency: RZ, and repeated registers.
fn expected(kernel: &Kernel) -> Vec<Vec<Vec<Executed>>> {
    let mut blocks = kernel.blocks.clone();
    for line in blocks.iter_mut().flatten().flatten() {
        line.writes.retain(|&register| register != 255);
        let mut seen = Vec::new();
        for register in std::mem::take(&mut line.reads) {
            if register != 255 && !seen.contains(&register) {
                seen.push(register);
            }
        }
        line.reads = seen;
    }
    blocks
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: rounds(512), ..ProptestConfig::default() })]

    #[test]
    fn everything_comes_back(seed: u64, form: u64) {
        let kernel = Kernel::draw(seed);
        let text = kernel.print(form);
        let trace = open(text.clone());
        let header = trace.header().clone();
        prop_assert_eq!([header.grid.x, header.grid.y, header.grid.z], kernel.grid);
        prop_assert_eq!([header.block.x, header.block.y, header.block.z], kernel.block);
        prop_assert_eq!(header.name.as_str(), "_Z6kernelPf");
        prop_assert_eq!(
            (header.id, header.shared_memory, header.registers, header.binary_version, header.tracer_version),
            (7, 512, 40, kernel.binary_version, kernel.version)
        );
        prop_assert_eq!(read(trace), expected(&kernel));
        // Windows line ends, missing blank lines and missing trailing blanks have no effect.
        let windows = text.replace('\n', "\r\n");
        prop_assert_eq!(read(open(windows)), expected(&kernel));
        let dense: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        prop_assert_eq!(read(open(dense.join("\n"))), expected(&kernel));
    }
}

#[test]
fn clusters_and_unknown_header_fields_are_passed_over() {
    let kernel = Kernel::draw(3);
    let text = kernel.print(1);
    let text = text.replacen("-nregs", "-cluster dim = (2,1,1)\n-nregs", 1);
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.starts_with("thread block") {
            true => format!("{line}\ncluster id = 0,0,0\ncluster rank = 1"),
            false => line.to_owned(),
        })
        .collect();
    assert_eq!(read(open(lines.join("\n"))), expected(&kernel));
}

#[test]
fn functions_may_share_addresses() {
    let text = crate::accelsim::refusals::small()
        .replace("0010 ffffffff 0 EXIT 0 0", "0000 ffffffff 1 R3 FADD 2 R1 R2 0");
    let mut trace = open(text);
    let block = trace.next_block().unwrap().unwrap();
    let opcodes: Vec<&str> = block.warps()[0]
        .records()
        .iter()
        .map(|record| trace.code().get(record).unwrap().opcode.as_str())
        .collect();
    assert_eq!(opcodes, ["LDG.E.64", "FADD"]);
}

fn follow(binary_version: u32, pc: u32) -> u32 {
    let header = Header {
        name: String::new(),
        id: 1,
        grid: Dimension { x: 1, y: 1, z: 1 },
        block: Dimension { x: 1, y: 1, z: 1 },
        shared_memory: 0,
        registers: 8,
        binary_version,
        stream: 0,
        shared_base: 0,
        local_base: 0,
        tracer_version: 3,
        line_numbers: false,
    };
    pc + header.instruction_bytes(pc)
}

#[test]
fn words_that_control_scheduling_are_stepped_over() {
    let walk = |version, from| {
        let steps = std::iter::successors(Some(from), |&pc| Some(follow(version, pc)));
        steps.take(8).collect::<Vec<u32>>()
    };
    assert_eq!(walk(75, 0), [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70]);
    assert_eq!(walk(61, 8), [0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48, 0x50]);
    assert_eq!(walk(35, 8), [0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x48]);
}
