//! Readers keep only launches and ranges, so a file may be much larger than the memory.
#![cfg(target_os = "linux")]

use std::io::{BufWriter, Write as _};
use std::process::{Command, Stdio};

use crate::support::rounds;

#[test]
fn a_large_trace_needs_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.json");
    let mut file = BufWriter::new(std::fs::File::create(&path).unwrap());
    write!(file, "{{\"traceEvents\": [").unwrap();
    let (mut bytes, mut launches) = (0u64, 0u64);
    let size = rounds(400) << 20;
    while bytes < size {
        // In real traces, one of four or more events is a kernel.
        let kernel = format!(
            "{}{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kernel {}\", \"pid\": 0, \"tid\": 7, \"ts\": {launches}.125, \
             \"dur\": 0.75, \"args\": {{\"External id\": {launches}, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \
             \"correlation\": {launches}, \"registers per thread\": 32, \"grid\": [564, 1, 1], \"block\": [128, 1, 1]}}}}\n",
            if launches == 0 { "" } else { "," },
            launches % 50
        );
        file.write_all(kernel.as_bytes()).unwrap();
        bytes += kernel.len() as u64;
        for _ in 0..3 {
            let other = format!(
                ",{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear\", \"pid\": 1, \"tid\": 1, \"ts\": {launches}.5, \
                 \"dur\": 3.25, \"args\": {{\"External id\": {launches}, \"Input Dims\": [[1, 564, 512], [512, 512]]}}}}\n"
            );
            file.write_all(other.as_bytes()).unwrap();
            bytes += other.len() as u64;
        }
        launches += 1;
    }
    write!(file, "]}}").unwrap();
    file.into_inner().unwrap();
    // The shell reports the peak of its child.
    let output = Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(["recording", "summary", path.to_str().unwrap(), "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = peak(output);
    let answer: serde_json::Value = serde_json::from_slice(&output.0).unwrap();
    assert_eq!(answer["launches"], launches);
    assert_eq!(answer["busy_ns"], launches * 750);
    let limit = 300 * 1024;
    assert!(
        output.1 < limit,
        "{} KiB for {bytes} bytes and {launches} launches",
        output.1
    );
    println!("{} KiB for {bytes} bytes and {launches} launches", output.1);
}

/// Returns the output of `child`, and the largest resident memory that was seen [KiB].
fn peak(mut child: std::process::Child) -> (Vec<u8>, u64) {
    let id = child.id();
    let mut most = 0;
    loop {
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status"))
            && let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))
        {
            most = most.max(line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap());
        }
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    (output.stdout, most)
}
