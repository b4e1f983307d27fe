//! The programs of `tasksets/`, with an addition in place of each memory access beyond the SM.

use std::path::{Path, PathBuf};

use gpusched::gpu::Program;
use gpusched::gpu::program::{Dimensions, MemorySpace, Op, Overrides, Statement};

use crate::equal_sms::{SCHEDULERS, compare, launch, machine, settings};

/// Returns all files in `folder` and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/programs");
    let texts = files(&folder).into_iter();
    let texts = texts.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    texts
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect()
}

fn keep_inside(body: &mut [Statement]) {
    for statement in body {
        match statement {
            Statement::Instruction(instruction) => {
                let beyond = |space: MemorySpace| matches!(space, MemorySpace::Global | MemorySpace::Local);
                if instruction
                    .access
                    .as_ref()
                    .is_some_and(|access| beyond(access.space))
                {
                    instruction.access = None;
                    instruction.op = Op::AddInt;
                }
            }
            Statement::Loop(inner) => keep_inside(&mut inner.body),
            Statement::If(branch) => {
                keep_inside(&mut branch.then);
                keep_inside(&mut branch.otherwise);
            }
            Statement::Repeat(repeat) => keep_inside(&mut repeat.body),
        }
    }
}

/// Returns `program` with `blocks` blocks that do not access memory beyond their SMs.
fn inside(program: &Program, blocks: u32) -> Program {
    let overrides = Overrides {
        grid: Some(Dimensions::line(blocks)),
        ..Overrides::default()
    };
    let mut program = program.with(&overrides).unwrap();
    keep_inside(&mut program.body);
    program
}

#[test]
fn every_program_that_fits() {
    let mut fitting = Vec::new();
    for (index, program) in programs().iter().enumerate() {
        let program = inside(program, 18 + index as u32 % 7);
        let scheduler = SCHEDULERS[index % SCHEDULERS.len()];
        for (name, sms) in [("rtx2060", 7), ("titanv", 8)] {
            let machine = machine(name, index % 2 == 0);
            if compare(&machine, &[launch(&program)], &settings(scheduler, sms)) {
                fitting.push(program.name.clone());
            }
        }
    }
    assert!(fitting.len() >= 2 * 15, "{fitting:?}");
}

#[test]
fn several_kernels() {
    let programs = programs();
    let find = |name: &str, blocks: u32| {
        let program = programs.iter().find(|program| program.name == name);
        launch(&inside(program.unwrap(), blocks))
    };
    for share_sms in [false, true] {
        for scheduler in SCHEDULERS {
            let mut launches = [find("pc", 37), find("fma4", 90), find("iadd", 3)];
            launches[1].at = 500;
            launches[1].budget = 4;
            launches[2].at = 501;
            // The kernel does not use the first SMs.
            launches[2].sms = Some((0..30).map(|sm| sm > 2).collect());
            launches[0].resident = Some(2);
            for (name, sms) in [("rtx2060", 5), ("titanv", 6)] {
                assert!(compare(
                    &machine(name, share_sms),
                    &launches,
                    &settings(scheduler, sms)
                ));
            }
        }
    }
}
