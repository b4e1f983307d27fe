//! Issue traces against issue traces of GPGPU-Sim.

use crate::support::{root, run};

/// Reads cycle, scheduler, warp, age, address and opcode of each issue of a trace from `columns`.
fn events(text: &str, columns: [usize; 6]) -> Vec<[String; 6]> {
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        // In a CSV file, an apostrophe precedes a text that starts with `@`.
        columns.map(|column| cells[column].replace(['%', ';', '\''], ""))
    });
    rows.collect()
}

/// Returns the issues of the command under `options`, and the issues of GPGPU-Sim in `file`.
fn both(options: &str, file: &str) -> [Vec<[String; 6]>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("issues.csv");
    let line = format!(
        "simulate warps {options} --machine rtx2060 --sms 1 --issues {}",
        path.display()
    );
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let found = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        found.lines().next(),
        Some("cycle,sm,scheduler,warp,age,kernel,pc,opcode")
    );
    let reference =
        std::fs::read_to_string(root().join("tests/simulators/programs/data").join(file)).unwrap();
    [
        events(&found, [0, 2, 3, 4, 6, 7]),
        events(&reference, [0, 1, 2, 3, 4, 6]),
    ]
}

#[test]
fn vadd_issues_as_the_reference_does_cycle_by_cycle() {
    let options = "tasksets/kernels/programs/vadd.json --grid 8 -p a=8192 -p b=8192 -p c=8192";
    let [found, reference] = both(options, "vadd_8_lrr.csv");
    assert_eq!(found.len(), 1216);
    for (found, reference) in found.iter().zip(&reference) {
        assert_eq!(found, reference);
    }
    assert_eq!(found, reference);
    // The comparison detects different traces.
    let [other, _] = both(&format!("{options} --scheduler gto"), "vadd_8_lrr.csv");
    assert_ne!(other, reference);
}

#[test]
fn pc_issues_as_the_reference_does_under_gto() {
    let options = "tasksets/kernels/programs/pc.json --grid 8 -p a=8192 -p b=8192 -p n=2 --scheduler gto";
    let [found, reference] = both(options, "pc_8_2_gto.csv");
    assert_eq!(found.len(), 3264);
    assert_eq!(found, reference);
}
