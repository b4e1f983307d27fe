//! The file formats of gpusched, with their JSON schemas.
//!
//! The schemas are files in `schemas/`. A test with the feature `schema` compares them with the types.

use crate::part::parts;

/// A file format: its name, its description and its schema.
pub(crate) type Format = (&'static str, &'static str, &'static str);

/// Returns the format `$name` with the schema in the file of this name.
macro_rules! file_format {
    ($name:literal, $description:literal) => {
        (
            $name,
            $description,
            include_str!(concat!("../schemas/", $name, ".json")),
        )
    };
}

#[rustfmt::skip] // a table
const FORMATS: &[Format] = &[
    file_format!("task-set", "input of `test` and `partition`, result of `generate`"),
    file_format!("verdict", "result of `test`"),
    file_format!("plan", "result of `partition`"),
    file_format!("overheads", "bounds on the overheads of dispatchers, for `--overheads`"),
    file_format!("end-to-end-system", "input of `test`, `partition`, `simulate tasks` and `verify`: tasks with segments"),
    file_format!("end-to-end-verdict", "result of `test` for an end-to-end system"),
    file_format!("end-to-end-plan", "result of `partition` for an end-to-end system"),
    file_format!("end-to-end-simulation", "result of `simulate tasks` for an end-to-end system"),
    file_format!("chosen-budgets", "result of `budget nominal --deadlines` for an end-to-end system"),
    file_format!("kernel", "input of `wcet bound`"),
    file_format!("bound", "result of `wcet bound`"),
    file_format!("nominal", "result of `budget nominal`"),
    file_format!("simulation", "result of `budget simulate`"),
    file_format!("system", "input of `budget sequence`"),
    file_format!("sequence", "result of `budget sequence`"),
    file_format!("task-simulation", "result of `simulate tasks`"),
    file_format!("validation", "result of `validate`"),
    file_format!("shared-validation", "result of `validate --shared-memory`"),
    file_format!("end-to-end-validation", "result of `validate --end-to-end`"),
    file_format!("recording-summary", "result of `recording summary`"),
    file_format!("recording-audit", "result of `recording audit`"),
    file_format!("scenario", "input of `simulate blocks`"),
    file_format!("block-simulation", "result of `simulate blocks`"),
    file_format!("warp-scenario", "input of `simulate warps`"),
    file_format!("group", "input of `predict`"),
    file_format!("memory-profile", "measurements of a kernel in isolation, for `predict`"),
    file_format!("prediction", "result of `predict`"),
    file_format!("comparison", "result of `import examiner --compare`"),
    file_format!("study", "input of `study run` (as TOML)"),
    file_format!("reasons", "reasons for deviations: reasons.json, for `study reproduction`"),
    file_format!("findings", "evaluated claims of a study: NAME.claims.json"),
    file_format!("provenance", "origin of the results of a study: NAME.provenance.json"),
    file_format!("measurement", "result of `measure kernel`"),
    file_format!("interference", "result of `measure interference`"),
    file_format!("observations", "file of `measure device --observations`"),
    file_format!("wcet-fit", "result of `wcet fit`"),
    file_format!("benchmarks", "published values in tasksets/kernels, input of studies"),
    file_format!("budget-results", "published values of run-time budgets, input of studies"),
    file_format!("device", "device with its partition rules, as in tasksets/devices"),
    file_format!("platform", "platform preset, as in tasksets/platforms"),
];

/// Returns the formats of this crate and of all parts.
pub(crate) fn formats() -> Vec<Format> {
    let mut all = FORMATS.to_vec();
    for format in parts().flat_map(|part| part.formats) {
        let before = all.iter().position(|(name, ..)| *name == format.after);
        let entry = (format.name, format.description, format.schema);
        all.insert(before.map_or(all.len(), |before| before + 1), entry);
    }
    all
}
