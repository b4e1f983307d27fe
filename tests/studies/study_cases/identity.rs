//! Changes that make another experiment, and the search for input files.

use super::*;
use insta::assert_snapshot;

#[test]
fn every_input_counts_in_the_identity() {
    let experiment = |from: &str, to: &str| {
        let changed = CASES.replacen(from, to, 1);
        assert_eq!(changed == CASES, from == to, "{from}");
        parse(&changed).unwrap().experiment().unwrap()
    };
    let base = experiment("", "");
    for (from, to) in [
        ("seed = 7", "seed = 8"),
        ("name = \"cases\"", "name = \"other\""),
        ("name = \"budget\"", "name = \"other\""),
        ("[4, 8]", "[8, 4]"),
        ("parts = 4", "parts = 4, least = 1"),
        ("slowdown = 0.1", "slowdown = 0.2"),
        ("published = 0.13", "published = 0.14"),
        ("published = 0.13", "sync = true"),
        ("[0, 0.13, 1]", "[0, 1]"),
        ("histo-m4", "histo-table1"),
    ] {
        assert_ne!(experiment(from, to), base, "{from} → {to}");
    }
    for (from, to) in [
        ("title = \"A small", "title = \"Another"),
        ("must_hold = true", "must_hold = false"),
        ("slowdown = 0.1\n", ""),
        ("[0, 0.13, 1]", "[0, 0.130, 1.0]"),
        ("series = \"sync\"", "series = \"case\""),
        ("# ", ""),
    ] {
        if CASES.contains(from) {
            assert_eq!(experiment(from, to), base, "{from} → {to}");
        }
    }
}

/// The content of a file in a case is part of the experiment. The command also searches the folders above the study for
/// the file.
#[test]
fn files_count_with_their_content() {
    let root = temporary();
    let (studies, results) = (root.path().join("studies"), root.path().join("studies/results"));
    fs::create_dir(&studies).unwrap();
    let text = tiny()
        .text()
        .replace("tasksets/kernels/histo-m4.json", "kernel.json");
    let file = studies.join("cases.toml");
    fs::write(&file, &text).unwrap();
    let read = || Spec::read(&file, Overrides::default());
    let message = read().unwrap_err().to_string();
    assert!(
        message
            .contains("cases.toml:6: at case[0].kernel: found \"kernel.json\", expected a path relative to"),
        "{message}"
    );

    let histo = serde_json::to_string(&kernel("histo-m4.json")).unwrap();
    let path = root.path().join("kernel.json");
    fs::write(&path, &histo).unwrap();
    let spec = read().unwrap();
    run(&spec, &results, "1/1", 1).unwrap();
    let states = || -> Vec<State> {
        let found = study::studies(&results).unwrap();
        found.iter().map(|study| study.state).collect()
    };
    assert_eq!(states(), [State::Current]);
    let copy = Spec::read(results.join("cases.toml"), Overrides::default()).unwrap();
    assert_eq!(copy.experiment().unwrap(), spec.experiment().unwrap());

    fs::write(&path, histo.replace("1700", "1701")).unwrap();
    assert_ne!(read().unwrap().experiment().unwrap(), spec.experiment().unwrap());
    assert_eq!(states(), [State::Outdated]);
    let message = run(&read().unwrap(), &results, "1/1", 1).unwrap_err().to_string();
    let changed = r#"found results with another content of the file "kernel.json", from line 1"#;
    assert!(message.contains(changed), "{message}");

    // The nearest file is used.
    fs::write(&path, &histo).unwrap();
    fs::write(studies.join("kernel.json"), histo.replace("1700", "1702")).unwrap();
    assert_ne!(read().unwrap().experiment().unwrap(), spec.experiment().unwrap());
    fs::remove_file(studies.join("kernel.json")).unwrap();
    assert_eq!(states(), [State::Current]);

    let mut told = Transcript::in_folder(root.path());
    for content in [
        "",
        "[]",
        &histo.replace("1700", "9700"),
        &format!("{histo}\n{histo}\n"),
    ] {
        fs::write(&path, content).unwrap();
        told.case(content, read().unwrap_err());
    }
    assert_snapshot!(told);
}

/// A results folder contains all inputs and can be moved. If an input file exists again with other content, the results
/// are outdated.
#[test]
fn results_are_at_home_anywhere() {
    let (root, elsewhere) = (temporary(), temporary());
    let histo =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/histo-m4.json"))
            .unwrap();
    fs::write(root.path().join("kernel.json"), &histo).unwrap();
    let text = tiny()
        .text()
        .replace("tasksets/kernels/histo-m4.json", "kernel.json");
    fs::write(root.path().join("cases.toml"), text).unwrap();
    let spec = Spec::read(root.path().join("cases.toml"), Overrides::default()).unwrap();
    let shards = ["1/2", "2/2"].map(|shard| {
        let folder = elsewhere.path().join(shard.replace('/', "of"));
        run(&spec, &folder, shard, 1).unwrap();
        folder
    });
    let whole = elsewhere.path().join("whole");
    fs::remove_file(root.path().join("kernel.json")).unwrap();
    study::merge(&shards, &whole).unwrap();

    let found = || study::studies(&whole).map(|mut found| found.remove(0));
    let study = found().unwrap();
    assert_eq!(study.state, State::Current);
    assert_eq!(study.spec.experiment().unwrap(), spec.experiment().unwrap());
    study.findings().unwrap();
    let copies = fs::read_to_string(whole.join("cases.inputs.json")).unwrap();
    let read: std::collections::BTreeMap<String, String> = serde_json::from_str(&copies).unwrap();
    assert_eq!(read, [("kernel.json".to_owned(), histo.clone())].into());
    // The study in the folder can be run again, with the same bytes.
    let again = elsewhere.path().join("again");
    run(&study.spec, &again, "1/1", 1).unwrap();
    assert_eq!(stable_files(&again), stable_files(&whole));

    fs::write(whole.join("kernel.json"), histo.replace("1.70us", "1.71us")).unwrap();
    assert_eq!(found().unwrap().state, State::Outdated);
    fs::remove_file(whole.join("kernel.json")).unwrap();
    fs::write(
        whole.join("cases.inputs.json"),
        copies.replace("1.70us", "1.71us"),
    )
    .unwrap();
    assert_eq!(found().unwrap().state, State::Outdated);
    let mut told = Transcript::in_folder(elsewhere.path());
    for content in ["{}", "{\n\"kernel.json\": 1}"] {
        fs::write(whole.join("cases.inputs.json"), content).unwrap();
        told.case(content, found().unwrap_err());
    }
    assert_snapshot!(told);
}
