//! Time slices as an algorithm of a study: its verdicts are the verdicts of `end_to_end`, for the task sets of the study.

use gpusched::end_to_end::{SharedContexts, TurnSearch, analyze, choose_turns};
use gpusched::interference::Interference;
use gpusched::model::end_to_end::{Draft, Environment, Idle, System, TimeShares};
use gpusched::study::Table;
use gpusched::{Policy, Time};

use crate::study_support::files::temporary;
use crate::study_support::{SMALL, parse, run};

const ALGORITHMS: &str = r#"[[algorithm]]
name = "one slice"
time_slices = { slices = ["5ms"], switch = "100us", overrun = "200us" }

[[algorithm]]
name = "chosen"
time_slices = { slices = ["5ms", "1ms"], switch = "100us", overrun = "200us", turns = 2, contexts = 3, tests = 20 }
"#;

#[test]
fn an_algorithm_with_time_slices_has_their_verdicts() {
    let (head, _) = SMALL.split_once("[[algorithm]]").unwrap();
    let head = head.replace("policy = \"edf\"", "policy = \"np-edf\"");
    let head = head.replace("tasks = [5, 8]", "tasks = [4]");
    let spec = parse(&format!("{head}{ALGORITHMS}"));
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("small.csv")).unwrap();
    let study = spec.partitioning().unwrap();
    let slices = ["5ms", "1ms"].map(|slice| slice.parse::<Time>().unwrap());
    let shares = TimeShares {
        slice: slices[0],
        switch: "100us".parse().unwrap(),
        overrun: Some("200us".parse().unwrap()),
        idle: Idle::Skip,
    };
    let environment = Environment::from(Interference::Conflict);
    let mut sums = [0, 0];
    for row in 0..table.len() {
        let text = |column: &str| table.column(column).unwrap().text(row).to_owned();
        let point: usize = text("point").parse().unwrap();
        let variant = study.variant_called(&text("variant")).unwrap();
        let sets = study.set_list(point, variant, 0..9).unwrap();
        let drafts = sets
            .iter()
            .map(|set| Draft::time_shared(set, 12, shares).unwrap());
        let chosen = text("algorithm") == "chosen";
        let accepted = drafts.filter(|draft| match chosen {
            false => analyze(&System::new(draft, environment).unwrap()).schedulable,
            true => {
                let search = TurnSearch {
                    slices: &slices,
                    turns: 2,
                    shared: Some(SharedContexts {
                        contexts: 3,
                        policy: Policy::NpEdf,
                    }),
                    tests: 20,
                    environment,
                };
                choose_turns(draft, &search, &|_| ()).unwrap().schedulable
            }
        });
        let accepted = accepted.count();
        assert_eq!(text("schedulable"), accepted.to_string(), "row {row}");
        sums[usize::from(chosen)] += accepted;
    }
    assert!(sums[0] > 0 && sums[1] > 0, "{sums:?}");
}

/// A set with a task without a WCET on all SMs counts as not schedulable, as it does for `1g`. Other faults end the study, and name the
/// question.
#[test]
fn a_missing_wcet_is_not_schedulable() {
    let folder = temporary();
    let task = |table: &str| format!(r#"{{"period":"200ms","deadline":"150ms","wcet":{{"table":{table}}}}}"#);
    let known = task(r#"[[1,"3ms"]]"#);
    let set = |second: &str| format!(r#"{{"tasks":[{known},{second}]}}"#);
    let sets = [
        set(&known),
        set(&task(r#"[[4,"3ms"]]"#)),
        set(&task(r#"[[2,"3ms"]]"#)),
        // Only the WCET in conflict is unknown.
        set(&task(r#"{"isolated":[[1,"3ms"]],"conflict":[[4,"3ms"]]}"#)),
    ];
    let file = folder.path().join("sets.jsonl");
    let study = |sets: &[String]| {
        std::fs::write(&file, sets.join("\n")).unwrap();
        let text = format!(
            "name = \"small\"\nsets = {}\nsms = 2\npopulation = {file:?}\n[[variant]]\nname = \"conflict\"\npolicy = \"np-edf\"\n\
             [[variant]]\nname = \"none\"\npolicy = \"np-edf\"\ninterference = \"none\"\n{ALGORITHMS}\
             [[algorithm]]\nname = \"1G\"\nheuristic = \"1g\"\n",
            sets.len()
        );
        let results = temporary();
        run(&parse(&text), results.path(), "1/1", 2).map(|_| {
            let table = Table::read(results.path().join("small.csv")).unwrap();
            let column = |name: &str| table.column(name).unwrap();
            (0..table.len())
                .map(|row| {
                    format!(
                        "{}={}",
                        column("variant").text(row),
                        column("schedulable").text(row)
                    )
                })
                .collect::<Vec<String>>()
        })
    };
    let mut found = study(&sets).unwrap();
    found.sort();
    let expected = [["conflict=2"; 3], ["none=3"; 3]].concat();
    assert_eq!(found, expected);
    let several = set(&known.replacen('{', r#"{"launches":2,"#, 1));
    let error = study(&[set(&known), several]).unwrap_err().to_string();
    assert!(
        error.contains("time_slices: failed for set 1 of point 0, variant"),
        "{error}"
    );
}
