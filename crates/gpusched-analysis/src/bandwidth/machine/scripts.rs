//! Scripts for tools that count the misses of each core and stop the core at a limit: MemGuard (github.com/heechul/memguard) and
//! BWLOCK++ (github.com/wali-ku/BWLOCK-GPU).

use super::limits::{COUNTERS, head, list};
use super::{Allowance, Machine};
use gpusched_model::error::Error;
use gpusched_model::time::Time;

/// Limit of a core that MemGuard never stops. The module parses limits as C `int`.
const UNLIMITED: u64 = i32::MAX as u64;

/// Longest list of limits [bytes]. The module reads at most 256 bytes.
const LONGEST: usize = 250;

/// Returns the script for MemGuard, with one limit for each CPU from 0 to the largest best-effort core. Other CPUs are
/// not limited.
pub(super) fn memguard(machine: &Machine, allowance: &Allowance) -> Result<String, Error> {
    let period = allowance.period.ns();
    if !period.is_multiple_of(1_000) {
        let expected = "a whole number of microseconds, which MemGuard requires";
        return Err(Error::parameter("period", allowance.period, expected));
    }
    if allowance.per_core >= UNLIMITED {
        let found = format!(
            "{}, which allows {} misses per core",
            allowance.q, allowance.per_core
        );
        let expected = format!(
            "a budget of fewer than {UNLIMITED} misses per core and period, which MemGuard can count"
        );
        return Err(Error::parameter("q", found, expected));
    }
    let last = machine.cores.iter().copied().max().unwrap_or(0);
    let of = |cpu: u32| match machine.cores.contains(&cpu) {
        true => allowance.per_core,
        false => UNLIMITED,
    };
    // Each limit takes at least two bytes, so a longer list is never built.
    let limits = (0..=last).take(LONGEST).map(|cpu| of(cpu).to_string());
    let limits = limits.collect::<Vec<_>>().join(" ");
    if limits.len() > LONGEST {
        let found = format!(
            "CPU {last}, whose limit comes after {} bytes of other limits",
            limits.len()
        );
        let expected = format!("CPU numbers whose list has at most {LONGEST} bytes, which MemGuard reads");
        return Err(Error::parameter("cores", found, expected));
    }
    let open = [
        COUNTERS.as_slice(),
        &[
            "Each miss causes at most one writeback, and the rate was measured with programs that write.",
            "A new limit applies from the next period of each core.",
        ],
    ]
    .concat();
    let mut text = head(machine, allowance, ("MemGuard", true), &open);
    text += &format!(
        "\
guard=\"$sys/kernel/debug/memguard\"
period=$(cat \"$sys/module/memguard/parameters/g_period_us\")
[ \"$period\" = {0} ] || fail \"g_period_us: found $period, expected {0}: load the module with g_period_us={0}\"
# MemGuard counts online CPUs only, so the list is right only if CPUs 0 to {last} are online.
cpu=0
while [ \"$cpu\" -le {last} ]; do
  online \"$cpu\"
  cpu=$((cpu + 1))
done
echo reclaim 0 > \"$guard/control\"
echo exclusive 0 > \"$guard/control\"
echo {limits} > \"$guard/read_limit\"
echo {limits} > \"$guard/write_limit\"
",
        period / 1_000
    );
    Ok(text)
}

/// Returns the script for BWLOCK++, whose regulation period is 1 ms.
pub(super) fn bwlock(machine: &Machine, allowance: &Allowance) -> Result<String, Error> {
    if allowance.period != Time::from_ns(1_000_000) {
        let expected = "1ms, the period that BWLOCK++ has (`g_period_us` in its source)";
        return Err(Error::parameter("period", allowance.period, expected));
    }
    if allowance.per_core > u64::from(u32::MAX) {
        let found = format!(
            "{}, which allows {} misses per core",
            allowance.q, allowance.per_core
        );
        return Err(Error::parameter(
            "q",
            found,
            "a budget of fewer than 2^32 misses per core and period",
        ));
    }
    let open = [COUNTERS.as_slice(), &[
        "A core gets the budget only from its next period on. A task must take the lock at least one period before its kernel starts.",
        "The limit of a core covers each task without real-time priority. It covers misses, but no writebacks.",
    ]]
    .concat();
    let mut text = head(machine, allowance, ("BWLOCK++", true), &open);
    text += &format!(
        "\
for cpu in {1}; do online \"$cpu\"; done
lock=\"$sys/kernel/debug/bwlock\"
[ -e \"$lock/corun_threshold_events\" ] || fail \"$lock: found no module, expected bwlockmod\"
echo {0} > \"$lock/corun_threshold_events\"
",
        allowance.per_core,
        list(&machine.cores).replace(',', " ")
    );
    Ok(text)
}
