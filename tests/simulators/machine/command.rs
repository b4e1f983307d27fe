//! `gpusched import gpgpusim-config`.

use gpusched::gpu::Machine;
use insta::assert_snapshot;

use crate::machine::published::config;
use crate::support::transcript::{Transcript, refusals};
use crate::support::{files, root, run, run_with};

const SMALL: &str = "import gpgpusim-config tasksets/machines/small.config";

#[test]
fn writes_a_machine_that_is_read_again() {
    let answer = run(&format!("{SMALL} --name small"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let machine: Machine = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((machine.name.as_str(), machine.sms()), ("small", 4));
    assert!(
        answer
            .stderr
            .starts_with("1 option without effect on the simulated GPU, "),
        "{}",
        answer.stderr
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.json");
    let again = run(&format!("{SMALL} --name small --quiet -o {}", path.display()));
    assert_eq!(
        (again.code, again.stdout.as_str(), again.stderr.as_str()),
        (0, "", "")
    );
    assert_eq!(Machine::find(path.to_str().unwrap()).unwrap(), machine);
    assert_eq!(std::fs::read_to_string(path).unwrap(), answer.stdout);
}

#[test]
fn says_what_it_did_not_use() {
    let text = config("rtx2060") + "-visualizer_enabled 0\n-l2_ideal 1\n";
    let answer = run_with("import gpgpusim-config - -v", text);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_snapshot!(answer.stderr);
    let source = serde_json::from_str::<Machine>(&answer.stdout)
        .unwrap()
        .source
        .clone();
    assert_eq!(source, "GPGPU-Sim configuration -");
}

/// A missing dash, and options that GPGPU-Sim does not have.
#[test]
fn slips_are_told() {
    let text = config("rtx2060");
    let line = text.lines().count() + 2;
    let mut told = Transcript::default();
    for slip in ["gpgpu_n_clusters 3", "include foo", "-l2_ideal 0 1"] {
        let answer = run_with("import gpgpusim-config -", format!("{text}-l2_ideal 0\n{slip}\n"));
        assert!(
            answer.stderr.contains(&format!("-:{line}: found ")),
            "{}",
            answer.stderr
        );
        told.refusal(slip, &answer);
    }
    for count in [1, 21] {
        let bogus: String = (0..count).map(|number| format!("-bogus_{number} 3\n")).collect();
        let answer = run_with("import gpgpusim-config -", text.clone() + &bogus);
        told.refusal(format!("{count} unknown options"), &answer);
    }
    // The defaults of the intended options would be 1 and 3 instead of 32 and 30 cycles.
    let slips = "tests/simulators/machine/misspelled.config";
    let answer = run(&format!("import gpgpusim-config {slips}"));
    told.refusal(slips, &answer);
    let answer = run_with(
        &format!("import gpgpusim-config {slips} -"),
        "-gpgpu_n_cluster 3\n-colour red",
    );
    told.refusal("two files", &answer);
    assert_snapshot!(told);
}

#[test]
fn several_files_follow_each_other() {
    let answer = run_with(&format!("{SMALL} -"), "-gpgpu_n_clusters 3");
    assert_eq!(
        serde_json::from_str::<Machine>(&answer.stdout).unwrap().clusters,
        3
    );
}

#[test]
fn refusals_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    let mut told = refusals([
        "import gpgpusim-config",
        "import gpgpusim-config missing.config",
        "import gpgpusim-config tasksets --format json",
        "import gpgpusim-config tasksets/machines/small.config --format csv",
    ]);
    for input in ["-gpgpu_n_clusters x", "\u{0}"] {
        let answer = run_with(&format!("import gpgpusim-config - -o {}", path.display()), input);
        told.refusal(input, &answer);
        assert_eq!(files(folder.path()).len(), 0);
    }
    assert_snapshot!(told);
}

#[test]
fn the_schema_fits_the_presets() {
    let schema: serde_json::Value = serde_json::from_str(&run("schema machine").stdout).unwrap();
    let validator = crate::support::schema::validator_for(&schema);
    for name in ["rtx2060", "titanv"] {
        let text = std::fs::read_to_string(root().join(format!("tasksets/machines/{name}.json"))).unwrap();
        let value = serde_json::from_str(&text).unwrap();
        let errors: Vec<String> = validator.errors(&value);
        assert!(errors.is_empty(), "{errors:?}");
    }
}
