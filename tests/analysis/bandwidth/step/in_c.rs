//! A program in C executes the step with the results of Rust. `rustc` and the compiler `cc` build it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gpusched::bandwidth::machine::header;
use gpusched::bandwidth::{self, BudgetPolicy};
use gpusched::model::{Factor, Kernel, Straddling};
use gpusched::time::Time;
use gpusched_budget::intervals::table_length;
use gpusched_budget::{Allocator, Fault, Intervals, Policy};
use rand::RngExt;

use super::{POLICIES, intervals, setting, state};
use crate::kernel_wcet::random;
use crate::support::{gpusched, root, rounds, run_with};

/// Output of `rustc` for the crate.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Form {
    /// A static library with the parts of `core` that it needs, as the guide builds it.
    Library,
    /// One object file. A call of a function that panics, or of the standard library, has no definition for the linker.
    Object,
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Compiles the crate for the program `name`, without cargo, without dependencies and without the standard library. Overflow checks are
/// on, as in releases. Returns `None` without `rustc`.
fn compiled(form: Form, name: &str) -> Option<PathBuf> {
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let beside = cargo
        .map(|cargo| cargo.with_file_name("rustc"))
        .filter(|path| path.exists());
    let mut compiler = Command::new(beside.unwrap_or_else(|| "rustc".into()));
    let out = match form {
        Form::Library => temporary(&format!("libgpusched_budget_{name}.a")),
        Form::Object => temporary(&format!("gpusched_budget_{name}.o")),
    };
    compiler.args([
        "--edition=2024",
        "--crate-name=gpusched_budget",
        "-Cpanic=abort",
        "-O",
        "-Coverflow-checks=on",
    ]);
    compiler.args(["-Ccodegen-units=1", "-Cembed-bitcode=no"]);
    match form {
        Form::Library => compiler.args(["--crate-type=staticlib", "--cfg=gpusched_freestanding"]),
        Form::Object => compiler.args(["--crate-type=rlib", "--emit=obj"]),
    };
    compiler
        .arg("-o")
        .arg(&out)
        .arg(root().join("crates/gpusched-budget/src/lib.rs"));
    match compiler.output() {
        Ok(built) => {
            let text = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success() && text.is_empty(), "{text}");
            Some(out)
        }
        Err(error) => {
            eprintln!("skipped: no compiler `rustc`: {error}");
            None
        }
    }
}

/// Links the program in `source` with the crate.
fn program(form: Form, source: &Path) -> Option<PathBuf> {
    let name = format!("{}-{form:?}", source.file_stem()?.to_str()?);
    let library = compiled(form, &name)?;
    let out = temporary(&name);
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]);
    compiler
        .arg("-I")
        .arg(root().join("crates/gpusched-budget/include"));
    compiler.arg("-I").arg(source.parent()?);
    compiler.arg(source).arg(library).arg("-o").arg(&out);
    let built = compiler
        .output()
        .expect("the tests of the C interface need the C compiler `cc`");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    Some(out)
}

fn commands() -> PathBuf {
    root().join("tests/analysis/bandwidth/step/step.c")
}

/// Runs `program` with `input`, and returns its lines.
fn ran(program: &Path, input: &str) -> Vec<String> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

fn status(fault: Fault) -> i32 {
    match fault {
        Fault::Clusters => -3,
        Fault::Active => -4,
        Fault::Period => -5,
        Fault::Deadline => -6,
        Fault::Work => -7,
        Fault::Intervals => -8,
        Fault::Length => -9,
        Fault::Blocks => -10,
    }
}

fn words(numbers: &[u64]) -> String {
    numbers.iter().map(|number| format!(" {number}")).collect()
}

/// The commands for the program, and the lines that it must print.
fn campaign() -> (String, Vec<String>) {
    let mut rng = random::rng(74);
    let (mut input, mut expected) = (String::new(), Vec::new());
    for _ in 0..rounds(20_000) {
        let (mut setting, mut clusters) = setting(&mut rng);
        match rng.random_range(0..16) {
            0 => setting.active = 0,
            1 => setting.nominal = setting.period + 1,
            2 => setting.deadline = u64::MAX,
            3 => clusters[0].blocks = 0,
            4 => clusters[0].e0 = u64::MAX,
            _ => {}
        }
        let policy = POLICIES
            .iter()
            .position(|&policy| policy == setting.policy)
            .unwrap();
        let both_ends = u8::from(setting.both_ends);
        write!(
            input,
            "init {policy} {} {} {} {} {both_ends} {}",
            setting.active,
            setting.period,
            setting.nominal,
            setting.deadline,
            clusters.len()
        )
        .unwrap();
        for cluster in &clusters {
            input += &words(&[cluster.blocks, cluster.e0, cluster.e1]);
        }
        input.push('\n');
        let mut allocator = Allocator::new(setting, clusters.clone());
        expected.push(format!(
            "init {}",
            allocator.as_ref().map_or_else(|&fault| status(fault), |_| 0)
        ));
        for _ in 0..3 {
            let (at, mut left) = state(&mut rng, setting.deadline, &clusters);
            if rng.random_range(0..16) == 0 {
                left.push(0);
            }
            writeln!(input, "decide {at} {}{}", left.len(), words(&left)).unwrap();
            expected.push(match &mut allocator {
                // The number stays as it was.
                Err(_) => "decide -2 777".to_owned(),
                Ok(allocator) => match allocator.check(&left) {
                    Err(fault) => format!("decide {} {}", status(fault), setting.nominal),
                    Ok(()) => {
                        let late = if at > setting.deadline { -12 } else { 0 };
                        format!("decide {late} {}", allocator.decide(at, &left))
                    }
                },
            });
        }
        if rng.random_bool(0.3) {
            input += "restart\n";
            expected.push(format!("restart {}", if allocator.is_ok() { 0 } else { -2 }));
            allocator.iter_mut().for_each(Allocator::restart);
        }
    }
    for _ in 0..rounds(5_000) {
        let (list, mut blocks, of) = intervals(&mut rng);
        if rng.random_range(0..8) == 0 {
            blocks[0] += 1;
        }
        let length = table_length(list.len(), blocks.len()).unwrap();
        write!(input, "table {} {}", list.len(), blocks.len()).unwrap();
        list.iter()
            .for_each(|found| input += &words(&[found.first, found.cluster]));
        writeln!(input, "{}", words(&blocks)).unwrap();
        let table = Intervals::new(list, vec![0; length], blocks.iter().copied());
        expected.push(format!(
            "table {}",
            table.as_ref().map_or_else(|&fault| status(fault), |_| 0)
        ));
        let next = rng.random_range(0..=of.len() as u64);
        let running: Vec<u64> = (0..next).filter(|_| rng.random_bool(0.3)).collect();
        writeln!(
            input,
            "remaining {next} {}{} {}",
            running.len(),
            words(&running),
            blocks.len()
        )
        .unwrap();
        expected.push(match table {
            Err(_) => "remaining -2".to_owned(),
            Ok(table) => {
                let mut counts = vec![0; blocks.len()];
                table.remaining(next, running, &mut counts).unwrap();
                format!("remaining 0{}", words(&counts))
            }
        });
    }
    (input, expected)
}

#[test]
fn a_program_in_c_has_the_results_of_rust() {
    let Some(program) = program(Form::Library, &commands()) else {
        return;
    };
    let (input, expected) = campaign();
    let found = ran(&program, &input);
    assert_eq!(found.len(), expected.len());
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "line {number} of {input:.20}");
    }
    let decided = expected.iter().filter(|line| line.starts_with("decide 0"));
    assert!(decided.count() > rounds(20_000));
}

/// The object file of the crate links without `core`, the standard library and a handler of panics. Null pointers, values out of range
/// and structures that were not prepared have their statuses.
#[test]
fn the_step_needs_no_standard_library_and_never_panics() {
    let Some(program) = program(Form::Object, &commands()) else {
        return;
    };
    assert_eq!(ran(&program, "misuse\n"), ["misuse 0"]);
    assert_eq!(Policy::Smooth as u8, 3);
}

/// The program in the guide compiles with the header that `budget nominal` writes, and prints the line that the guide states.
#[test]
fn the_program_of_the_guide_prints_its_budget() {
    let guide = std::fs::read_to_string(root().join("docs/how-to/budgets-on-a-machine.md")).unwrap();
    let (_, after) = guide.split_once("```c\n").unwrap();
    let (text, after) = after.split_once("```\n").unwrap();
    let folder = temporary("guide");
    std::fs::create_dir_all(&folder).unwrap();
    let header = folder.join("histo.h");
    let written = gpusched([
        "budget",
        "nominal",
        "tasksets/kernels/histo-m4.json",
        "-q",
        "--header",
    ])
    .arg(&header)
    .output()
    .unwrap();
    assert!(written.status.success(), "{written:?}");
    let source = folder.join("guide-step.c");
    std::fs::write(&source, text).unwrap();
    if let Some(program) = program(Form::Object, &source) {
        let line = ran(&program, "").remove(0);
        assert!(after.contains(&format!("The program prints `{line}`.")), "{line}");
    }
}

/// For random kernels, a program that includes the header has the decisions of `budget simulate` in Rust. A name with other characters
/// than letters and digits becomes a name in C.
#[test]
fn a_header_has_the_constants_of_its_kernel() {
    let mut rng = random::rng(77);
    let mut includes = String::from("#include <inttypes.h>\n#include <stdio.h>\n");
    let (mut calls, mut expected) = (String::new(), Vec::new());
    let folder = temporary("headers");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..rounds(100) {
        let kernel = random::kernel(&mut rng, 6);
        let name =
            [format!("if-{number} */"), format!("{number}")][usize::from(rng.random_bool(0.5))].clone();
        let plain = name.replace(['-', ' ', '*', '/'], "_");
        let mut text = serde_json::to_value(&kernel).unwrap();
        text["name"] = name.into();
        let kernel: Kernel = serde_json::from_value(text).unwrap();
        let q = Factor::from_billionths(
            [0, 1_000_000_000, rng.random_range(0..=1_000_000_000)][rng.random_range(0..3)],
        );
        let straddling = [Straddling::End, Straddling::Both][rng.random_range(0..2)];
        let file = format!("kernel-{number}.h");
        std::fs::write(
            folder.join(&file),
            header(&kernel, q.unwrap(), straddling).unwrap(),
        )
        .unwrap();
        writeln!(includes, "#include \"{file}\"").unwrap();
        let smooth = BudgetPolicy::Smooth;
        let mut allocator = bandwidth::Allocator::new(&kernel, q.unwrap(), smooth, straddling).unwrap();
        let clusters = kernel.clusters().iter();
        let left: Vec<u64> = clusters
            .map(|cluster| rng.random_range(0..=cluster.blocks()))
            .collect();
        let at = Time::from_ns(rng.random_range(0..=allocator.deadline().ns()));
        let list: Vec<String> = left.iter().map(u64::to_string).collect();
        writeln!(
            calls,
            "  {{ gb_allocator state; uint64_t budget = 0, left[] = {{{}}};\n    if (gb_init(&state, &gb_{plain}_setting, \
             gb_{plain}_clusters, GB_{}_CLUSTERS)) return 1;\n    int status = gb_decide(&state, {}u, left, {}, &budget); \
             printf(\"%d %\" PRIu64 \"\\n\", status, budget); }}",
            list.join(", "),
            plain.to_uppercase(),
            at.ns(),
            left.len(),
        )
        .unwrap();
        expected.push(format!("0 {}", allocator.decide(at, &left).ns()));
    }
    let source = folder.join("headers.c");
    std::fs::write(
        &source,
        format!("{includes}\nint main(void) {{\n{calls}  return 0;\n}}\n"),
    )
    .unwrap();
    if let Some(program) = program(Form::Library, &source) {
        assert_eq!(ran(&program, ""), expected);
    }
}

/// A header is for one kernel, and for budgets whose regulation periods start at any time.
#[test]
fn headers_of_other_kernels_are_refused() {
    let one = std::fs::read_to_string(root().join("tasksets/kernels/histo-m4.json"))
        .unwrap()
        .replace('\n', "");
    let path = temporary("refused.h");
    for (options, kernels, expected) in [
        (
            "",
            format!("{one}\n{one}\n"),
            "header: found several kernels, expected one kernel",
        ),
        ("--sync", one, "--sync"),
    ] {
        let found = run_with(
            &format!("budget nominal - --header {} {options}", path.display()),
            kernels,
        );
        assert_eq!((found.code, found.stdout.as_str()), (2, ""), "{}", found.stderr);
        assert!(
            found.stderr.contains(expected) && !path.exists(),
            "{}",
            found.stderr
        );
    }
}
