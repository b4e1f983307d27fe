//! A study with an algorithm of your own beside a heuristic of gpusched, on the same task sets, with a paired test.

use gpusched::partitioning::Stated;
use gpusched::study::own::{Answer, Fault, Question, Registry};
use gpusched::study::{Overrides, Shard, Spec, Table, run};

const STUDY: &str = r#"
name = "mine"
sets = 40
sms = 16
paired = true
axis = { utilization = [4, 8], tasks = 8 }
variant = [{ name = "edf", wcet = "amdahl", policy = "edf" }]
[[algorithm]]
name = "one partition"
heuristic = "1g"
"#;

/// Splits the GPU into two halves, and puts each task into the half that has the smaller utilization.
fn halves(question: &Question<'_>) -> Result<Answer, Fault> {
    let (problem, half) = (question.problem, question.problem.sms() / 2);
    let mut parts = [Vec::new(), Vec::new()];
    for task in 0..problem.tasks().len() {
        let load = |part: &Vec<usize>| problem.utilization(part, half);
        let lighter = usize::from(load(&parts[1]) < load(&parts[0]));
        parts[lighter].push(task);
    }
    let parts = parts.into_iter().filter(|tasks| !tasks.is_empty());
    Ok(Answer::Partitions(
        parts.map(|tasks| Stated { sms: half, tasks }).collect(),
    ))
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let study = folder.path().join("mine.toml");
    std::fs::write(&study, STUDY)?;
    let registry = Registry::default().with("halves", "1", halves);
    let spec = Spec::read_with(&study, Overrides::default(), &registry)?;
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    run(&spec, folder.path(), Shard::WHOLE, &pool, &mut ())?;
    let pairs = Table::read(folder.path().join("mine.paired.csv"))?;
    let cell = |column| Ok::<_, gpusched::Error>(pairs.column(column)?.text(0));
    let (first, other) = (cell("algorithm")?, cell("other")?);
    println!(
        "{first}: {} sets more, {other}: {} sets more",
        cell("only_algorithm")?,
        cell("only_other")?
    );
    println!("p = {}", cell("p_value")?);
    assert_eq!(other, "halves");
    Ok(())
}
