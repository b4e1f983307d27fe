//! Scripts for hardware that throttles best-effort cores by a share: memory bandwidth allocation of x86 and MPAM of Arm,
//! through the file system `resctrl` of Linux (kernel documentation, *User Interface for Resource Control feature*).

use super::limits::{head, list};
use super::{Allowance, Machine};
use gpusched_model::error::Error;

/// Properties that both mechanisms lack.
const SHARES: &str = "The hardware throttles the rate on average. It does not count the misses of a regulation period, so a burst may exceed the budget.";

/// The hardware has no regulation period.
const PERIOD: &str = "The hardware has no regulation period. A shorter period in the analysis raises its budget, but changes nothing on the machine.";

/// Returns the script for x86, with a percentage per core. The script rounds the percentage down to a step of the
/// machine, because Linux rounds up.
pub(super) fn delays(machine: &Machine, allowance: &Allowance) -> Result<String, Error> {
    let cores = machine.cores.len() as u64;
    let core_rate = required(
        machine.core_rate,
        "core-rate",
        "the largest rate of one best-effort core alone",
    )?;
    let together = u128::from(core_rate.bytes_per_second()) * u128::from(cores);
    if together < u128::from(machine.rate.bytes_per_second()) {
        let found = format!("{core_rate}, and {} for {cores} cores together", machine.rate);
        return Err(Error::parameter(
            "core-rate",
            found,
            "a rate that the cores together can reach",
        ));
    }
    let percent = machine.parts(allowance, together, 100);
    if percent == 0 {
        return Err(too_small(
            machine,
            allowance,
            "one percent of the rate of a core",
            (together, 100),
        ));
    }
    let open = [
        SHARES,
        PERIOD,
        "The rate of a core falls at least in proportion to its percentage. Verify it with the monitors of resctrl or with a benchmark.",
        "No core alone exceeds its stated rate, and no other group uses these cores.",
        "No CPU with a real-time task shares a physical core with these CPUs. Hardware that throttles physical cores slows it down too.",
    ];
    let mut text = head(machine, allowance, ("resctrl (x86)", false), &open);
    text += &format!(
        "# Each core alone reaches at most {core_rate}, so {percent} percent of it are within the budget.\npercent={percent}\n"
    );
    text += "\
info=\"$sys/fs/resctrl/info/MB\"
[ -d \"$info\" ] || fail \"$info: found no such folder, expected memory bandwidth allocation: mount -t resctrl resctrl /sys/fs/resctrl\"
[ \"$(cat \"$info/delay_linear\")\" = 1 ] || fail \"delay_linear: found another value, expected 1, because only a linear scale has percentages\"
";
    Ok(text + &group(machine, allowance, together))
}

/// Returns the script for Arm, with a share of the memory bandwidth of all best-effort cores together.
pub(super) fn shares(machine: &Machine, allowance: &Allowance) -> Result<String, Error> {
    let memory = required(
        machine.memory_rate,
        "memory-rate",
        "the memory bandwidth that MPAM divides",
    )?;
    let bits = required(
        machine.share_bits,
        "share-bits",
        "the bits of a share, BWA_WD of MPAMF_MBW_IDR",
    )?;
    if !(1..=16).contains(&bits) {
        return Err(Error::parameter(
            "share-bits",
            bits,
            "a number of bits from 1 to 16",
        ));
    }
    if memory < machine.rate {
        let found = format!("{memory}, below the rate {} of the cores", machine.rate);
        return Err(Error::parameter(
            "memory-rate",
            found,
            "at least the rate of the cores",
        ));
    }
    // A register value v with w bits permits shares up to (v + 1)/2^w.
    let whole = u128::from(memory.bytes_per_second());
    let bands = machine.parts(allowance, whole, 1 << bits);
    // Linux converts a percentage to the nearest band, so 100·bands/2^w rounded down is converted to at most `bands`.
    let percent = (bands * 100) >> bits;
    if bands == 0 {
        let least = format!("the smallest share of {bits} bits");
        return Err(too_small(machine, allowance, &least, (whole, 1 << bits)));
    }
    let value = (bands - 1) << (16 - bits);
    let open = [
        SHARES,
        PERIOD,
        "The share refers to the stated memory bandwidth, over a window of the hardware that may be longer than the regulation period.",
        "The limit is hard: bit 31 (HARDLIM) is set. Linux may leave it clear, and then the cores may exceed their share while memory is idle.",
        "All memory controllers have the limit, and the best-effort cores use each of them in proportion to its bandwidth.",
    ];
    let mut text = head(machine, allowance, ("MPAM", false), &open);
    text += &format!(
        "# Of {memory}, the cores get at most {bands}/{} ({bits} bits).\n\
         # Hypervisor or firmware: MPAMCFG_MBW_MAX = 0x{:08x} for the PARTID of the cores (HARDLIM and MAX).\n",
        1_u64 << bits,
        (1_u64 << 31) | value
    );
    if percent == 0 {
        text += "fail \"Linux: found a budget below 1 percent of the memory bandwidth, expected at least 1 percent\"\n";
        return Ok(text);
    }
    text += &format!(
        "# Linux resctrl: a percentage, which Linux converts to a share of at most {bands}/{}\npercent={percent}\n",
        1_u64 << bits
    );
    text += "\
info=\"$sys/fs/resctrl/info/MB\"
[ -d \"$info\" ] || fail \"$info: found no such folder, expected memory bandwidth control: mount -t resctrl resctrl /sys/fs/resctrl\"
";
    Ok(text + &group(machine, allowance, whole))
}

/// Returns the commands that check the machine, round `$percent` of the rate `whole` down to a step, and set it for a group with the
/// best-effort cores. If a value cannot be set, a new group is removed.
fn group(machine: &Machine, allowance: &Allowance, whole: u128) -> String {
    let cores = list(&machine.cores);
    let (part, more) = machine.least(allowance, whole, 100);
    format!(
        "\
group=\"$sys/fs/resctrl/best-effort\"
fail() {{
  echo \"error: $1\" >&2
  [ ! -d \"$group\" ] || echo \"note: $group and its limit remain\" >&2
  exit 1
}}
for cpu in {spaced}; do
  online \"$cpu\"
  siblings=$(cat \"$folder/topology/thread_siblings_list\" 2>/dev/null || true)
  case \"$siblings\" in *[,-]*) echo \"note: CPUs $siblings share a physical core, so the limit of CPU $cpu may slow all of them down\" >&2 ;; esac
done
least=$(cat \"$info/min_bandwidth\")
step=$(cat \"$info/bandwidth_gran\")
exact=$percent
percent=$((exact / step * step))
if [ \"$percent\" -lt \"$least\" ] || [ \"$percent\" -le 0 ]; then
  usable=$(((least + step - 1) / step * step))
  [ \"$usable\" -gt 0 ] || usable=$step
  q=$(((usable * {part} + {more} + 999) / 1000))
  [ \"$q\" -le 1000 ] && q=\"the machine sets no budget below about $(printf '%d.%03d' $((q / 1000)) $((q % 1000))), and a budget above the proven one is unsafe\" || q=\"no budget is large enough\"
  fail \"budget: found $exact percent, and $percent after rounding down to a multiple of $step, expected at least $usable: $q\"
fi
root=\"$sys/fs/resctrl/schemata\"
limits=$(sed -n 's/^ *MB://p' \"$root\")
[ -n \"$limits\" ] || fail \"$root: found no line MB, expected memory bandwidth allocation\"
# Without throttling, a percentage is 100. Other values are MB/s (mount option mba_MBps) or the units of AMD.
case \"$limits;\" in *=100\\;*) ;; *) fail \"$root: found MB:$limits, expected percentages with 100 in the root group\" ;; esac
limits=$(echo \"$limits\" | sed \"s/=[^;]*/=$percent/g\")
[ -d \"$group\" ] && new= || new=1
put() {{
  {{ echo \"$2\" > \"$group/$1\"; }} 2>/dev/null && return
  [ -z \"$new\" ] || rmdir \"$group\" 2>/dev/null || true
  fail \"$group/$1: the machine refused $2\"
}}
mkdir -p \"$group\"
put cpus_list {cores}
put schemata \"MB:$limits\"
echo \"MB:$limits for CPUs {cores}\"
[ \"$exact\" = \"$percent\" ] || echo \"note: the budget allows $exact percent, and the machine has steps of $step percent\" >&2
# Traffic of the group: read mon_data/*/mbm_total_bytes in $group twice. Undo: rmdir \"$group\".
",
        spaced = cores.replace(',', " ")
    )
}

fn required<T>(value: Option<T>, option: &str, expected: &str) -> Result<T, Error> {
    value.ok_or_else(|| Error::parameter(option, "no value", expected))
}

/// Returns the error for a budget below the smallest setting, which is one of `of` parts of the rate `whole`.
fn too_small(machine: &Machine, allowance: &Allowance, least: &str, (whole, of): (u128, u64)) -> Error {
    let (part, more) = machine.least(allowance, whole, of);
    let thousandths = (part + more).div_ceil(1000);
    let expected = match thousandths <= 1000 {
        true => format!(
            "another tool, or a system whose proven budget is at least about {}.{:03}",
            thousandths / 1000,
            thousandths % 1000
        ),
        false => "another tool, because no budget is large enough at these rates".to_owned(),
    };
    Error::parameter("q", format!("{}, below {least}", allowance.q), expected)
}
