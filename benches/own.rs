//! Measures the time of one call of an algorithm of the user that answers at once, in a study on one thread. Run with
//! `cargo bench --bench own`, or with `-- SETS` for another number of task sets per run.
//!
//! The program of the benchmark itself is the external command.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use gpusched::study::own::{Answer, Fault, Question, Registry};
use gpusched::study::{Overrides, Shard, Spec, run};

/// Argument that makes this program the external command.
const ANSWER: &str = "--answer";

/// Number of runs. The printed times are medians of the runs.
const RUNS: usize = 5;

fn main() {
    if std::env::args().any(|argument| argument == ANSWER) {
        return answer();
    }
    let sets = { std::env::args().skip(1) }.find_map(|argument| argument.parse().ok());
    let sets: u32 = sets.unwrap_or(1_000);
    println!("microseconds per task set; {sets} task sets per run, medians of {RUNS} runs\n");
    println!(
        "{:>4} {:>4} {:>10} {:>10} {:>12}",
        "n", "M", "command", "function", "difference"
    );
    for (tasks, sms) in [(5, 16), (20, 68), (50, 132)] {
        let [mut command, mut function] = [Vec::new(), Vec::new()];
        for _ in 0..RUNS {
            command.push(time(sets, tasks, sms, false));
            function.push(time(sets, tasks, sms, true));
        }
        let [command, function] = [command, function].map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[RUNS / 2]
        });
        println!(
            "{tasks:>4} {sms:>4} {command:>10.1} {function:>10.1} {:>12.1}",
            command - function
        );
    }
}

/// Returns the time per task set of a study with one algorithm that answers at once [µs].
fn time(sets: u32, tasks: u32, sms: u32, is_function: bool) -> f64 {
    let program = std::env::current_exe().unwrap();
    let algorithm = match is_function {
        true => String::new(),
        false => format!("[[algorithm]]\nname = \"mine\"\ncommand = [{program:?}, \"{ANSWER}\"]"),
    };
    let text = format!(
        "name = \"own\"\nsets = {sets}\nsms = {sms}\naxis = {{ utilization = {}, tasks = {tasks} }}\n\
         variant = [{{ name = \"edf\", wcet = \"amdahl\", policy = \"edf\" }}]\n{algorithm}\n",
        tasks / 2
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, text).unwrap();
    let yes = |_: &Question<'_>| Ok::<_, Fault>(Answer::Schedulable(true));
    let registry = Registry::default();
    let registry = if is_function {
        registry.with("mine", "1", yes)
    } else {
        registry
    };
    let spec = Spec::read_with(&file, Overrides::default(), &registry).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let start = Instant::now();
    run(&spec, folder.path(), Shard::WHOLE, &pool, &mut ()).unwrap();
    start.elapsed().as_secs_f64() * 1e6 / f64::from(sets)
}

/// Answers each line at once.
fn answer() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        let id = line.iter().skip(6).take_while(|byte| byte.is_ascii_digit());
        let id = String::from_utf8(id.copied().collect()).unwrap(); // after {"id":
        writeln!(output, "{{\"id\":{id},\"schedulable\":true}}").unwrap();
        output.flush().unwrap();
        line.clear();
    }
}
