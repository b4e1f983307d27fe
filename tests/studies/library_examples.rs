//! The examples of the library run, and stay short.

use rayon::prelude::*;

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::{SMALL, run};
use crate::support::{root, rounds};
use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::study::own::{self, Fault, Question, Registry};
use gpusched::study::{Overrides, Spec, Table};

#[path = "../../examples/own_heuristic.rs"]
mod own_heuristic;
#[expect(dead_code, reason = "the main function runs the command")]
#[path = "../../examples/own_study.rs"]
mod own_study;
#[path = "../../examples/own_test.rs"]
mod own_test;
#[path = "../../examples/plan_a_set.rs"]
mod plan_a_set;
#[path = "../../examples/test_a_set.rs"]
mod test_a_set;

#[test]
fn examples_run() {
    plan_a_set::main().unwrap();
    test_a_set::main().unwrap();
    own_heuristic::main().unwrap();
    own_test::main().unwrap();
}

/// The program of the how-to page: its heuristic takes part in the study of the page, with a short run.
#[test]
fn the_program_of_the_page_runs() {
    let page = std::fs::read_to_string(root().join("docs/how-to/own-algorithm.md")).unwrap();
    let code = std::fs::read_to_string(root().join("examples/own_study.rs")).unwrap();
    let block = |start: &str| {
        let (_, rest) = page.split_once(start).unwrap();
        rest.split_once("\n```\n").unwrap().0
    };
    let code = code.split_once("\n\n").unwrap().1.replace("pub(crate) fn", "fn");
    assert_eq!(block("```rust\n"), code.trim_end());
    assert!(
        code.lines()
            .filter(|line| !line.trim().is_empty() && !line.contains("//"))
            .count()
            <= 25
    );
    let folder = temporary();
    let study = folder.path().join("mine.toml");
    std::fs::write(&study, block("```toml study\n")).unwrap();
    let sets = Overrides {
        sets: Some(rounds(60)),
        seed: None,
    };
    let registry = Registry::default().with("mine", "version 1", own_study::mine);
    let spec = Spec::read_with(&study, sets, &registry).unwrap();
    let results = folder.path().join("results");
    run(&spec, &results, "1/1", 2).unwrap();
    let table = Table::read(results.join("mine.csv")).unwrap();
    let schedulable = |algorithm: &str| -> f64 {
        let rows = (0..table.len()).filter(|&row| table.column("algorithm").unwrap().text(row) == algorithm);
        let count = |row| table.column("schedulable").unwrap().number(row).unwrap().unwrap();
        rows.map(count).sum()
    };
    assert!(schedulable("mine") > 0.0 && schedulable("mine") <= schedulable("optimal"));
    // Version and name are part of the experiment, and the copy of the study can be read without the function.
    let other = Registry::default().with("mine", "version 2", own_study::mine);
    let other = Spec::read_with(&study, sets, &other).unwrap();
    assert_ne!(other.experiment().unwrap(), spec.experiment().unwrap());
    let copy = results.join("mine.toml");
    assert_eq!(
        Spec::read(&copy, Overrides::default())
            .unwrap()
            .experiment()
            .unwrap(),
        spec.experiment().unwrap()
    );
    let refused = Registry::default().with("mine", "version 2", own_study::mine);
    let refused = Spec::read_with(&copy, Overrides::default(), &refused)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("algorithm[3].function") && refused.contains("the registered function"),
        "{refused}"
    );
}

/// Equal results for all threads, shards and interruptions, also after an error of the function.
#[test]
fn functions_leave_no_trace_of_threads_and_errors() {
    let text = SMALL.replacen("tasks = [5, 8]", "tasks = [5]", 1);
    let folder = temporary();
    let study = folder.path().join("small.toml");
    std::fs::write(&study, text).unwrap();
    let spec = |registry: &Registry| Spec::read_with(&study, Overrides::default(), registry).unwrap();
    let works = spec(&Registry::default().with("mine", "1", own_study::mine));
    let whole = temporary();
    run(&works, whole.path(), "1/1", 1).unwrap();
    let parts = temporary();
    let folders = [1, 2].map(|index| parts.path().join(format!("part{index}")));
    for (index, folder) in folders.iter().enumerate() {
        run(&works, folder, &format!("{}/2", index + 1), 3).unwrap();
    }
    let merged = parts.path().join("whole");
    gpusched::study::merge(&folders, &merged).unwrap();
    assert_eq!(stable_files(&merged), stable_files(whole.path()));
    let fails = |question: &Question<'_>| match question.origin {
        Some(origin) if (origin.point, origin.index) == (3, 4) => Err(Fault::from("no answer")),
        _ => own_study::mine(question),
    };
    let broken = temporary();
    let fails = spec(&Registry::default().with("mine", "1", fails));
    let error = run(&fails, broken.path(), "1/1", 2).unwrap_err().to_string();
    let expected = "algorithm \"mine\": failed for set 4 of point 3, variant \"literal\": no answer";
    assert!(error.contains(expected), "{error}");
    // A panic of an algorithm is a failure, too, and names the task set.
    let panics = |question: &Question<'_>| match question.origin {
        Some(origin) if (origin.point, origin.index) == (3, 4) => panic!("an index out of range"),
        _ => own_study::mine(question),
    };
    let panics = spec(&Registry::default().with("mine", "1", panics));
    let error = run(&panics, broken.path(), "1/1", 2).unwrap_err().to_string();
    let expected = "algorithm \"mine\": failed for set 4 of point 3, variant \"literal\": panicked";
    assert!(error.contains(expected), "{error}");
    let resumed = run(&works, broken.path(), "1/1", 2).unwrap();
    assert!(resumed.resumed > 0);
    assert_eq!(stable_files(broken.path()), stable_files(whole.path()));
}

/// TOML adds no table to a list in one value, so the study must state its algorithms as tables.
#[test]
fn functions_join_only_tables_of_algorithms() {
    let folder = temporary();
    let study = folder.path().join("small.toml");
    let (start, _) = SMALL.split_once("[[algorithm]]").unwrap();
    let text = format!("algorithm = [{{ name = \"1G\", heuristic = \"1g\" }}]\n{start}");
    std::fs::write(&study, text).unwrap();
    Spec::read(&study, Overrides::default()).unwrap();
    let registry = Registry::default().with("mine", "1", own_study::mine);
    let refused = Spec::read_with(&study, Overrides::default(), &registry)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("small.toml:1: at algorithm: found a list of algorithms in one value")
            && refused.contains("expected one table `[[algorithm]]` for each algorithm"),
        "{refused}"
    );
}

#[test]
fn examples_are_short() {
    let files = std::fs::read_dir(root().join("examples")).unwrap();
    let lines = |path| std::fs::read_to_string(path).unwrap().lines().count();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in files {
        let count = lines(file.clone());
        assert!(count <= 60, "{}: {count} lines", file.display());
    }
}

/// An algorithm may answer another question on its thread, for example while it waits for other threads. A later panic of
/// its own still belongs to the first question.
#[test]
fn a_question_inside_a_question_keeps_its_panics() {
    let set = Source::new(&Recipe::default(), 3, 0.5, 8).unwrap();
    let set = set.draw(0, 1).unwrap();
    let problem = &Problem::new(&set, 8, "edf".parse().unwrap(), model_of(Interference::None)).unwrap();
    let inner = |_: &Question<'_>| -> Result<own::Answer, Fault> { Ok(own::Answer::Schedulable(false)) };
    let fails = |_: &Question<'_>| -> Result<own::Answer, Fault> { panic!("inside") };
    let outer = |question: &Question<'_>| -> Result<own::Answer, Fault> {
        assert!(own::takes_panic("")); // takes panics from its start
        own::plan("inner", &inner, question)?;
        own::plan("fails", &fails, question).unwrap_err();
        let takes = own::takes_panic("the message of the outer panic");
        if takes {
            panic!()
        } else {
            Ok(own::Answer::Schedulable(false))
        }
    };
    let error = own::plan("outer", &outer, &Question::new(&set, problem)).unwrap_err();
    assert!(
        error.to_string().contains("the message of the outer panic"),
        "{error}"
    );
    assert!(!own::takes_panic("outside"));
}

/// The example repeats `fewest-sms` outside gpusched. Both find the same plans.
#[test]
fn the_example_finds_the_plans_of_fewest_sms() {
    let found: usize = (0..rounds(1_000))
        .into_par_iter()
        .map(|round: u64| {
            let tasks = [1, 4, 12, 20][round as usize % 4];
            let utilization = tasks as f64 * [0.3, 0.8, 1.4][round as usize / 4 % 3];
            let source = Source::new(&Recipe::default(), tasks, utilization, 52).unwrap();
            let set = source.draw(0, round).unwrap();
            let policy = ["edf", "np-edf", "dm"][round as usize / 12 % 3].parse().unwrap();
            let interference = [Interference::Conflict, Interference::None][round as usize / 36 % 2];
            let sms = [8, 16, 24][round as usize / 72 % 3];
            let problem = &Problem::new(&set, sms, policy, model_of(interference)).unwrap();
            let question = Question::new(&set, problem);
            let (plan, _) = own::plan("mine", &own_heuristic::fewest_sms, &question).unwrap();
            let expected = partition(problem, &HeuristicKind::Sms.into());
            assert_eq!(plan.schedulable, expected.schedulable, "round {round}");
            if plan.schedulable {
                assert_eq!(plan.partitions, expected.partitions, "round {round}");
            }
            usize::from(plan.schedulable)
        })
        .sum();
    assert!(found > rounds(1_000u64) as usize / 5, "{found}");
}
