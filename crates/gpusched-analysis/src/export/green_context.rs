//! CUDA green contexts: the split of a device into groups of SMs (CUDA Driver API, *Green Contexts*).
//!
//! One call of `cuDevSmResourceSplitByCount` creates groups of equal size. One descriptor (`cuDevResourceGenerateDesc`)
//! can contain several groups of one call. One call is therefore sufficient if every partition size is a multiple of one
//! group size. If the sizes have no such group size, one call of `cuDevSmResourceSplit` (CUDA 13.1) creates groups of
//! different sizes.

use super::content::Export;
use gpusched_model::error::Error;
use num_integer::gcd;

/// Returns a C header with the arguments of the split call.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let device = out.device();
    let (min, step) = device
        .green_context()
        .map_or((1, 1), |rule| (rule.min, rule.step));
    let sizes = out.plan.partitions.iter().map(|partition| partition.sms);
    // If every size is a multiple of the smallest group, the export uses this group, because small groups fit best into
    // GPCs.
    let smallest = min.div_ceil(step).saturating_mul(step);
    let common = sizes.clone().fold(0, gcd);
    let group = match common {
        0 => None,
        _ if common % smallest == 0 => Some(smallest),
        _ => Some(common).filter(|&common| common >= min && common % step == 0),
    };
    let mut text = format!(
        "// Green contexts on device {}: each has at least {min} SMs, in steps of {step} SMs. The driver selects the SMs.\n\
         // Check sm.minSmPartitionSize and sm.smCoscheduledAlignment with cuDeviceGetDevResource.\n\
         // Check the number of groups after a split, because the driver may create fewer groups.\n{}",
        device.name(),
        out.assumptions("//")
    );
    match group {
        Some(group) => {
            let groups: u32 = sizes.clone().map(|sms| sms / group).sum();
            text += &format!(
                "// Call cuDevSmResourceSplitByCount once with minCount = {group}. It must create nbGroups = {groups} groups.\n\
                 // Partition i consists of the groups gpusched_first[i] to gpusched_first[i + 1] - 1.\n\
                 // Pass all groups of a partition to one call of cuDevResourceGenerateDesc.\n\
                 #define GPUSCHED_MIN_COUNT {group}\n\
                 #define GPUSCHED_GROUPS {groups}\n\
                 static const unsigned gpusched_first[{}] = {{\n",
                out.plan.partitions.len() + 1
            );
            let mut first = 0;
            for (index, partition) in out.partitions() {
                text += &format!("    // {}\n    {first},\n", out.comment(index, partition));
                first += partition.sms / group;
            }
            text += &format!("    // end of the last partition\n    {first},\n");
        }
        None => {
            text += &format!(
                "// The partition sizes have no common group size that cuDevSmResourceSplitByCount supports.\n\
                 // Call cuDevSmResourceSplit (CUDA 13.1 or newer) once, with groupParams[i].smCount = gpusched_sm_count[i].\n\
                 static const unsigned gpusched_sm_count[{}] = {{\n",
                out.plan.partitions.len()
            );
            for (index, partition) in out.partitions() {
                text += &format!(
                    "    // {}\n    {},\n",
                    out.comment(index, partition),
                    partition.sms
                );
            }
        }
    }
    text += "};\n";
    Ok(text)
}
