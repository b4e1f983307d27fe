//! C header with the constants of a kernel for a process that chooses budgets.

use super::super::parts;
use crate::kernel_wcet::EstimateError;
use gpusched_model::{BudgetPolicy, Factor, Kernel, Straddling};

/// Returns a C header with the clusters and the setting of `kernel` under the nominal budget `nominal`, for the functions of
/// `gpusched_budget.h`. If the kernel states its cluster intervals, the header has them, too. All names begin with `gb_` and the name of
/// the kernel. The policy is SMOOTH, and a program may choose another one.
///
/// # Errors
/// Returns an [`EstimateError`] if the budget exceeds 1.
pub fn header(kernel: &Kernel, nominal: Factor, straddling: Straddling) -> Result<String, EstimateError> {
    let (setting, clusters) = parts(kernel, nominal, BudgetPolicy::Smooth, straddling)?;
    let name = identifier(kernel.name());
    let guard = name.to_ascii_uppercase();
    let rows = clusters.iter();
    let rows = rows.map(|cluster| format!("  {{{}, {}, {}, 0}},\n", cluster.blocks, cluster.e0, cluster.e1));
    let mut text = format!(
        "\
/* Constants of the kernel {name} for gpusched_budget.h, under the nominal budget {nominal}. `gpusched budget nominal` writes this file. */
#ifndef GB_KERNEL_{guard}_H
#define GB_KERNEL_{guard}_H
#include \"gpusched_budget.h\"

/* Each cluster: blocks, e0, e1. gb_init() sorts this array. */
static gb_cluster gb_{name}_clusters[] = {{
{}}};
#define GB_{guard}_CLUSTERS {}

/* policy, active, period, nominal, deadline, both_ends, reserved. A program may choose another policy. */
static const gb_setting gb_{name}_setting = {{GB_SMOOTH, {}, {}, {}, {}, {}, 0}};
",
        rows.collect::<String>(),
        clusters.len(),
        setting.active,
        setting.period,
        setting.nominal,
        setting.deadline,
        u8::from(setting.both_ends),
    );
    if !kernel.intervals().is_empty() {
        let rows = kernel.intervals().iter();
        let rows = rows.map(|interval| format!("  {{{}, {}}},\n", interval.first, interval.cluster));
        let blocks: Vec<String> = clusters
            .iter()
            .map(|cluster| cluster.blocks.to_string())
            .collect();
        text += &format!(
            "\
\n/* For gb_table_init(). Each interval: first block, cluster. */
static const gb_interval gb_{name}_intervals[] = {{
{}}};
#define GB_{guard}_INTERVALS {}
static const uint64_t gb_{name}_blocks[] = {{{}}};
",
            rows.collect::<String>(),
            kernel.intervals().len(),
            blocks.join(", "),
        );
    }
    Ok(text + "#endif\n")
}

/// Returns `name` with `_` in place of each character that C does not allow in a name.
fn identifier(name: Option<&str>) -> String {
    let plain = |found: char| if found.is_ascii_alphanumeric() { found } else { '_' };
    match name.unwrap_or_default() {
        "" => "kernel".to_owned(),
        name => name.chars().map(plain).collect(),
    }
}
