//! Compares the summary of a trace with counts of the generated content.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use gpusched::gpu::import::accelsim::{KernelSummary, TraceFile};
use proptest::prelude::*;

use crate::accelsim::model::{Executed, Kernel, LOCAL, SHARED};
use crate::support::rounds;

/// Space and access of a line, by its opcode and first address.
fn traffic(line: &Executed) -> Option<(&'static str, &'static str)> {
    let generic = || match line.addresses.first() {
        Some(address) if (LOCAL..LOCAL + (512 << 10)).contains(address) => "local",
        Some(address) if (SHARED..LOCAL).contains(address) => "shared",
        _ => "global",
    };
    Some(match line.opcode.split('.').next().unwrap() {
        "LDG" => ("global", "load"),
        "STG" => ("global", "store"),
        "RED" => ("global", "atomic"),
        "LDS" => ("shared", "load"),
        "STS" => ("shared", "store"),
        "LDL" => ("local", "load"),
        "STL" => ("local", "store"),
        "LDC" => ("constant", "load"),
        "LD" => (generic(), "load"),
        "ST" => (generic(), "store"),
        "ATOM" => (generic(), "atomic"),
        _ => return None,
    })
}

/// The sectors of a line, byte by byte.
fn sectors(line: &Executed, space: &str) -> BTreeSet<u64> {
    let lanes = (0..32u64).filter(|lane| line.lanes >> lane & 1 == 1);
    let bytes = u64::from(line.bytes);
    let mut sectors = BTreeSet::new();
    for (lane, &address) in lanes.zip(&line.addresses) {
        for byte in 0..bytes {
            sectors.insert(match space {
                "global" => (address + byte) / 32,
                "local" => {
                    let offset = if address >= LOCAL {
                        address - LOCAL
                    } else {
                        address
                    };
                    (offset / bytes * bytes * 32 + lane * bytes + offset % bytes + byte) / 32
                }
                _ => continue,
            });
        }
    }
    sectors
}

type Sums = BTreeMap<(&'static str, &'static str), [u64; 3]>;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: rounds(512), ..ProptestConfig::default() })]

    #[test]
    fn figures_are_those_of_the_lines(seed: u64, form: u64) {
        let kernel = Kernel::draw(seed);
        let trace = TraceFile::from_reader("test", Cursor::new(kernel.print(form))).unwrap();
        let summary = KernelSummary::read(trace).unwrap();
        let lines: Vec<&Executed> = kernel.blocks.iter().flatten().flatten().collect();
        let (mut memory, mut footprint) = (Sums::new(), BTreeSet::new());
        for line in &lines {
            if let Some(key @ (space, _)) = traffic(line) {
                let sectors = sectors(line, space);
                let sum = memory.entry(key).or_default();
                sum[0] += 1;
                sum[1] += u64::from(line.lanes.count_ones());
                sum[2] += sectors.len() as u64;
                if space == "global" {
                    footprint.extend(sectors);
                }
            }
        }
        let found: Sums = summary
            .memory
            .iter()
            .map(|sum| ((sum.space, sum.access), [sum.instructions, sum.lanes, sum.sectors]))
            .collect();
        prop_assert_eq!(found, memory);
        prop_assert_eq!(summary.footprint_bytes, 32 * footprint.len() as u64);
        prop_assert_eq!(summary.instructions, lines.len() as u64);
        let lanes: u64 = lines.iter().map(|line| u64::from(line.lanes.count_ones())).sum();
        prop_assert_eq!(summary.lane_instructions, lanes);
        let units: u64 = summary.units.named().iter().map(|(_, count)| count).sum();
        prop_assert_eq!(units, summary.instructions);
        let count = |name: &str| lines.iter().filter(|line| line.opcode.split('.').next() == Some(name)).count() as u64;
        prop_assert_eq!(summary.units.single, count("FADD") + count("FFMA"));
        prop_assert_eq!((summary.units.special, summary.units.double), (count("MUFU"), count("DFMA")));
        prop_assert_eq!((summary.units.tensor, summary.units.uniform), (count("HMMA"), count("UIADD3")));
        prop_assert_eq!(summary.units.control, count("BAR") + count("BRA") + count("EXIT"));
        prop_assert_eq!(summary.warps, kernel.blocks.iter().flatten().filter(|warp| !warp.is_empty()).count() as u64);
        prop_assert!(summary.unknown.is_empty() && summary.untold.is_empty());
    }
}

#[test]
fn what_is_not_known_is_listed() {
    let text = crate::accelsim::refusals::small().replacen(
        "insts = 2\n",
        "insts = 6\n0020 1 0 FNORD.X 0 0\n0020 1 0 FNORD.X 0 0\n0030 1 1 R0 TEX.LZ 1 R1 0\n0040 1 0 BAR.ARV 0 0\n",
        1,
    );
    let trace = TraceFile::from_reader("test", Cursor::new(text)).unwrap();
    let summary = KernelSummary::read(trace).unwrap();
    let list = |list: &[gpusched::gpu::import::accelsim::OpcodeCount]| -> Vec<(String, u64)> {
        list.iter()
            .map(|opcode| (opcode.opcode.clone(), opcode.count))
            .collect()
    };
    assert_eq!(list(&summary.unknown), [("FNORD.X".to_owned(), 2)]);
    assert_eq!(
        list(&summary.untold),
        [("BAR.ARV".to_owned(), 1), ("TEX.LZ".to_owned(), 1)]
    );
    assert_eq!(
        (
            summary.units.unknown,
            summary.units.texture,
            summary.units.control
        ),
        (2, 1, 2)
    );
}
