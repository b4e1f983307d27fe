//! Exported headers and scripts run on a stand-in for the driver and its tools. `GPUSCHED_CUDA_HEADERS` names folders with `cuda.h` of real
//! CUDA versions, separated by colons; then the headers are compiled with each of them, too.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::c_programs::{Linked, build};
use super::{Case, on_gpu};
use crate::support::{Answer, root, run};

/// Two partitions of 32 SMs, as no task fits on fewer.
const LARGE: &str = r#"{"tasks":[
  {"name":"lidar","period":"20ms","deadline":"15ms","wcet":{"table":[[32,"6ms"]]}},
  {"name":"camera \"front\"","period":"25ms","wcet":{"table":[[32,"6ms"]]}},
  {"name":"int","period":"10ms","wcet":{"table":[[32,"3ms"]]}},
  {"period":"50ms","wcet":{"table":[[32,"10ms"]]}}]}"#;

/// Writes the export of `case` for `tool` to a file of this name.
fn export(case: &Case, tool: &str, name: &str) -> PathBuf {
    let path = case.plan.with_file_name(name);
    let line = format!(
        "export {} {} --as {tool} -o {}",
        case.plan.display(),
        case.set.display(),
        path.display()
    );
    let exported = run(&line);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    path
}

/// Builds the header with the example program. `None` without a C++ compiler.
fn example(header: &Path, name: &str, cuda: &str, more: &[&str]) -> Option<PathBuf> {
    let library = on_gpu::library();
    let folder = library.parent().unwrap();
    let (search, run_time) = (
        format!("-L{}", folder.display()),
        format!("-Wl,--no-as-needed,-rpath,{}", folder.display()),
    );
    let mut options = vec!["-std=c++17", "-DGPUSCHED_MAIN"];
    options.extend(cuda.split(' '));
    options.extend(more);
    options.extend([search.as_str(), run_time.as_str()]);
    build(header, name, Linked::Header("-lfakecuda"), &options)
}

fn on_fake(program: &Path, arguments: &[&Path], settings: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(program);
    command.args(arguments);
    command.env("GPUSCHED_CUDA_LIBRARY", on_gpu::library());
    command.envs(settings.iter().copied());
    command.output().unwrap().into()
}

/// Options that select a header: the stand-in for each version, and real headers.
fn headers() -> Vec<String> {
    let stand_in = root().join("tests/command/run/cuda");
    let of = |version: u32| format!("-I{} -DCUDA_VERSION={version}", stand_in.display());
    let mut headers = vec![of(12050), of(13000), of(13010)];
    let real = std::env::var("GPUSCHED_CUDA_HEADERS").unwrap_or_default();
    let real = real.split(':').filter(|folder| !folder.is_empty());
    headers.extend(real.map(|folder| format!("-isystem {folder}")));
    headers
}

#[test]
fn headers_create_the_partitions_and_dispatch() {
    for policy in ["np-edf", "np-fp"] {
        let case = Case::of(
            LARGE,
            &format!("--gpu h100 --granularity green-context --policy {policy}"),
        );
        let header = export(&case, "green-context", "partitions.hpp");
        for (index, cuda) in headers().iter().enumerate() {
            let Some(program) = example(&header, &format!("export-{policy}-{index}"), cuda, &[]) else {
                return;
            };
            for version in ["13000", "13010"] {
                let ran = on_fake(&program, &[], &[("FAKE_VERSION", version)]);
                assert_eq!(ran.code, 0, "{cuda}: {}", ran.stderr);
                let expected = "partition 0: 32 SMs\npartition 1: 32 SMs\n";
                assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
                // Each of the four tasks releases a job at once. How many follow within 1 s depends on the load of the computer.
                let jobs = ran.stdout.lines().last().unwrap().split(' ').next().unwrap();
                let jobs: u32 = jobs.parse().unwrap();
                assert!(jobs >= 4, "{}", ran.stdout);
            }
        }
    }
}

#[test]
fn each_fault_of_a_header_is_one_sentence() {
    let case = Case::of(LARGE, "--gpu h100 --granularity green-context --policy np-edf");
    let header = export(&case, "green-context", "partitions.hpp");
    let Some(program) = example(&header, "export-faults", &headers()[1], &[]) else {
        return;
    };
    for (fault, expected) in [
        (
            ("FAKE_GROUPS", "7"),
            "partitions: found 7 groups of 8 SMs, expected 8, which the plan needs",
        ),
        (
            ("FAKE_SHORT", "2"),
            "partition 0: found 30 SMs, expected 32, the size in the plan",
        ),
        (
            ("FAKE_VERSION", "12040"),
            "driver: found CUDA 12.4, expected a driver of CUDA 12.5 or newer",
        ),
        (
            ("FAKE_FAIL", "cuGreenCtxCreate:1:2"),
            "cuGreenCtxCreate: found CUDA_ERROR_OUT_OF_MEMORY, expected CUDA_SUCCESS",
        ),
        (
            ("FAKE_FAIL", "cuStreamSynchronize:3:700"),
            "cuStreamSynchronize: found CUDA_ERROR_ILLEGAL_ADDRESS, expected CUDA_SUCCESS",
        ),
    ] {
        let ran = on_fake(&program, &[], &[fault, ("FAKE_LEFT", "1")]);
        let told = format!("gpusched_plan: {expected}\ncontexts left: 0\n");
        assert_eq!((ran.code, ran.stderr), (1, told), "{fault:?}");
    }
    let other = Case::of(LARGE, "--gpu a100 --granularity green-context --policy np-edf");
    let header = export(&other, "green-context", "partitions.hpp");
    let program = example(&header, "export-other-gpu", &headers()[1], &[]).unwrap();
    let ran = on_fake(&program, &[], &[]);
    assert_eq!(
        ran.stderr,
        "gpusched_plan: GPU: found 132 SMs, expected 108, as in the plan\n"
    );
}

/// Jobs that wait past their deadlines at the stop are misses, although they never run.
#[test]
fn a_stop_hides_no_miss() {
    let case = Case::of(LARGE, "--gpu h100 --granularity green-context --policy np-edf");
    let header = export(&case, "green-context", "partitions.hpp");
    let source = header.with_file_name("busy.cpp");
    // The first job of each partition outlasts the stop. Then, the deadlines of all jobs of the first 300 ms have passed.
    let text = r#"#undef GPUSCHED_MAIN
#include "partitions.hpp"
#include <cstdio>
int main() {
  gpusched_plan::Dispatchers plan;
  const auto job = [](CUstream, std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(400)); };
  for (unsigned task = 0; task < gpusched_plan::tasks; ++task) plan.work(static_cast<gpusched_plan::Task>(task), job);
  plan.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  plan.stop();
  std::printf("%s\n", plan.result().c_str());
}
"#;
    std::fs::write(&source, text).unwrap();
    let Some(program) = example(&source, "export-busy", &headers()[1], &[]) else {
        return;
    };
    let ran = on_fake(&program, &[], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let words: Vec<&str> = ran.stdout.split_whitespace().collect();
    let misses: u64 = words[2].parse().unwrap();
    // 15 + 12 + 30 + 6 jobs arrive in 300 ms.
    assert!(words[0] == "2" && misses >= 63, "{}", ran.stdout);
}

/// Sizes without a common group need CUDA 13.1. The compiler says so with an older header.
#[test]
fn sizes_without_a_common_group_need_a_newer_header() {
    let device = r#"{"name":"odd","sms":132,"green_context":{"min":4,"step":2}}"#;
    let set = r#"{"tasks":[
      {"period":"10ms","wcet":{"table":[[6,"8ms"]]}},
      {"period":"10ms","wcet":{"table":[[10,"8ms"]]}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.json");
    std::fs::write(&file, device).unwrap();
    let options = format!(
        "--gpu {} --granularity green-context --policy np-edf",
        file.display()
    );
    let case = Case::of(set, &options);
    let header = export(&case, "green-context", "partitions.hpp");
    let Some(program) = example(&header, "export-odd", &headers()[2], &[]) else {
        return;
    };
    for (settings, code) in [
        (&[("FAKE_VERSION", "13010")][..], 0),
        (&[("FAKE_VERSION", "13010"), ("FAKE_CLUSTERS", "1")][..], 0),
        (&[("FAKE_VERSION", "13000")][..], 1),
    ] {
        let ran = on_fake(&program, &[], settings);
        assert_eq!(ran.code, code, "{settings:?}: {}{}", ran.stdout, ran.stderr);
        if code == 1 {
            let expected =
                "gpusched_plan: driver: found CUDA 13.0, expected a driver of CUDA 13.1 or newer\n";
            assert_eq!(ran.stderr, expected);
        }
    }
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-fsyntax-only", "-x", "c++"]);
    compiler.args(headers()[1].split(' ')).arg(&header);
    let refused: Answer = compiler.output().unwrap().into();
    let expected = "so they need cuda.h of CUDA 13.1 or newer";
    assert!(
        refused.code != 0 && refused.stderr.contains(expected),
        "{}",
        refused.stderr
    );
}

/// The same header uses the dispatchers of gpusched-runtime.
#[test]
fn a_header_uses_the_runtime() {
    let case = Case::new("--gpu h100 --granularity green-context --policy np-edf");
    let header = export(&case, "green-context", "partitions.hpp");
    let Some(program) = example(&header, "export-runtime", &headers()[1], &["-DGPUSCHED_RUNTIME"]) else {
        return;
    };
    let ran = on_fake(&program, &[&case.plan, &case.set], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("KEPT: ") || ran.stdout.starts_with("BROKEN: "),
        "{}",
        ran.stdout
    );
    let ran = on_fake(&program, &[&case.plan, &case.set], &[("FAKE_SHORT", "2")]);
    let expected = "gpusched_plan: partition 0: found 6 SMs, expected 8, the size in the plan\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (1, expected));
}

/// No thread can preempt a kernel, so a plan under EDF gets its partitions only.
#[test]
fn a_policy_with_preemption_has_no_dispatchers() {
    let case = Case::of(LARGE, "--gpu h100 --granularity green-context --policy edf");
    let header = export(&case, "green-context", "partitions.hpp");
    let text = std::fs::read_to_string(&header).unwrap();
    assert!(!text.contains("class Dispatchers"));
    assert!(text.contains("// Plain threads cannot follow the policy edf."));
    if let Some(program) = example(&header, "export-edf", &headers()[0], &[]) {
        let ran = on_fake(&program, &[], &[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    }
}

/// Tools of NVIDIA that the scripts call: `nvidia-cuda-mps-control` and `nvidia-smi`, as scripts in a folder.
fn tools() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in [
        (
            "nvidia-cuda-mps-control",
            "case \"$1\" in -d) cp \"$5\" \"$FOLDER/applied.toml\";; *) read -r line; echo \"$line\" >> \"$FOLDER/log\"; echo \"Partition name: $(wc -l < \"$FOLDER/log\")-abc\";; esac",
        ),
        (
            "nvidia-smi",
            "if [ \"$1\" = -L ]; then cat \"$FOLDER/instances\" 2>/dev/null || true; exit; fi\necho \"$*\" >> \"$FOLDER/log\"\necho \"  MIG $5 Device 0: (UUID: MIG-$(wc -l < \"$FOLDER/log\")-abc)\" | cat - \"$FOLDER/instances\" > \"$FOLDER/new\" 2>/dev/null || true\nmv \"$FOLDER/new\" \"$FOLDER/instances\"",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(
            &path,
            format!("#!/bin/sh\nFOLDER={}\n{script}\n", folder.path().display()),
        )
        .unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    folder
}

/// Runs a script with one command per partition.
fn scripted(case: &Case, tool: &str, commands: &[&str]) -> (Answer, tempfile::TempDir) {
    let tools = tools();
    let script = export(case, tool, "plan.sh");
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.arg(script).args(commands).env("GPU", "GPU-1234");
    shell.env("PATH", format!("{}:{path}", tools.path().display()));
    shell.env("CUDA_MPS_PIPE_DIRECTORY", tools.path().join("pipe"));
    shell.env_remove("CUDA_DEVICE_MAX_CONNECTIONS");
    (shell.output().unwrap().into(), tools)
}

#[test]
fn scripts_start_a_process_in_each_partition() {
    let set = r#"{"tasks":[
      {"period":"10ms","wcet":{"table":[[1,"8ms"]]}},
      {"period":"10ms","wcet":{"table":[[1,"8ms"]]}}]}"#;
    for (granularity, tool, variable, value) in [
        ("mps", "mps", "CUDA_MPS_SM_PARTITION", "-abc"),
        (
            "mps",
            "mps-v3",
            "CUDA_MPS_PIPE_DIRECTORY",
            "/pipe/gpusched/partition-",
        ),
        ("mig", "mig", "CUDA_VISIBLE_DEVICES", "-abc"),
    ] {
        let case = Case::of(
            set,
            &format!("--gpu h100 --granularity {granularity} --policy np-edf"),
        );
        let print = |index: u32| {
            format!("sleep 0.{index}; echo process {index} ${variable} $CUDA_DEVICE_MAX_CONNECTIONS")
        };
        let (ran, tools) = scripted(&case, tool, &[&print(0), &print(1)]);
        assert_eq!(ran.code, 0, "{tool}: {}{}", ran.stdout, ran.stderr);
        let of = |start: &str| -> Vec<String> {
            let lines = ran.stdout.lines().filter_map(|line| line.strip_prefix(start));
            lines.map(str::to_owned).collect()
        };
        let stated: Vec<String> = of("partition ")
            .iter()
            .map(|line| line.rsplit('=').next().unwrap().to_owned())
            .collect();
        let seen = of("process ");
        assert_eq!((stated.len(), seen.len()), (2, 2), "{tool}: {}", ran.stdout);
        for (index, (stated, seen)) in stated.iter().zip(&seen).enumerate() {
            assert_eq!(*seen, format!("{index} {stated} 32"), "{tool}");
            assert!(stated.contains(value), "{tool}: {stated}");
        }
        assert_ne!(stated[0], stated[1]);
        if tool == "mps-v3" {
            let applied = std::fs::read_to_string(tools.path().join("applied.toml")).unwrap();
            let applied: toml::Table = applied.parse().unwrap();
            assert_eq!(
                applied["servers"]["gpusched"]["allowed_devices"].as_str(),
                Some("GPU-1234")
            );
        }
        // A process that fails makes the script fail. Without commands, the script creates the partitions only.
        let (failed, _tools) = scripted(&case, tool, &["exit 3", "true"]);
        assert_eq!(failed.code, 3, "{tool}: {}", failed.stderr);
        let (only, _tools) = scripted(&case, tool, &[]);
        assert_eq!(
            (only.code, only.stdout.matches("\npartition 1: ").count()),
            (0, 1),
            "{tool}: {}",
            only.stderr
        );
    }
}
