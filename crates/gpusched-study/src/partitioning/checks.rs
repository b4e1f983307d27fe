//! What a study of partitioning must be beyond its shape.

use crate::axis::MAX_VALUES;
use crate::document::Document;
use crate::names::unique;
use crate::work::Point;
use gpusched_analysis::generation::check_blocks;
use gpusched_analysis::partitioning::Offer;
use gpusched_model::device::Granularity;
use gpusched_model::error::Result;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Device, Factor, Platform};

use super::shape::{FigureTable, PartitioningShape as Shape, Reading};

/// The most tasks in one set.
const MAX_TASKS: u64 = 10_000;

/// Names must tell rows apart.
pub(super) fn names(document: &Document, shape: &Shape) -> Result<()> {
    let readings = shape
        .reading
        .iter()
        .map(|reading| reading.name.as_str())
        .collect();
    let algorithms = shape
        .algorithm
        .iter()
        .map(|algorithm| algorithm.name.as_str())
        .collect();
    unique(document, "reading", readings)?;
    unique(document, "algorithm", algorithms)
}

/// Blocks of the readings; those of the generator are checked with the rest of it. Without any, a policy that looks at blocks
/// would be a non-preemptive one under another name; under other policies, those of the reading would be without effect.
pub(super) fn blocks(document: &Document, shape: &Shape) -> Result<()> {
    for (index, reading) in shape.reading.iter().enumerate() {
        if let Some(Err(error)) = reading.blocks.map(check_blocks) {
            let message = format!("found {}, expected {}", error.found, error.expected);
            return Err(document.error(&format!("reading[{index}].blocks"), message));
        }
        let policy = reading.policy;
        match reading.blocks {
            None if policy.counts_blocks() && shape.generator.blocks.is_none() => {
                let message = format!(
                    "found \"{policy}\" without `blocks`, expected them in this reading or in [generator]: a task without \
                     blocks is not preempted"
                );
                return Err(document.error(&format!("reading[{index}].policy"), message));
            }
            Some(blocks) if !policy.counts_blocks() => {
                let message = format!(
                    "found {blocks} under policy \"{policy}\", expected none: only the `lp-` policies look at blocks"
                );
                return Err(document.error(&format!("reading[{index}].blocks"), message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Traffic counts where there is some, and where there is a proof.
pub(super) fn interference(document: &Document, shape: &Shape) -> Result<()> {
    for (index, reading) in shape.reading.iter().enumerate() {
        let error =
            |field: &str, message: String| Err(document.error(&format!("reading[{index}].{field}"), message));
        let (interference, policy) = (reading.interference, reading.policy);
        if !interference.counts_bandwidth() {
            if let Some(arbitration) = reading.arbitration {
                let message = format!(
                    "found {arbitration} with interference {interference}, expected none: it does not look at memory traffic"
                );
                return error("arbitration", message);
            }
        } else if shape.generator.saturation.is_none() {
            let message = format!(
                "found {interference} without `saturation` in [generator], expected it, or conflict or none: tasks are drawn without traffic"
            );
            return error("interference", message);
        } else if !policy.shares_memory() {
            let message =
                format!("found {policy}, expected one with a proof for partitions that share a memory");
            return error("policy", message);
        } else if let Some(granularity) = reading.granularity.filter(|&of| of != Granularity::Sm) {
            let message = format!(
                "found {granularity} with interference {interference}, expected sm: a partition that gets more SMs draws more \
                 from memory, and so may hold up others"
            );
            return error("granularity", message);
        }
    }
    Ok(())
}

/// M.
pub(super) fn sms(document: &Document, shape: &Shape) -> Result<u32> {
    if let Some(name) = &shape.device {
        if shape.sms.is_some() || shape.platform.is_some() {
            let message = "found `device` beside `sms` or `platform`, expected one";
            return Err(document.error("device", message));
        }
        return device(document, name).map(|device| device.sms());
    }
    match (shape.sms, &shape.platform) {
        (Some(sms), None) if (1..=MAX_SMS).contains(&sms) => Ok(sms),
        (Some(sms), None) => Err(document.error("sms", format!("found {sms}, expected 1 to {MAX_SMS}"))),
        (None, Some(name)) => Platform::named(name).map(|platform| platform.sms).ok_or_else(|| {
            let names: Vec<String> = Platform::all().map(|platform| platform.name).collect();
            let message = format!("found \"{name}\", expected one of {}", names.join(", "));
            document.error("platform", message)
        }),
        (Some(_), Some(_)) => {
            Err(document.error("platform", "found both `sms` and `platform`, expected one"))
        }
        (None, None) => Err(document.error("", "missing field `sms` (or `platform`, or `device`)")),
    }
}

/// The device called `name`.
fn device(document: &Document, name: &str) -> Result<Device> {
    Device::named(name).ok_or_else(|| {
        let message = format!("found \"{name}\", expected one of {}", Device::names());
        document.error("device", message)
    })
}

/// What partitions there are in each reading; `None` where any number of SMs can be one.
pub(super) fn offers(document: &Document, shape: &Shape) -> Result<Vec<Option<Offer>>> {
    let named = shape
        .device
        .as_ref()
        .map(|name| device(document, name))
        .transpose()?;
    let offer = |(index, reading): (usize, &Reading)| match (reading.granularity, &named) {
        (None, _) => Ok(None),
        (Some(granularity), Some(device)) => Offer::new(device, granularity).map(Some).map_err(|_| {
            let known: Vec<String> = device.granularities().iter().map(ToString::to_string).collect();
            let message = format!("found {granularity}, expected one of {}", known.join(", "));
            document.error(&format!("reading[{index}].granularity"), message)
        }),
        (Some(granularity), None) => {
            let message = format!("found {granularity} without `device`, expected the study to name one");
            Err(document.error(&format!("reading[{index}].granularity"), message))
        }
    };
    shape.reading.iter().enumerate().map(offer).collect()
}

/// The points, number of tasks by number of tasks.
pub(super) fn points(document: &Document, shape: &Shape) -> Result<Vec<Point>> {
    let (utilizations, tasks) = (shape.axis.utilization.as_slice(), shape.axis.tasks.as_slice());
    if let Some(value) = utilizations.iter().find(|&&value| value == Factor::ZERO) {
        let message = format!("found {value}, expected positive utilizations");
        return Err(document.error("axis.utilization", message));
    }
    if utilizations.len().saturating_mul(tasks.len()) > MAX_VALUES {
        let message = format!(
            "found {} utilizations × {} numbers of tasks, expected at most {MAX_VALUES} points",
            utilizations.len(),
            tasks.len()
        );
        return Err(document.error("axis", message));
    }
    let mut points = Vec::new();
    for &value in tasks {
        let tasks = match value.ratio() {
            (tasks @ 1..=MAX_TASKS, 1) => usize::try_from(tasks).ok(),
            _ => None,
        };
        let Some(tasks) = tasks else {
            let message = format!("found {value}, expected whole numbers from 1 to {MAX_TASKS}");
            return Err(document.error("axis.tasks", message));
        };
        for &utilization in utilizations {
            points.push(Point {
                index: points.len(),
                utilization,
                tasks,
            });
        }
    }
    Ok(points)
}

/// What the figure shows must be a column of a table that there is.
pub(super) fn figure(document: &Document, shape: &Shape) -> Result<()> {
    let figure = &shape.figure;
    if figure.table == FigureTable::Weighted && !shape.weighted {
        let message = "found weighted, expected `weighted = true` in the study, which makes that table";
        return Err(document.error("figure.table", message));
    }
    let columns = figure.columns();
    if columns.contains(&figure.y.as_str()) {
        return Ok(());
    }
    let message = format!("found \"{}\", expected one of {}", figure.y, columns.join(", "));
    Err(document.error("figure.y", message))
}
