//! Specialized units of a machine execute the instructions that the tables of Accel-Sim assign to them.

use std::fmt::Write as _;

use gpusched::gpu::Machine;
use gpusched::gpu::machine::{MachineShape, PerPipe, SpecializedUnit, SpecializedUnits, Timing};

use crate::warp_runs::json;

/// Returns a trace of one block. Each warp executes `count` times an instruction with these columns from `dest_num` on.
fn trace(warps: &[(&str, usize)]) -> String {
    let mut text = format!(
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 75\n\
         -accelsim tracer version = 4\n#BEGIN_TB\nthread block = 0,0,0\n",
        32 * warps.len()
    );
    for (warp, (columns, count)) in warps.iter().enumerate() {
        writeln!(text, "warp = {warp}\ninsts = {}", count + 1).unwrap();
        for at in 0..*count {
            writeln!(text, "{:04x} ffffffff {columns}", 16 * at).unwrap();
        }
        writeln!(text, "{:04x} ffffffff 0 EXIT 0 0", 16 * count).unwrap();
    }
    text + "#END_TB\n"
}

fn unit(latency: u32, initiation: u32) -> Option<SpecializedUnit> {
    Some(SpecializedUnit {
        units: 4,
        id_oc: 4,
        oc_ex: 4,
        time: Timing { latency, initiation },
    })
}

/// Times of the units in the configuration of Accel-Sim for RTX 2060.
fn units() -> SpecializedUnits {
    SpecializedUnits {
        branch: unit(4, 4),
        texture: unit(200, 4),
        tensor: unit(16, 16),
        uniform: unit(4, 1),
    }
}

fn cycles(units: SpecializedUnits, warps: &[(&str, usize)]) -> u64 {
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.sm.specialized_units = units;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(
        path("m.json"),
        serde_json::to_string(&Machine::new(shape).unwrap()).unwrap(),
    )
    .unwrap();
    std::fs::write(path("k.traceg"), trace(warps)).unwrap();
    let (trace, machine) = (path("k.traceg"), path("m.json"));
    let result = json(&format!(
        "simulate warps {} --machine {}",
        trace.display(),
        machine.display()
    ));
    result["cycles"].as_u64().unwrap()
}

/// Returns the cycles that each further instruction of each warp takes.
fn each(units: SpecializedUnits, columns: &[&str]) -> f64 {
    let of = |count| {
        let warps: Vec<(&str, usize)> = columns.iter().map(|&columns| (columns, count)).collect();
        cycles(units, &warps) as f64
    };
    (of(60) - of(20)) / 40.0
}

const BRANCH: &str = "0 BRA 0 0";
const UNIFORM: &str = "0 UIADD3 0 0";
const SURFACE: &str = "0 SUST 0 0";
/// A chain of dependent instructions.
const TEXTURES: &str = "1 R1 TEX 1 R1 0";
const MATRICES: &str = "1 R1 HMMA.1688.F32 1 R1 0";
const SPECIALS: &str = "1 R1 MUFU.RCP 1 R1 0";

#[test]
fn a_unit_accepts_an_instruction_per_initiation_interval() {
    let none = SpecializedUnits::default();
    assert!(each(none, &[BRANCH]) < 2.0);
    assert_eq!(each(units(), &[BRANCH]), 4.0);
    let slower = SpecializedUnits {
        branch: unit(9, 7),
        ..units()
    };
    assert_eq!(each(slower, &[BRANCH]), 7.0);
    // Surface operations run on the integer unit.
    assert_eq!(each(units(), &[SURFACE]), each(none, &[SURFACE]));
    assert_eq!(each(units(), &[UNIFORM]), each(none, &[UNIFORM]));
}

#[test]
fn a_dependent_instruction_waits_for_the_latency_of_the_unit() {
    let special = f64::from(Machine::named("rtx2060").unwrap().sm.times.special.latency);
    let others = each(units(), &[SPECIALS]) - special;
    assert!((1.0..10.0).contains(&others), "{others}");
    assert_eq!(each(units(), &[TEXTURES]), 200.0 + others);
    assert_eq!(each(units(), &[MATRICES]), 16.0 + others);
}

#[test]
fn each_scheduler_has_units_of_its_own() {
    // Warps 0 and 1 belong to different schedulers, warps 0 and 4 to the same scheduler.
    assert_eq!(each(units(), &[BRANCH; 4]), 4.0);
    assert_eq!(each(units(), &[BRANCH; 8]), 8.0);
    // Branches and instructions of the uniform datapath use different units.
    let equal = SpecializedUnits {
        uniform: unit(4, 4),
        ..units()
    };
    let both = each(equal, &[[BRANCH; 4], [UNIFORM; 4]].concat());
    assert!(both < 8.0, "{both}");
}

/// Returns the message of a run on the machine that `change` makes of `rtx2060` with branch units.
fn refused(change: fn(&mut MachineShape)) -> String {
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.sm.specialized_units.branch = unit(4, 4);
    change(&mut shape);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    std::fs::write(
        &path,
        serde_json::to_string(&Machine::new(shape).unwrap()).unwrap(),
    )
    .unwrap();
    let run = crate::support::run(&format!(
        "simulate warps tasksets/traces/accelsim/kernel-1.traceg --machine {}",
        path.display()
    ));
    assert_eq!(run.code, 2);
    run.stderr
}

#[test]
fn machines_that_the_simulator_does_not_support() {
    let message = refused(|shape| shape.sm.specialized_units.branch.as_mut().unwrap().units = 3);
    assert!(message.contains("sm.specialized_units.branch"), "{message}");
    // Eight schedulers leave no place for specialized units.
    let message = refused(|shape| {
        let sm = &mut shape.sm;
        sm.schedulers = 8;
        (
            sm.units.sp,
            sm.units.dp,
            sm.units.int,
            sm.units.sfu,
            sm.units.tensor,
        ) = (8, 8, 8, 8, 8);
        (sm.widths.id_oc, sm.widths.oc_ex) = (PerPipe::all(8), PerPipe::all(8));
    });
    assert!(message.contains("at most 4 schedulers"), "{message}");
}
