//! Options that select the GPU and the unit of its partitions: `--sms`, `--gpu` and
//! `--granularity`.

use std::path::Path;

use crate::arguments::{refused, whole};
use crate::complain;
use gpusched_analysis::export::finest;
use gpusched_analysis::partitioning::Offer;
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Devices;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Device, Platform};

/// Values that `--gpu` accepts.
const EXPECTED: &str = "a name that `gpusched gpus` lists, or a device file";

/// Hint for a command line without a number of SMs.
pub const NEXT: &str = "list the GPUs with `gpusched gpus`, then add `--gpu NAME`, such as `--gpu orin`";

/// Options that select the GPU by its number of SMs or by its name.
#[derive(Debug, Clone, clap::Args)]
pub struct Gpu {
    /// Number of SMs of the GPU, as an alternative to `--gpu`
    #[arg(long, value_name = "M", value_parser = whole(1..=MAX_SMS), help_heading = "GPU")]
    sms: Option<u32>,
    /// GPU to partition: a name that `gpusched gpus` lists, or a device file
    #[arg(long, aliases = ["platform", "device"], value_name = "NAME|FILE", value_parser = device, help_heading = "GPU")]
    gpu: Option<Device>,
}

impl Gpu {
    /// Returns the number of SMs, M. If `--sms` and `--gpu` are absent, an error lists the
    /// expected options. `others` is the start of this list, such as `--plan PLAN, `.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] unless exactly one of `--sms` and `--gpu` is given.
    pub fn sms(&self, others: &str) -> Result<u32> {
        let (found, expected) = match (self.sms, &self.gpu) {
            (Some(sms), None) => return Ok(sms),
            (None, Some(gpu)) => return Ok(gpu.sms()),
            (Some(_), Some(gpu)) => (
                "both --sms and --gpu".to_owned(),
                format!(
                    "only one of these options: {} has {}",
                    gpu.name(),
                    counted(gpu.sms(), "SM")
                ),
            ),
            (None, None) => (
                match others.split(' ').next().filter(|first| !first.is_empty()) {
                    Some(other) => format!("none of --sms, --gpu and {other}"),
                    None => "neither --sms nor --gpu".to_owned(),
                },
                format!(
                    "{others}--sms M, --gpu NAME of a GPU that `gpusched gpus` lists, or --gpu FILE of a device file"
                ),
            ),
        };
        let refusal = Refusal::new("", found, expected);
        Err(match (self.sms, &self.gpu) {
            (None, None) => refusal.hint(NEXT).into(),
            _ => refusal.into(),
        })
    }

    /// Returns the number of SMs, M; `None` if neither option is given.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if both `--sms` and `--gpu` are given.
    pub fn given_sms(&self) -> Result<Option<u32>> {
        match (self.sms, &self.gpu) {
            (None, None) => Ok(None),
            _ => self.sms("").map(Some),
        }
    }

    /// Returns the device; `None` without `--gpu`.
    pub fn device(&self) -> Option<&Device> {
        self.gpu.as_ref()
    }
}

/// Returns the device called `name`, or the device in the file `name`.
///
/// # Errors
/// Fails with a message that states the error in the file, or that lists similar names.
pub fn device(name: &str) -> Result<Device, String> {
    if let Some(device) = Device::named(name) {
        return Ok(device);
    }
    let path = Path::new(name);
    if !name.contains(['/', '\\', '.']) && !path.exists() {
        let near = near(name);
        let near = match near.is_empty() {
            true => String::new(),
            false => format!("; did you mean {}?", near.join(" or ")),
        };
        return Err(refused(name, format_args!("{EXPECTED}{near}")));
    }
    Devices::only(path, "device").map_err(|error| error.to_string())
}

/// Returns those names of built-in GPUs that are similar to `name`. The most similar name is first. The comparison
/// ignores case and punctuation.
fn near(name: &str) -> Vec<String> {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(name);
    let mut near: Vec<(u64, String)> = Device::all()
        .filter_map(|device| {
            let known = plain(device.name());
            // The user may type a part of a GPU name or of a product name, such as 4090 for the
            // RTX 4090.
            let is_part =
                wanted.len() > 2 && (known.contains(&wanted) || plain(device.title()).contains(&wanted));
            let likeness = match is_part {
                true => 0.99,
                false => strsim::jaro_winkler(&wanted, &known),
            };
            let distance = if wanted == known {
                0
            } else {
                (1e6 * (1.0 - likeness)) as u64
            };
            (likeness > 0.85).then(|| (distance, device.name().to_owned()))
        })
        .collect();
    near.sort();
    let same = near.first().is_some_and(|(distance, _)| *distance == 0);
    near.truncate(if same { 1 } else { 3 });
    near.into_iter().map(|(_, known)| known).collect()
}

/// Returns the thread-block limits of the GPU called `name`.
///
/// # Errors
/// Fails with a message that lists the known names.
pub fn platform(name: &str) -> Result<Platform, String> {
    Platform::named(name).ok_or_else(|| {
        let names: Vec<String> = Platform::all().map(|platform| platform.name).collect();
        let names = names.join(", ");
        let expected = format_args!("a GPU with known thread-block limits: {names}");
        refused(name, expected)
    })
}

/// Returns the partition sizes that `device` supports at `granularity`; `None` if both arguments are `None`. Without a
/// granularity, returns the finest sizes that an export can reserve. If gpusched has no export for the device, warns the
/// user, and returns all sizes.
///
/// # Errors
/// Fails with [`Error::Refused`] for a granularity without a device, or for a granularity that the device does not
/// support.
pub fn offer(device: Option<&Device>, granularity: Option<Granularity>) -> Result<Option<Offer>> {
    match (device, granularity) {
        (Some(device), Some(granularity)) => Offer::new(device, granularity).map(Some),
        (Some(device), None) => {
            let finest = finest(device).unwrap_or_else(|| {
                complain(&format!(
                    "warning: gpusched knows no tool that reserves SMs of device {}; the plan divides single SMs \
                     (granularity {}), and its verdict is valid only if you can reserve them",
                    device.name(),
                    Granularity::Sm
                ));
                Granularity::Sm
            });
            Offer::new(device, finest).map(Some)
        }
        (None, None) => Ok(None),
        (None, Some(granularity)) => Err(Error::parameter(
            "granularity",
            format!("{granularity} without --gpu"),
            format!("also --gpu with {EXPECTED}"),
        )),
    }
}
