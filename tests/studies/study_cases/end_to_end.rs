//! The metric `end-to-end`, against a simple loop over the same systems.

use super::*;
use gpusched::end_to_end::{Baseline, Gpu, Search, analyze, baseline, plan};
use gpusched::generation::WcetModel;
use gpusched::generation::systems::{Configuration, SystemRecipe, SystemSource};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{EnginePolicy, PartitionPolicy, System, Wait};
use gpusched::partitioning::HeuristicKind;
use insta::assert_snapshot;

const CASE: &str = r#"
kind = "cases"
name = "few"
seed = 7

[[case]]
name = "suspend"
measure = "end-to-end"
utilization = [0.6, 1.2]
sets = 20
systems = { cores = 2, tasks = [2, 3] }
wait = "suspend"
copy_engine = "fifo"
policy = "np-fp"
sms = 8
wcet = "amdahl"
interference = "conflict"
methods = ["oblivious", "holistic", "simulation", "auto"]
tests = 300
"#;

#[test]
fn shares_are_those_of_a_plain_loop() {
    let folder = temporary();
    run(&parse(CASE).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("few.csv")).unwrap();
    let value = |algorithm: &str, utilization: &str, quantity: &str| -> String {
        let column = |name: &str| table.column(name).unwrap();
        let row = (0..table.len()).find(|&row| {
            column("algorithm").text(row) == algorithm
                && column("utilization").text(row) == utilization
                && column("quantity").text(row) == quantity
        });
        column("value").text(row.unwrap()).to_owned()
    };
    let share = |part: u32, whole: u32| format!("{:.6}", f64::from(part) / f64::from(whole.max(1)));
    let recipe = SystemRecipe {
        cores: 2,
        tasks: (2, 3),
        ..SystemRecipe::default()
    };
    let configuration = Configuration {
        wait: Wait::Suspend,
        copy_engine: Some(EnginePolicy::Fifo),
        policy: PartitionPolicy::NpFp,
        sms: 8,
        wcet: Some(WcetModel::Amdahl),
        overhead: gpusched::Time::ZERO,
        blocking: gpusched::Time::ZERO,
    };
    let mut planned = 0;
    for (point, utilization) in [(0, 0.6), (1, 1.2)] {
        let source = SystemSource::new(&recipe, utilization, 7).unwrap();
        let [mut oblivious, mut holistic, mut auto, mut sms] = [0; 4];
        for set in 0..20 {
            let draft = source.draw(point, set).draft(&configuration).unwrap();
            let system = System::new(&draft, Interference::Conflict).unwrap();
            let bounds = baseline(&system, Baseline::Oblivious);
            let meets = |task: usize| bounds.response_time(task) <= Some(system.tasks()[task].deadline);
            let bounded = |task: usize| bounds.response_time(task).is_some() && meets(task);
            oblivious += u32::from((0..system.tasks().len()).all(bounded));
            holistic += u32::from(analyze(&system).schedulable);
            let search = Search {
                heuristic: HeuristicKind::Auto,
                environment: Interference::Conflict.into(),
                alternatives: false,
                tests: 300,
            };
            let gpu = Gpu { sms: 8, offer: None };
            let plan = plan(&draft, gpu, search).unwrap();
            auto += u32::from(plan.schedulable);
            sms += plan.sms_used;
        }
        let utilization = utilization.to_string();
        for (name, count) in [("oblivious", oblivious), ("holistic", holistic), ("auto", auto)] {
            assert_eq!(
                value(name, &utilization, "schedulable"),
                share(count, 20),
                "{name}"
            );
        }
        assert_eq!(value("auto", &utilization, "SMs"), share(sms, auto));
        let number = |name: &str| value(name, &utilization, "schedulable").parse::<f64>().unwrap();
        assert!(number("simulation") >= number("holistic"));
        planned += auto;
    }
    assert!(planned > 0 && planned < 40, "{planned}");
}

#[test]
fn absurd_cases_are_refused() {
    let told = refused(
        CASE,
        r#"
[0.6, 1.2] → []
[0.6, 1.2] → [0.6, 0]
sets = 20 → sets = 0
cores = 2 → cores = 0
tasks = [2, 3] → tasks = [3, 2]
sms = 8 → sms = 0
wcet = "amdahl" → overhead = "1ms"
wcet = "amdahl" → blocking = "1ms"
interference = "conflict" → overhead = "1ms"
"conflict" → "bandwidth"
"auto"] → "auto", "auto"]
"auto"] → "ffd"]
tests = 300 → published = [0.3]
"#,
    );
    assert_snapshot!(told);
}

#[test]
fn timers_need_tasks_that_suspend_themselves() {
    let busy = CASE.replace("wait = \"suspend\"", "wait = \"busy\"");
    assert!(parse(&busy).is_ok());
    let message = parse(&busy.replace("\"oblivious\"", "\"enforced\""))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("methods[0]") && message.contains("enforced"),
        "{message}"
    );
}
