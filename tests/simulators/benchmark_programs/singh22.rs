//! [Singh22] Table I and §V-A.

use gpusched::gpu::machine::{BlockNeed, Machine};
use gpusched::gpu::program::{Instruction, MemorySpace, Op, Program, Statement};

use crate::benchmark_programs::{program, simulate, with};

/// The benchmarks, with reduced parameters for the test.
const ALL: [(&str, &[(&str, i64)]); 9] = [
    ("pc", &[("rounds", 8)]),
    ("pf", &[]),
    ("2dc", &[("rounds", 2)]),
    ("dxtc", &[]),
    ("bin", &[("steps", 2)]),
    ("vec", &[("rounds", 2)]),
    ("mm", &[("rounds", 4)]),
    ("his", &[("rounds", 2)]),
    ("atax", &[("rounds", 2)]),
];

const SMS: u64 = 80;

/// Returns the instructions outside and inside loops.
fn instructions(statements: &[Statement]) -> Vec<&Instruction> {
    let inner = statements.iter().flat_map(|statement| match statement {
        Statement::Instruction(instruction) => vec![instruction],
        Statement::Loop(inner) => instructions(&inner.body),
        Statement::Repeat(repeat) => instructions(&repeat.body),
        Statement::If(branch) => [instructions(&branch.then), instructions(&branch.otherwise)].concat(),
    });
    inner.collect()
}

fn global(program: &Program, op: Op) -> usize {
    let all = instructions(&program.body);
    let found = all.iter().filter(|instruction| {
        let access = instruction.access.as_ref();
        instruction.op == op && access.is_some_and(|access| access.space == MemorySpace::Global)
    });
    found.count()
}

/// "pc … each thread executes only one load and one store".
#[test]
fn pc_loads_once_and_stores_once() {
    let pc = program("singh22", "pc");
    assert_eq!((global(&pc, Op::Load), global(&pc, Op::Store)), (1, 1));
    let outside = pc.body.iter().filter(|statement| match statement {
        Statement::Instruction(instruction) => matches!(instruction.op, Op::Load | Op::Store),
        _ => false,
    });
    // Three of the five loads read parameters.
    assert_eq!(outside.count(), 5, "the load and the store are outside the loop");
}

/// Persistent threads: all blocks of two instances are resident. Both instances have equally many blocks on each SM and
/// scheduler.
#[test]
fn two_instances_share_every_sm_equally() {
    let titanv = Machine::find("titanv").unwrap();
    assert_eq!(u64::from(titanv.sms()), SMS);
    for (name, cut) in ALL {
        let program = program("singh22", name);
        let need = BlockNeed {
            threads: u32::try_from(program.block.count()).unwrap(),
            registers: program.registers,
            shared_bytes: program.shared_memory,
        };
        let per_sm = program.blocks() / SMS;
        assert_eq!(program.blocks() % SMS, 0, "{name}");
        assert!(
            u64::from(titanv.clone().into_shape().blocks_per_sm(&need)) >= 2 * per_sm,
            "{name}"
        );
        assert_eq!(
            per_sm * u64::from(program.warps()) % 4,
            0,
            "{name}: warps per scheduler"
        );
        let program = with(&program, None, cut);
        let results = simulate("titanv", true, &[&program, &program]);
        for sm in 0..usize::try_from(SMS).unwrap() {
            let of = |kernel| {
                let blocks = results.blocks.iter();
                blocks
                    .filter(|block| block.sm == sm && block.kernel == kernel)
                    .count() as u64
            };
            assert_eq!((of(0), of(1)), (per_sm, per_sm), "{name}: SM {sm}");
        }
    }
}

/// Compute-intensive benchmarks execute more instructions per L2 sector than memory-intensive benchmarks. The published
/// classes hold for all benchmarks except 2dc, whose nine loads per point access L1.
#[test]
fn classes_are_those_published() {
    let intensity = |name| {
        let (name, cut) = ALL.into_iter().find(|(known, _)| *known == name).unwrap();
        let results = simulate("titanv", false, &[&with(&program("singh22", name), None, cut)]);
        results.kernels[0].thread_instructions as f64 / results.traffic.l2_accesses as f64
    };
    let compute = ["pc", "pf", "dxtc", "bin"].map(intensity);
    let memory = ["vec", "mm", "his", "atax"].map(intensity);
    let least = compute.into_iter().fold(f64::INFINITY, f64::min);
    let most = memory.into_iter().fold(0.0, f64::max);
    assert!(least > most, "{compute:?} {memory:?}");
}

#[test]
fn they_run_on_the_rtx2060_too() {
    for (name, cut) in ALL {
        let program = with(&program("singh22", name), None, cut);
        let results = simulate("rtx2060", false, &[&program]);
        assert_eq!(results.blocks.len() as u64, program.blocks(), "{name}");
    }
}
