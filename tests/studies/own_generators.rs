//! Generators and metrics outside gpusched: commands generate the task sets of a study, and compute further columns.

use std::path::Path;

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::{parse, run};
use gpusched::study::{self, Overrides, Spec, Table};

/// A generator of task sets of two tasks: the index of the set decides the WCET.
const SETS: &str = r#"while IFS= read -r line; do
id=${line#*\"id\":}; id=${id%%,*}
index=${line#*\"index\":}; index=${index%%,*}
echo "{\"id\":$id,\"set\":{\"tasks\":[{\"period\":\"10ms\",\"wcet\":\"$((index + 1))ms\"},{\"period\":\"10ms\",\"wcet\":\"2ms\"}]}}"
done
"#;

/// A metric: 2.5 for each schedulable set, and no value otherwise.
const RATES: &str = r#"while IFS= read -r line; do
id=${line#*\"id\":}; id=${id%%,*}
case $line in
*'"schedulable":true'*) echo "{\"id\":$id,\"value\":2.5}" ;;
*) echo "{\"id\":$id,\"value\":null}" ;;
esac
done
"#;

/// Returns a study whose generator and metric are the shell scripts `sets` and `rates`.
fn text(folder: &Path, sets: &str, rates: &str, axis: &str) -> String {
    let [generator, metric] = [("sets.sh", sets), ("rates.sh", rates)].map(|(name, script)| {
        let path = folder.join(name);
        std::fs::write(&path, script).unwrap();
        path
    });
    format!(
        "name = \"own\"\nsets = 12\nsms = 4\npaired = true\npopulation = {{ command = [\"sh\", {generator:?}] }}\n{axis}\n\
         [[variant]]\nname = \"edf\"\npolicy = \"edf\"\n[[variant]]\nname = \"np-edf\"\npolicy = \"np-edf\"\n\
         [[algorithm]]\nname = \"1G\"\nheuristic = \"1g\"\n[[algorithm]]\nname = \"single\"\nheuristic = \"one-per-partition\"\n\
         [[metric]]\nname = \"rating\"\ncommand = [\"sh\", {metric:?}]\n"
    )
}

const AXIS: &str = "[axis]\nutilization = [1, 2]\ntasks = 2";

fn columns(folder: &Path, names: &[&str]) -> Vec<String> {
    let table = Table::read(folder.join("own.csv")).unwrap();
    let cell = |row: usize, name: &&str| table.column(name).unwrap().text(row).to_owned();
    let row = |row: usize| names.iter().map(|name| cell(row, name)).collect::<Vec<_>>();
    (0..table.len()).map(|number| row(number).join(" ")).collect()
}

fn refusal(text: &str) -> String {
    match Spec::parse("own.toml", text, Overrides::default()) {
        Err(error) => error.to_string(),
        Ok(spec) => run(&spec, temporary().path(), "1/1", 2).unwrap_err().to_string(),
    }
}

#[test]
fn a_command_generates_the_sets_and_another_rates_the_results() {
    let scripts = temporary();
    let spec = parse(&text(scripts.path(), SETS, RATES, AXIS));
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 1).unwrap();
    // One partition: (index + 1) + 2 ms within 10 ms. One task per partition: index + 1 ms within 10 ms.
    let expected = ["1G 8 2.500000", "single 10 2.500000"];
    let found = columns(whole.path(), &["algorithm", "schedulable", "mean_rating"]);
    assert_eq!(found, [expected; 4].concat());
    let expected = stable_files(whole.path());
    for threads in [2, 5] {
        let folder = temporary();
        run(&spec, folder.path(), "1/1", threads).unwrap();
        assert_eq!(stable_files(folder.path()), expected, "{threads} threads");
    }
    let parts = temporary();
    let folders = [1, 2, 3].map(|index| parts.path().join(format!("part{index}")));
    for (index, folder) in folders.iter().enumerate() {
        run(&spec, folder, &format!("{}/3", index + 1), 2).unwrap();
    }
    let merged = parts.path().join("whole");
    study::merge(&folders, &merged).unwrap();
    assert_eq!(stable_files(&merged), expected);
    // The comparison of a study with itself knows that the metric is no axis.
    let table = Table::read(whole.path().join("own.csv")).unwrap();
    assert_eq!(study::table::compare(&table, &table).unwrap().rows.len(), 8);
    assert!(study::weighted(&table).unwrap().find("mean_rating").is_none());
}

#[test]
fn axes_of_a_generator_are_optional() {
    let scripts = temporary();
    for (axis, points) in [
        ("", 1),
        ("[[figure]]\nx = \"algorithm\"\nkind = \"point\"", 1),
        ("[axis]\ntasks = [2, 3]", 2),
        ("[axis]\nutilization = 1", 1),
        ("[axis]\nsms = [2, 4]", 2),
    ] {
        let mut text = text(scripts.path(), SETS, RATES, axis);
        if axis.contains("sms") {
            text = text.replacen("sms = 4\n", "", 1);
        }
        let spec = parse(&text);
        assert_eq!(spec.partitioning().unwrap().points().len(), points, "{axis}");
        run(&spec, temporary().path(), "1/1", 2).unwrap();
    }
}

#[test]
fn sets_of_a_generator_can_be_had_again() {
    let scripts = temporary();
    let path = scripts.path().join("own.toml");
    std::fs::write(&path, text(scripts.path(), SETS, RATES, AXIS)).unwrap();
    let path = path.display();
    let sets = crate::support::run(&format!("study sets {path} --point 1"));
    assert_eq!(
        (sets.code, sets.stdout.lines().count()),
        (0, 12),
        "{}",
        sets.stderr
    );
    let one = crate::support::run(&format!("study sets {path} --point 0 --index 11"));
    assert_eq!(one.stdout.lines().next(), sets.stdout.lines().last());
    let more = crate::support::run(&format!("generate --study {path} --point 1 --count 300"));
    assert_eq!(
        (more.code, more.stdout.lines().count()),
        (0, 300),
        "{}",
        more.stderr
    );
    assert!(more.stdout.starts_with(&sets.stdout));
}

#[test]
fn generate_uses_the_generator_of_a_study() {
    let run = |line: &str| crate::support::run(line);
    let sets = run("study sets analysis/smoke.toml --point 3 --variant proportional");
    let more = run("generate --study analysis/smoke.toml --point 3 --variant proportional --count 40");
    assert_eq!(
        (more.code, more.stdout.lines().count()),
        (0, 40),
        "{}",
        more.stderr
    );
    assert!(more.stdout.starts_with(&sets.stdout) && sets.stdout.lines().count() == 20);
    let other = run("generate --study analysis/smoke.toml --point 3 --seed 77");
    assert_ne!(other.stdout.lines().next(), sets.stdout.lines().next());
    for (line, expected) in [
        ("--study analysis/smoke.toml", "--point"),
        ("--study analysis/smoke.toml --point 0 --tasks 3", "--tasks"),
        ("--study analysis/smoke.toml --point 99", "--point: found 99"),
        ("--point 3 --tasks 2 --utilization 1", "--study"),
        (
            "--study analysis/gcaps.toml --point 0",
            "study of cases without task sets",
        ),
        ("--tasks 2", "--utilization"),
    ] {
        let refused = run(&format!("generate {line}"));
        assert!(
            refused.code == 2 && refused.stderr.contains(expected),
            "{line}: {}",
            refused.stderr
        );
    }
}

#[test]
fn a_changed_generator_or_metric_is_another_experiment() {
    let scripts = temporary();
    let spec = |sets: &str, rates: &str| parse(&text(scripts.path(), sets, rates, AXIS));
    let experiment = |sets: &str, rates: &str| spec(sets, rates).experiment().unwrap();
    let first = experiment(SETS, RATES);
    assert_eq!(experiment(SETS, RATES), first);
    assert_ne!(experiment(&SETS.replace("2ms", "3ms"), RATES), first);
    assert_ne!(experiment(SETS, &RATES.replace("2.5", "3.5")), first);
    let renamed = text(scripts.path(), SETS, RATES, AXIS).replace("\"rating\"", "\"rank\"");
    assert_ne!(parse(&renamed).experiment().unwrap(), first);
    // A killed generator loses nothing.
    let marker = scripts.path().join("killed");
    let killed = format!(
        "killed() {{ [ -e {marker:?} ] || {{ : > {marker:?}; kill -9 $$; }}; }}\n{}",
        SETS.replace("echo \"{", "[ $index = 7 ] && killed\necho \"{")
    );
    let spec = spec(&killed, RATES);
    let folder = temporary();
    let error = run(&spec, folder.path(), "1/1", 1).unwrap_err().to_string();
    assert!(
        error.contains("own.toml: population") || error.contains("population: found the end"),
        "{error}"
    );
    assert!(
        error.contains("signal: 9") && error.contains("set 7 of point 0"),
        "{error}"
    );
    let resumed = run(&spec, folder.path(), "1/1", 1).unwrap();
    assert!(resumed.resumed > 0 && resumed.resumed < resumed.units);
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 2).unwrap();
    assert_eq!(stable_files(folder.path()), stable_files(whole.path()));
}

#[test]
fn wrong_answers_are_refused() {
    let scripts = temporary();
    let script = |answer: &str| format!("while IFS= read -r line; do\necho '{answer}'\ndone\n");
    for (answer, expected) in [
        ("hello", "expected"),
        (r#"{"tasks":[]}"#, "tasks"),
        (r#"{"set":{"tasks":[]}}"#, "set"),
        (
            r#"{"set":{"tasks":[{"period":"0ms","wcet":"1ms"}]}}"#,
            "set.tasks[0].period",
        ),
        (
            r#"{"set":{"tasks":[{"period":"1ms","wcet":"1ms","color":1}]}}"#,
            "color",
        ),
        (
            r#"{"id":7,"set":{"tasks":[{"period":"1ms","wcet":"1ms"}]}}"#,
            "expected 1, the `id` of the question",
        ),
    ] {
        let found = refusal(&text(scripts.path(), &script(answer), RATES, AXIS));
        assert!(
            found.contains("population") && found.contains("set 0 of point"),
            "{answer}: {found}"
        );
        assert!(found.contains(expected), "{answer}: {found}");
    }
    for (answer, expected) in [
        ("1", "invalid type"),
        ("{}", "missing field `value`"),
        (
            r#"{"value":-1}"#,
            "a number from 0 to 1000000000000 with at most 6 decimals",
        ),
        (r#"{"value":1e3}"#, "a number from 0"),
        (r#"{"value":0.1234567}"#, "a number from 0"),
        (r#"{"value":1000000000000.000001}"#, "a number from 0"),
        (r#"{"value":"1"}"#, "a number from 0"),
        (r#"{"value":true}"#, "a number from 0"),
    ] {
        let found = refusal(&text(scripts.path(), SETS, &script(answer), AXIS));
        assert!(
            found.contains("metric \"rating\"") && found.contains(expected),
            "{answer}: {found}"
        );
        assert!(
            found.contains("of point") && found.contains("algorithm \"1G\""),
            "{answer}: {found}"
        );
    }
}

/// The mean of a metric is exact to the sixth decimal, also for the largest values.
#[test]
fn means_are_exact() {
    let scripts = temporary();
    for (value, expected) in [
        ("0", "0.000000"),
        ("1000000000000", "1000000000000.000000"),
        ("999999999999.999999", "999999999999.999999"),
        ("0.000001", "0.000001"),
        ("3.10", "3.100000"),
        ("$((index % 2))", "0.500000"),
        ("$((index / 10))", "0.166667"),
    ] {
        let rates = RATES.replacen(
            "case $line in",
            "index=${line#*\\\"index\\\":}; index=${index%%,*}\ncase $line in",
            1,
        );
        let rates = rates
            .replace("*'\"schedulable\":true'*", "*")
            .replace("2.5", value);
        let folder = temporary();
        run(
            &parse(&text(scripts.path(), SETS, &rates, "")),
            folder.path(),
            "1/1",
            2,
        )
        .unwrap();
        assert_eq!(columns(folder.path(), &["mean_rating"]), [expected; 4], "{value}");
    }
}

#[test]
fn fields_without_effect_are_refused() {
    let scripts = temporary();
    let whole = text(scripts.path(), SETS, RATES, AXIS);
    for (old, new, expected) in [
        ("\"rating\"", "\"sms\"", "mean_sms"),
        ("\"rating\"", "\"Rating\"", "small letters"),
        ("\"rating\"", "\"\"", "visible characters"),
        (
            "policy = \"edf\"",
            "policy = \"edf\"\nwcet = \"amdahl\"",
            "no `wcet`",
        ),
        ("[axis]", "[generator]\ncap = 1\n[axis]", "no `generator`"),
        (
            "[axis]",
            "[axis]\npopulation = [\"a.jsonl\"]",
            "`population` also in [axis]",
        ),
        (
            "utilization = [1, 2]",
            "utilization = [0, 2]",
            "positive utilizations",
        ),
    ] {
        let text = whole.replacen(old, new, 1);
        assert_ne!(text, whole);
        let found = refusal(&text);
        let expected = if expected == "mean_sms" {
            "a column of gpusched"
        } else {
            expected
        };
        assert!(found.contains(expected), "{new}: {found}");
    }
    let (start, end) = whole.split_once("population = {").unwrap();
    let (_, end) = end.split_once("}\n").unwrap();
    for (population, expected) in [
        ("{ command = [] }", "found no program"),
        ("{ command = [\"\"] }", "found no program"),
        ("{ command = [\"sh\"], color = 1 }", "color"),
        ("{ timeout = \"1s\" }", "command"),
        ("7", "the path of a file, or a program"),
    ] {
        let found = refusal(&format!("{start}population = {population}\n{end}"));
        assert!(
            found.contains("population") && found.contains(expected),
            "{population}: {found}"
        );
    }
    let metric = refusal(&whole.replace(
        "name = \"rating\"\ncommand = [\"sh\"",
        "name = \"rating\"\ncommand = [\"\"",
    ));
    assert!(metric.contains("metric[0].command: found no program"), "{metric}");
}
