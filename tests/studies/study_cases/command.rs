//! Properties of the command line.

use std::process::Command;

use super::*;

/// Runs a command and returns exit code, standard output and standard error.
fn gpusched(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

/// Returns a folder with the study and its input files.
fn checkout() -> tempfile::TempDir {
    let root = temporary();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels");
    let copies = root.path().join("tasksets/kernels");
    fs::create_dir_all(&copies).unwrap();
    for file in fs::read_dir(kernels).unwrap() {
        let file = file.unwrap();
        if file.path().is_file() {
            fs::copy(file.path(), copies.join(file.file_name())).unwrap();
        }
    }
    fs::create_dir(root.path().join("studies")).unwrap();
    fs::write(root.path().join("studies/cases.toml"), CASES).unwrap();
    root
}

#[test]
fn a_study_of_cases_is_run_listed_checked_and_shown() {
    let root = checkout();
    let run = ["study", "run", "studies/cases.toml", "-o", "studies/cases"];
    let (code, report, notes) = gpusched(&run, root.path());
    assert_eq!(
        (code, notes.as_str()),
        (0, "cases: 5 cases done in studies/cases\n")
    );
    assert!(report.contains("1 of 1 findings reproduced"), "{report}");
    let (code, _, notes) = gpusched(&run, root.path());
    let again = "cases: 5 cases done (5 were done before) in studies/cases\n";
    assert_eq!((code, notes.as_str()), (0, again));
    let svg = fs::read_to_string(root.path().join("studies/cases/cases.svg")).unwrap();
    assert!(
        svg.contains("A small study of cases") && svg.contains("true"),
        "{svg}"
    );

    // The command works from every folder; the kernels are above the study.
    for folder in [root.path().join("studies"), root.path().join("studies/cases")] {
        assert_eq!(gpusched(&["study", "check", "."], &folder).0, 0);
    }
    let (_, list, _) = gpusched(&["study", "list", "studies"], root.path());
    assert!(
        list.contains("5 cases") && list.contains("nominal") && list.contains("current"),
        "{list}"
    );
    let (_, json, _) = gpusched(&["study", "list", "studies", "--format", "json"], root.path());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["cases"], json[0].get("sets")), (&5.into(), None));
    assert_eq!(json[0]["measures"][3], "published");
    let (code, page, _) = gpusched(&["study", "reproduction", "studies"], root.path());
    assert_eq!(code, 0);
    assert!(
        page.contains("(5 experiment cases, seed 7): A small study of cases."),
        "{page}"
    );
    assert!(
        page.contains("\n  * Own hypotheses: grows (must hold)") && !page.contains("Not reproduced"),
        "{page}"
    );
}

#[test]
fn bad_cases_leave_nothing() {
    let root = checkout();
    let file = root.path().join("studies/cases.toml");
    fs::write(&file, CASES.replace("0.13, 1]", "1.13]")).unwrap();
    let run = ["study", "run", "studies/cases.toml", "-o", "out"];
    let (code, _, message) = gpusched(&run, root.path());
    assert_eq!(code, 2);
    assert!(
        message.contains("studies/cases.toml:19: at case[1].budgets"),
        "{message}"
    );
    fs::write(&file, CASES).unwrap();
    let (code, _, message) = gpusched(&[&run[..], &["--sets", "3"]].concat(), root.path());
    assert_eq!(code, 2);
    assert!(
        message.contains("--sets") && message.contains("without task sets"),
        "{message}"
    );
    assert!(!root.path().join("out").exists());
    let (code, ..) = gpusched(&[&run[..], &["--seed", "9"]].concat(), root.path());
    let copy = fs::read_to_string(root.path().join("out/cases.toml")).unwrap();
    assert_eq!((code, copy), (0, CASES.replace("seed = 7", "seed = 9")));
}
