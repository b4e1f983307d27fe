//! Columns of the tables that studies write.

/// Columns of the results. The columns of the further axes follow the column `tasks`, except for columns that this list
/// already contains. The columns of metrics are last. `rate` is the schedulability ratio. Its 95 % Wilson interval is in two columns.
/// `mean_sms` is the mean over all schedulable task sets. It is empty if no task set is schedulable, and for a command without partitions. The columns with
/// mean numbers of merges contain means over all task sets.
pub const COLUMNS: [&str; 17] = [
    "study",
    "point",
    "utilization",
    "tasks",
    "variant",
    "algorithm",
    "policy",
    "interference",
    "sms",
    "sets",
    "schedulable",
    "rate",
    "ci_low",
    "ci_high",
    "mean_sms",
    "mean_merges",
    "mean_prefill_merges",
];

/// Whether `column` of a table of results is the column of a further axis. The columns of metrics start with `mean_`.
pub(crate) fn is_of_axis(column: &str) -> bool {
    !COLUMNS.contains(&column) && !column.starts_with(OF_METRIC)
}

/// Start of the name of the column of a metric.
pub(crate) const OF_METRIC: &str = "mean_";

/// Columns of the table of times. All times are means over all task sets [ns].
pub const TIMING_COLUMNS: [&str; 9] = [
    "study",
    "point",
    "utilization",
    "tasks",
    "variant",
    "algorithm",
    "sets",
    "mean_search_ns",
    "mean_prefill_ns",
];

/// Columns of every table of cases. In addition, each table has the columns of its metrics, just before the column
/// `quantity`.
pub const CASE_COLUMNS: [&str; 8] = [
    "study",
    "case",
    "measure",
    "quantity",
    "value",
    "unit",
    "published",
    "deviation",
];
