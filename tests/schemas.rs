//! The files in `schemas/` of the command's crates are the schemas of the types. With `GPUSCHED_UPDATE=1`, the test writes the
//! files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn schemas_are_those_of_the_types() {
    // The schema of studies contains the parameters of all metrics.
    gpusched::register_parts();
    compare("crates/gpusched-cli/schemas", gpusched_cli::SCHEMAS);
    compare("gpu/gpusched-gpu-command/schemas", gpusched_gpu_command::SCHEMAS);
}

fn compare(folder: &str, schemas: &[(&str, fn() -> schemars::Schema)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let update = std::env::var_os("GPUSCHED_UPDATE").is_some();
    for (name, schema) in schemas {
        let file = folder.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        if update {
            std::fs::write(&file, &text).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == text,
            "{} is outdated: run the test with GPUSCHED_UPDATE=1",
            file.display()
        );
    }
    let names: BTreeSet<String> = schemas.iter().map(|(name, _)| format!("{name}.json")).collect();
    let files = std::fs::read_dir(folder).unwrap();
    let files: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, names);
}
