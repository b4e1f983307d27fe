//! Table of partitions, with one row per partition.

use super::content::Export;
use gpusched_model::device::{Instance, Place};
use gpusched_model::error::Error;
use gpusched_model::spreadsheet::shielded;

/// Columns of the exported table. Spaces separate the entries of a list.
///
/// * `partition`, `sms`: the index of the partition, and its number of SMs;
/// * `place`: a list of TPCs or GPCs, or `PROFILE:START` of a MIG instance;
/// * `sm_ids`: the list of SMs, empty if the SMs are unknown;
/// * `tasks`: the positions of the tasks in the task set;
/// * `policy`: the policy whose test accepts the partition.
pub const CSV_COLUMNS: [&str; 8] = [
    "device",
    "granularity",
    "partition",
    "sms",
    "place",
    "sm_ids",
    "tasks",
    "policy",
];

pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let list = |numbers: &[u32]| -> String {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        numbers.join(" ")
    };
    // No field needs quotes. Device and profile names contain no commas, and all other fields are
    // numbers or fixed words.
    let mut text = CSV_COLUMNS.join(",") + "\n";
    for (index, partition) in out.partitions() {
        let place = match &partition.place {
            Some(Place::Tpcs(units) | Place::Gpcs(units)) => list(units),
            Some(Place::Instance(Instance { profile, start })) => format!("{profile}:{start}"),
            Some(Place::Sms(_)) | None => String::new(),
        };
        let tasks: Vec<String> = partition.tasks.iter().map(usize::to_string).collect();
        let row = [
            shielded(out.device().name()).into_owned(),
            out.hardware.granularity.to_string(),
            index.to_string(),
            partition.sms.to_string(),
            place,
            list(&out.sms(partition).unwrap_or_default()),
            tasks.join(" "),
            partition.verdict.policy.to_string(),
        ];
        text += &(row.join(",") + "\n");
    }
    Ok(text)
}
