//! `gpusched gpus`: lists the built-in GPUs with their partition sizes and with the sources of
//! the data.

use serde::Serialize;

use crate::arguments::device;
use crate::report::{Cell, Output, Palette, Report, Table, json_document, wrap};
use crate::{Global, Outcome, Run};
use gpusched_model::Device;
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::error::Result;

/// Arguments of `gpusched gpus`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// GPUs to describe in detail: names or device files [default: list all GPUs]
    #[arg(value_name = "NAME|FILE", value_parser = device)]
    gpu: Vec<Device>,
}

const EXAMPLE: &str = "\
The option `--gpu` of other commands accepts the listed names. A dash stands for an unknown number of units (no public source).
gpusched refuses partitions that consist of units with an unknown number.
With --format json or csv, the list includes the sources.

Examples:
  gpusched gpus
  gpusched gpus a100 orin";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let in_detail = !self.gpu.is_empty();
        let gpus = match in_detail {
            true => self.gpu.clone(),
            false => Device::all().collect(),
        };
        let gpus = gpus.iter().map(Gpu::new).collect();
        Output::open(global)?.last(&Gpus { in_detail, gpus })?;
        Ok(Outcome::Positive)
    }
}

/// List of GPUs. The text result contains the sources only if `in_detail` is set.
#[derive(Serialize)]
#[serde(transparent)]
struct Gpus<'a> {
    #[serde(skip)]
    in_detail: bool,
    gpus: Vec<Gpu<'a>>,
}

/// A GPU with values that gpusched derives from its description.
#[derive(Serialize)]
struct Gpu<'a> {
    #[serde(flatten)]
    device: &'a Device,
    #[serde(skip_serializing_if = "Option::is_none")]
    tpcs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpcs: Option<usize>,
    granularities: Vec<Granularity>,
}

impl Report for Gpus<'_> {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let table = Table::of(&self.gpus)
            .text(("GPU", "name"), |gpu| gpu.device.name())
            .exact("title", |gpu| gpu.device.title())
            .exact("compute_capability", |gpu| gpu.device.compute_capability())
            .number(("SMs", "sms"), |gpu| gpu.device.sms())
            .number(("TPCs", "tpcs"), |gpu| Cell::or(gpu.tpcs, "-"))
            .number(("GPCs", "gpcs"), |gpu| Cell::or(gpu.gpcs, "-"))
            .text(("granularity", "granularities"), |gpu| gpu.granularities())
            .text("title", |gpu| gpu.device.title())
            .exact("source", |gpu| gpu.device.source());
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        if self.in_detail {
            let gpus: Vec<String> = self.gpus.iter().map(|gpu| gpu.in_detail(palette)).collect();
            return Ok(gpus.join("\n"));
        }
        Ok(self.table().render(palette.header))
    }
}

impl<'a> Gpu<'a> {
    fn new(device: &'a Device) -> Gpu<'a> {
        let gpcs = device.tpcs_per_gpc().len();
        Gpu {
            device,
            tpcs: device.tpcs(),
            gpcs: (gpcs > 0).then_some(gpcs),
            granularities: device.granularities(),
        }
    }

    /// Returns the names of the supported granularities.
    fn granularities(&self) -> String {
        let names: Vec<String> = self.granularities.iter().map(ToString::to_string).collect();
        names.join(" ")
    }

    /// Returns the full description of the GPU.
    fn in_detail(&self, palette: &Palette) -> String {
        let device = self.device;
        let (title, cc) = (device.title(), device.compute_capability());
        let title = if title.is_empty() {
            ""
        } else {
            &format!(": {title}")
        };
        let cc = cc.map_or(String::new(), |cc| format!(", compute capability {cc}"));
        let table = Table::of(&self.granularities)
            .text("granularity", |granularity| granularity.to_string())
            .text("DRAM and L2", |granularity| match granularity {
                Granularity::Mig => "divided",
                _ => "shared",
            })
            .text("partition sizes", |granularity| self.rule(**granularity));
        let sources = device.source().split("; ").filter(|source| !source.is_empty());
        let sources: String = sources.map(|source| format!("source: {source}\n")).collect();
        let sms = counted(device.sms(), "SM");
        let name = device.name();
        format!(
            "{name}{title}, {sms}{cc}\n{}{sources}",
            table.done().render(palette.header)
        )
    }

    /// Returns a text about the partition sizes of the GPU at `granularity`.
    fn rule(&self, granularity: Granularity) -> String {
        let device = self.device;
        let rule = match granularity {
            Granularity::Sm => Some(format!("any number up to {}", counted(device.sms(), "SM"))),
            Granularity::Tpc => self.tpcs.zip(device.sms_per_tpc()).map(|(tpcs, sms)| {
                format!(
                    "whole TPCs: {} with {} each",
                    counted(tpcs, "TPC"),
                    counted(sms, "SM")
                )
            }),
            Granularity::Gpc => self.gpcs.map(|gpcs| {
                let sms: Vec<String> = device.sms_per_gpc().map(|sms| sms.to_string()).collect();
                format!("whole GPCs: {} with {} SMs", counted(gpcs, "GPC"), sms.join(", "))
            }),
            Granularity::GreenContext => device.green_context().map(|rule| {
                let (min, step, all) = (counted(rule.min, "SM"), rule.step, device.sms());
                match rule.total(all) {
                    total if total < all => {
                        format!(
                            "at least {min}, a multiple of {step}, {} together",
                            counted(total, "SM")
                        )
                    }
                    _ => format!("at least {min}, a multiple of {step}"),
                }
            }),
            Granularity::Mps => device
                .mps()
                .map(|rule| format!("chunks of {}", counted(rule.chunk, "SM"))),
            Granularity::Mig => device.mig().map(|mig| {
                let profiles = mig.profiles.iter();
                let all = mig.memory_slices;
                let profiles = profiles.map(|profile| {
                    let (name, sms, memory) = (&profile.name, profile.sms, profile.memory);
                    format!("{name} ({sms} SMs, {memory}/{all} of the memory)")
                });
                format!("one instance: {}", wrap(profiles, 80))
            }),
        };
        rule.unwrap_or_default()
    }
}
