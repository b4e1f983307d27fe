//! The programs of the how-to pages compile and run without a GPU. The page about PyTorch is tested in `python/tests`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::c_programs::{Linked, build};
use super::on_gpu;
use crate::support::{Answer, root, run};

/// Saves the files of a how-to page in a folder, and plans its task set.
fn saved(page: &str, expected: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("docs/how-to").join(page)).unwrap();
    let mut files = 0;
    for part in text.split("<!-- file: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n```").unwrap();
        let (_, rest) = rest.split_once('\n').unwrap();
        let (content, _) = rest.split_once("\n```\n").unwrap();
        std::fs::write(folder.path().join(name), format!("{content}\n")).unwrap();
        files += 1;
    }
    assert_eq!(files, expected, "{page}");
    let [set, plan] = ["set.json", "plan.json"].map(|name| folder.path().join(name));
    let line = format!(
        "partition {} --gpu h100 --policy np-edf -o {}",
        set.display(),
        plan.display()
    );
    assert_eq!(run(&line).code, 0);
    folder
}

fn ran(program: &Path, folder: &Path, arguments: &[&str]) -> Answer {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.output().unwrap().into()
}

fn built(folder: &Path, source: &str, options: &[&str]) -> Option<PathBuf> {
    let source = folder.join(source);
    let name = format!("guide-{}", source.file_stem().unwrap().display());
    let mut all = vec!["-std=c++17", "-Wno-missing-field-initializers"];
    all.extend(options);
    build(&source, &name, Linked::Dynamic, &all)
}

#[test]
fn the_program_in_cpp_runs() {
    let folder = saved("cpp-program.md", 3);
    let Some(program) = built(folder.path(), "robot.cpp", &[]) else {
        return;
    };
    let ran = ran(&program, folder.path(), &["simulated"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("KEPT: ") && ran.stdout.ends_with("\nlate lidar jobs: 0\n"),
        "{}",
        ran.stdout
    );
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [trace, set, plan] = ["trace.json", "set.json", "plan.json"].map(path);
    let audit = run(&format!("recording audit {trace} --set {set} --plan {plan}"));
    assert!(
        audit.code == 0 && audit.stdout.starts_with("KEPT: "),
        "{}{}",
        audit.stdout,
        audit.stderr
    );
}

/// The same program runs on the stand-in for the driver, where its jobs launch no kernels.
#[test]
fn the_programs_in_cpp_run_on_the_gpu() {
    let folder = saved("cpp-program.md", 3);
    let Some(program) = built(folder.path(), "robot.cpp", &[]) else {
        return;
    };
    let on_fake = |program: &Path| -> Answer {
        let mut command = Command::new(program);
        command.current_dir(folder.path());
        command.env("GPUSCHED_CUDA_LIBRARY", on_gpu::library());
        command.output().unwrap().into()
    };
    let answer = on_fake(&program);
    // On a busy computer, jobs may be late, but each job runs.
    assert!(
        answer.code <= 1 && answer.stdout.contains(", no failed job"),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [plan, set, header] = ["plan.json", "set.json", "partitions.hpp"].map(path);
    assert_eq!(
        run(&format!("export {plan} {set} --as green-context -o {header}")).code,
        0
    );
    let cuda = format!("-I{}", root().join("tests/command/run/cuda").display());
    let driver = on_gpu::library().parent().unwrap().display().to_string();
    let options = [
        cuda,
        format!("-L{driver}"),
        format!("-Wl,--no-as-needed,-rpath,{driver}"),
    ];
    let options: Vec<&str> = std::iter::once("-std=c++17")
        .chain(options.iter().map(String::as_str))
        .collect();
    let plain = folder.path().join("plain.cpp");
    let plain = build(&plain, "guide-plain", Linked::Header("-lfakecuda"), &options).unwrap();
    let answer = on_fake(&plain);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    // In 1 s, 50 + 40 + 20 jobs arrive. A busy computer may delay the program.
    let jobs: u32 = answer.stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(
        jobs >= 50 && answer.stdout.ends_with(" deadline misses\n"),
        "{}",
        answer.stdout
    );
}

#[test]
fn the_ros_node_runs() {
    let folder = saved("ros2-node.md", 2);
    let stand_in = root().join("tests/command/run/ros");
    let include = format!("-I{}", stand_in.display());
    let Some(program) = built(folder.path(), "node.cpp", &[&include]) else {
        return;
    };
    let ran = ran(&program, folder.path(), &["backend", "simulated"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let published = ran.stdout.matches("filtered ").count();
    // On a busy computer, a message may replace its predecessor, but each job publishes.
    assert_eq!(published, 10, "{}", ran.stdout);
    assert!(ran.stdout.contains("filtered 9\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("lidar: KEPT: 10 jobs, no deadline miss"),
        "{}",
        ran.stdout
    );
}
