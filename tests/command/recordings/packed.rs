//! A small compressed file cannot fill the memory or the time of a command.

use std::io::Write as _;

use crate::support::{answer, gpusched, run};

const BERT: &str = "tasksets/recordings/bert-h100.json.gz";

#[test]
fn a_compressed_recording_has_a_limit() {
    let refused = run(&format!("recording summary {BERT} --max-unpacked 10kB"));
    assert_eq!(refused.code, 2);
    assert_eq!(
        refused.stderr,
        format!(
            "error: {BERT}: found a compressed file of more than 10000 bytes after unpacking, expected at most 10000\n\n\
             hint: record a shorter run, or allow more bytes\n"
        )
    );
    assert_eq!(run(&format!("recording summary {BERT}")).code, 0);
    // JSON and CSV, and the commands that read jobs.
    let folder = tempfile::tempdir().unwrap();
    for start in ["{\"traceEvents\": [", "Start (ns),Duration (ns),CorrId\n"] {
        let path = folder.path().join("bomb.gz");
        let file = std::fs::File::create(&path).unwrap();
        let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        packer.write_all(start.as_bytes()).unwrap();
        for _ in 0..64 {
            packer.write_all(&[b'\n'; 1 << 18]).unwrap();
        }
        packer.finish().unwrap();
        for command in ["summary", "tasks"] {
            let mut command = gpusched(["recording", command]);
            let refused = answer(command.arg(&path).args(["--max-unpacked", "16MB"]));
            assert_eq!(refused.code, 2, "{refused:?}");
            assert!(
                refused
                    .stderr
                    .contains("of more than 16000000 bytes after unpacking"),
                "{refused:?}"
            );
        }
    }
}
