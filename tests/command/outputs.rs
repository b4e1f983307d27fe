//! All files of a command appear together or not at all, with suitable names. Messages repeat at most one line of input.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Answer, answer, files, gpusched, root};

/// A command with several output files.
struct Writer {
    command: &'static str,
    /// Options for additional output files, each with a file name.
    options: &'static [(&'static str, &'static str)],
}

const WRITERS: &[Writer] = &[
    Writer {
        command: "partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --export libsmctrl",
        options: &[("--export-to", "e.txt")],
    },
    Writer {
        command: "simulate tasks tasksets/tasksets/adas.json --gpu rtx2060",
        options: &[
            ("--trace", "t.json"),
            ("--gantt", "g.svg"),
            ("--utilization", "u.csv"),
        ],
    },
    Writer {
        command: "simulate blocks tasksets/scenarios/sanudo20-fig5-left.json",
        options: &[("--trace", "t.json"), ("--gantt", "g.svg")],
    },
    Writer {
        command: "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json",
        options: &[("--trace", "t.json"), ("--gantt", "g.svg")],
    },
    Writer {
        command: "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --grid 2 --sms 1",
        options: &[("--trace", "t.json"), ("--gantt", "g.svg"), ("--issues", "i.csv")],
    },
    Writer {
        command: "budget simulate tasksets/kernels/histo-table1.json",
        options: &[("--svg", "f.svg")],
    },
    Writer {
        command: "budget sequence tasksets/kernels/two-kernels.json",
        options: &[("--svg", "f.svg")],
    },
    Writer {
        command: "wcet curve tasksets/kernels/histo-m4.json --steps 2",
        options: &[("--svg", "f.svg")],
    },
    Writer {
        command: "wcet fit tasksets/measurements/stencil.csv",
        options: &[("--svg", "f.svg")],
    },
    Writer {
        command: "validate --systems 1",
        options: &[("--pessimism", "p.csv")],
    },
];

impl Writer {
    /// Returns all output files: the result and the additional files.
    fn outputs(&self) -> Vec<(&str, &str)> {
        [("-o", "answer")].iter().chain(self.options).copied().collect()
    }

    /// Runs the command with `outputs`. Relative names are in `folder`.
    fn run(&self, folder: &Path, format: &str, outputs: &[(&str, &str)]) -> Answer {
        let mut command = gpusched(self.command.split(' '));
        command.args(["--quiet", "--format", format]);
        for (option, name) in outputs {
            match *name {
                "-" => command.arg(option).arg("-"),
                name => command.arg(option).arg(folder.join(name)),
            };
        }
        answer(&mut command)
    }

    /// Runs the command in an empty folder, with `name` for the output at `position`. The command
    /// must fail and write no file.
    fn refused(&self, format: &str, position: usize, name: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut outputs = self.outputs();
        outputs[position].1 = name;
        let Answer { code, stdout, stderr } = self.run(folder.path(), format, &outputs);
        let case = format!("{} --format {format} {outputs:?}: {stderr}", self.command);
        assert_eq!((code, stdout.as_str()), (2, ""), "{case}");
        assert!(
            stderr.starts_with("error: ") && crate::support::is_one_complaint(&stderr),
            "{case}"
        );
        assert_eq!(files(folder.path()), Vec::<PathBuf>::new(), "{case}");
        stderr
    }
}

const FORMATS: [&str; 3] = ["text", "json", "csv"];

#[test]
fn all_files_appear() {
    for writer in WRITERS {
        for format in FORMATS {
            let folder = tempfile::tempdir().unwrap();
            let run = writer.run(folder.path(), format, &writer.outputs());
            assert_eq!(run.code, 0, "{}: {}", writer.command, run.stderr);
            let mut names: Vec<&str> = writer.outputs().iter().map(|(_, name)| *name).collect();
            names.sort_unstable();
            let found = files(folder.path());
            assert_eq!(found, names.iter().map(Into::into).collect::<Vec<PathBuf>>());
            for name in found {
                assert!(fs::metadata(folder.path().join(name)).unwrap().len() > 0);
            }
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_no_other() {
    for writer in WRITERS {
        for (position, (_, name)) in writer.outputs().into_iter().enumerate() {
            for format in FORMATS {
                let missing = format!("missing/{name}");
                let message = writer.refused(format, position, &missing);
                assert!(
                    message.contains(&format!("{missing}: cannot create")),
                    "{message}"
                );
            }
        }
    }
}

/// A folder with the name of an output file, or a full disk for the result, leaves existing files unchanged.
#[test]
fn what_was_there_stays() {
    for writer in WRITERS {
        let mut blocked: Vec<(&str, bool)> =
            writer.outputs().iter().map(|(_, name)| (*name, false)).collect();
        if Path::new("/dev/full").exists() {
            blocked.push(("/dev/full", true));
        }
        for (name, full) in blocked {
            let folder = tempfile::tempdir().unwrap();
            let mut outputs = writer.outputs();
            for (_, old) in &outputs {
                match *old == name {
                    true => fs::create_dir(folder.path().join(old)).unwrap(),
                    false => fs::write(folder.path().join(old), "old").unwrap(),
                }
            }
            if full {
                outputs[0].1 = name;
            }
            let before = files(folder.path());
            for format in FORMATS {
                let run = writer.run(folder.path(), format, &outputs);
                assert_eq!(run.code, 2, "{} {name}: {}", writer.command, run.stderr);
                assert_eq!(files(folder.path()), before, "{}", writer.command);
                for (_, old) in writer.outputs().iter().filter(|(_, old)| *old != name) {
                    assert_eq!(fs::read_to_string(folder.path().join(old)).unwrap(), "old");
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_without_room_leaves_no_file() {
    for writer in WRITERS {
        for format in FORMATS {
            let folder = tempfile::tempdir().unwrap();
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
            command.current_dir(root()).args(writer.command.split(' '));
            command.args(["--quiet", "--format", format]);
            for (option, name) in writer.options {
                command.arg(option).arg(folder.path().join(name));
            }
            command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
            let output = command.output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{}: {message}", writer.command);
            let errors = message.lines().filter(|line| !line.starts_with("warning: "));
            assert_eq!(errors.count(), 1, "{message}");
            assert_eq!(files(folder.path()), Vec::<PathBuf>::new(), "{}", writer.command);
        }
    }
}

#[test]
fn two_outputs_are_two_files() {
    for writer in WRITERS {
        let outputs = writer.outputs();
        for (position, (option, _)) in outputs.iter().enumerate().skip(1) {
            for (other, name) in &outputs[..position] {
                let message = writer.refused("text", position, name);
                let other = other.replace("-o", "--output");
                assert!(
                    message.contains("found the same file, expected two different files instead of ")
                        && message.contains(option)
                        && message.contains(&other),
                    "{message}"
                );
            }
        }
    }
    // Devices accept any number of outputs.
    let folder = tempfile::tempdir().unwrap();
    for writer in WRITERS {
        let outputs = writer.outputs();
        let nowhere: Vec<(&str, &str)> = outputs.iter().map(|(option, _)| (*option, "/dev/null")).collect();
        assert_eq!(
            writer.run(folder.path(), "text", &nowhere).code,
            0,
            "{}",
            writer.command
        );
    }
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

/// File endings must fit figures, tables and traces, and only the result may go to standard output.
#[test]
fn names_fit() {
    for writer in WRITERS {
        for (position, (option, _)) in writer.outputs().into_iter().enumerate().skip(1) {
            let message = writer.refused("text", position, "-");
            assert!(
                message.contains(&format!("{option}: found -, expected a file")),
                "{message}"
            );
            let (fit, unfit) = match option {
                "--export-to" => continue,
                "--trace" => (".json", ["x.svg", "x.csv", "x.json.gz"]),
                "--gantt" | "--svg" => (".svg", ["x.pdf", "x.png", "x"]),
                _ => (".csv", ["x.json", "x.xlsx", "x.svg"]),
            };
            for name in unfit {
                let message = writer.refused("text", position, name);
                assert!(
                    message.starts_with(&format!("error: {option}: found "))
                        && message.ends_with(&format!("{name}, expected a name that ends in {fit}\n")),
                    "{message}"
                );
            }
        }
    }
    let message = answer(&mut gpusched([
        "plot",
        "tasksets/measurements/stencil.csv",
        "-o",
        "x.jpg",
    ]))
    .stderr;
    assert_eq!(
        message,
        "error: --output: found x.jpg, expected a name that ends in .svg or .pdf or .png\n"
    );
}

/// Late failures: a result that is too large, and input that is invalid after some lines.
#[test]
fn late_failures_leave_nothing() {
    let blocks = r#"{"platform":"xavier","kernels":[{"stream":0,"blocks":20000001,"threads":128,"block_time":"1us"}]}"#;
    let warps = r#"{"scheduler":"lrr","kernels":[{"name":"K","warps":1,"launch":0,"program":[{"latency":20000001},{"latency":1}]}]}"#;
    let kernel = fs::read_to_string(root().join("tasksets/kernels/histo-m4.json")).unwrap();
    let kernel = kernel.replace('\n', " ");
    for (command, input, message) in [
        (
            "simulate blocks - --format json",
            blocks,
            "at most 20000000 for JSON",
        ),
        ("simulate warps - --format json", warps, "for JSON"),
        (
            "wcet curve - --steps 2 --format csv",
            &format!("{kernel}\n{{}}\n"),
            "-:2: ",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut run = gpusched(command.split(' '));
        let options: &[(&str, &str)] = match command.starts_with("wcet") {
            true => &[("--svg", "f.svg"), ("-o", "a")],
            false => &[("--trace", "t.json"), ("--gantt", "g.svg"), ("-o", "a")],
        };
        for (option, name) in options {
            run.arg(option).arg(folder.path().join(name));
        }
        let refused = answer(run.write_stdin(input.to_owned()));
        assert_eq!(refused.code, 2, "{command}: {}", refused.stderr);
        assert!(refused.stderr.contains(message), "{command}: {}", refused.stderr);
        assert_eq!(files(folder.path()), Vec::<PathBuf>::new(), "{command}");
    }
}

/// For every input of any length, an error repeats at most one line of the input.
#[test]
fn messages_repeat_a_line_at_most() {
    let long = "x\n\u{1b}[2Jy ".repeat(10_000);
    let json = serde_json::to_string(&long).unwrap();
    let word = "z".repeat(100_000);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let set = |name: &str, task: String| write(name, format!(r#"{{"tasks":[{task}]}}"#));
    let kernels: String = (0..2000)
        .map(|kernel| format!(r#"{{"name":"K{kernel}","warps":1,"launch":0,"program":[{{"latency":1}}]}},"#))
        .collect();
    let kernels = kernels.trim_end_matches(',');
    let cases: Vec<Vec<String>> = vec![
        vec!["partition".into(), set("field", format!("{{{json}:1}}"))],
        vec![
            "partition".into(),
            set("value", format!(r#"{{"period":{json},"wcet":1}}"#)),
        ],
        vec![
            "partition".into(),
            set("kind", format!(r#"{{"period":1,"kind":{json}}}"#)),
        ],
        vec!["partition".into(), write("no.json", word.clone())],
        vec!["partition".into(), "--gpu".into(), long.clone(), "x".into()],
        vec!["partition".into(), format!("--{word}")],
        vec!["partition".into(), "x".into(), "--sms".into(), long.clone()],
        vec!["partition".into(), "x".into(), "--policy".into(), long.clone()],
        vec!["partition".into(), long.clone()],
        vec![word.clone()],
        vec!["man".into(), long.clone()],
        vec!["schema".into(), long.clone()],
        vec![
            "wcet".into(),
            "fit".into(),
            write("f.csv", format!("sms,time_ns\n1,\"{long}\"\n")),
        ],
        vec![
            "wcet".into(),
            "fit".into(),
            write("c.csv", format!("sms,\"{long}\"\n1,1\n")),
        ],
        vec![
            "wcet".into(),
            "cluster".into(),
            write("t.csv", format!("run,block,duration_ns,q\n{word},0,1,0\n")),
        ],
        vec![
            "wcet".into(),
            "cluster".into(),
            write("t2.csv", format!("{word}\n")),
        ],
        vec![
            "plot".into(),
            write("p.csv", format!("utilization,rate,algorithm\n1,\"{long}\",a\n")),
            "-o".into(),
            "/dev/null".into(),
        ],
        vec![
            "plot".into(),
            "tasksets/measurements/stencil.csv".into(),
            "--x".into(),
            long.clone(),
        ],
        vec![
            "study".into(),
            "run".into(),
            write("s.toml", format!("name = \"{word}\"\n{word} = 1\n")),
            "-o".into(),
            "/dev/null".into(),
        ],
        vec![
            "study".into(),
            "run".into(),
            write("s2.toml", format!("name = {word}\n")),
            "-o".into(),
            "/dev/null".into(),
        ],
        vec![
            "import".into(),
            "ptx".into(),
            write("k.ptx", format!(".version 7.0\n.target sm_75\n{word} {word}\n")),
        ],
        vec![
            "import".into(),
            "examiner".into(),
            write("l.json", format!("{{{json}:1}}")),
            "--gpu".into(),
            "k5000".into(),
        ],
        vec![
            "import".into(),
            "gpgpusim-config".into(),
            write("g.config", format!("-{word} {word}\n")),
        ],
        vec![
            "import".into(),
            "accel-sim".into(),
            write("k.traceg", format!("-{word} = {word}\n")),
        ],
        vec![
            "import".into(),
            "accel-sim".into(),
            write("kernelslist.g", format!("{word}\n")),
        ],
        vec![
            "simulate".into(),
            "warps".into(),
            write("w", format!(r#"{{"scheduler":"qaws","kernels":[{kernels}]}}"#)),
            "--budget".into(),
            format!("{word}=1"),
        ],
        vec![
            "simulate".into(),
            "warps".into(),
            write("m", format!(r#"{{"machine":{json},"kernels":[]}}"#)),
        ],
        vec![
            "simulate".into(),
            "blocks".into(),
            write("b", format!(r#"{{"platform":{json},"kernels":[]}}"#)),
        ],
        vec![
            "predict".into(),
            write("p", format!(r#"{{"kernels":[{{"profile":{json},"sms":4}}]}}"#)),
        ],
    ];
    for arguments in cases {
        let refused = answer(&mut gpusched(&arguments));
        let what: Vec<String> = arguments
            .iter()
            .map(|text| text.chars().take(60).collect())
            .collect();
        let stderr = &refused.stderr;
        assert_eq!(refused.code, 2, "{what:?}: {:.2000}", stderr);
        let lines = stderr.lines().count();
        let usage = stderr.contains("--help");
        assert!(
            crate::support::is_one_complaint(stderr) || (usage && lines < 12),
            "{what:?}: {lines} lines: {:.3000}",
            stderr
        );
        let longest = stderr.lines().map(|line| line.chars().count()).max();
        assert!(
            longest < Some(1020),
            "{what:?}: {longest:?} characters: {:.3000}",
            stderr
        );
        assert!(!stderr.contains('\u{1b}'), "{what:?}: {:.3000}", stderr);
    }
}
