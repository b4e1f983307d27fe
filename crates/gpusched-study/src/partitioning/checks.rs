//! Further checks of a study of partitioning. The TOML format cannot express them.

use crate::definition::axis::{MAX_VALUES, Values};
use crate::definition::document::Document;
use crate::definition::hardware;
use crate::definition::names::unique;
use crate::table::{COLUMNS, OF_METRIC, TIMING_COLUMNS};
use crate::work::Point;
use gpusched_analysis::generation::{Recipe, check_blocks};
use gpusched_analysis::partitioning::Offer;
use gpusched_model::Refusal;
use gpusched_model::device::Granularity;
use gpusched_model::error::Result;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Factor, MemoryTime, Platform};

use super::grid::Cell;
use super::program::Population;
use super::shape::{FIELDS, PartitioningShape as Shape, Variant};

/// Maximum number of tasks in one task set.
const MAX_TASKS: u64 = 10_000;

/// Checks that the names in the study are unique, so that names identify rows.
pub(super) fn names(document: &Document, shape: &Shape) -> Result<()> {
    let variants = shape
        .variant
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();
    let algorithms = shape
        .algorithm
        .iter()
        .map(|algorithm| algorithm.name.as_str())
        .collect();
    unique(document, "variant", variants)?;
    unique(document, "algorithm", algorithms)
}

/// Checks the names of the metrics, and that each metric has a program.
pub(super) fn metrics(document: &Document, shape: &Shape) -> Result<()> {
    let metrics = shape.metric.iter();
    let names: Vec<&str> = metrics.map(|metric| metric.name.as_str()).collect();
    if !names.is_empty() {
        unique(document, "metric", names)?;
    }
    for (index, metric) in shape.metric.iter().enumerate() {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let column = format!("{OF_METRIC}{}", metric.name);
        let is_taken = [COLUMNS.as_slice(), &TIMING_COLUMNS]
            .concat()
            .contains(&column.as_str());
        let (field, found, expected) = if !metric.name.chars().all(allowed) {
            (
                "name",
                format!("{:?}", metric.name),
                "small letters, digits and `_`",
            )
        } else if is_taken {
            (
                "name",
                format!("{:?}, a column of gpusched", metric.name),
                "another name",
            )
        } else if metric.command.first().is_none_or(String::is_empty) {
            ("command", "no program".to_owned(), "a program with its arguments")
        } else {
            continue;
        };
        return Err(document.error(Refusal::new(format!("metric[{index}].{field}"), found, expected)));
    }
    Ok(())
}

/// Checks the fields `blocks` and `variation_percent` of each analysis variant. For a policy that uses blocks, the variant or the generator must
/// state a number of blocks. Under all other policies, the field `blocks` of a variant has no effect, and gpusched
/// rejects this field.
pub(super) fn blocks(document: &Document, shape: &Shape) -> Result<()> {
    for (index, variant) in shape.variant.iter().enumerate() {
        if let Some(Err(error)) = variant.blocks.map(check_blocks) {
            return Err(document.error(error.of_field(format!("variant[{index}].blocks"))));
        }
        let policy = variant.policy;
        if let Some(percent) = variant.variation_percent.filter(|_| !policy.runs_together()) {
            return Err(document.error(Refusal::new(
                format!("variant[{index}].variation_percent"),
                format!("{percent} under policy \"{policy}\""),
                "no `variation_percent`, because only `concurrent` uses it",
            )));
        }
        if let Some(percent) = variant
            .variation_percent
            .filter(|&percent| percent > MemoryTime::MAX_VARIATION)
        {
            return Err(document.error(Refusal::new(
                format!("variant[{index}].variation_percent"),
                percent,
                format!("at most {}", MemoryTime::MAX_VARIATION),
            )));
        }
        match variant.blocks {
            None if policy.counts_blocks()
                && shape.generator.blocks.is_none()
                && shape.population.is_none() =>
            {
                return Err(document.error(Refusal::new(
                    format!("variant[{index}].policy"),
                    format!("\"{policy}\" without `blocks`"),
                    "`blocks` in this [[variant]] or in [generator], because a task without blocks is never preempted",
                )));
            }
            Some(blocks) if !policy.counts_blocks() => {
                return Err(document.error(Refusal::new(
                    format!("variant[{index}].blocks"),
                    format!("{blocks} under policy \"{policy}\""),
                    "no `blocks`, because only the `lp-` policies use them",
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that tasks have memory traffic if the interference model counts memory traffic. Also checks that the policy
/// has a schedulability test for partitions that share a memory.
pub(super) fn interference(document: &Document, shape: &Shape) -> Result<()> {
    for (index, variant) in shape.variant.iter().enumerate() {
        let error = |field: &str, message: String| {
            Err(document.error(Refusal::told(format!("variant[{index}].{field}"), message)))
        };
        let (interference, policy) = (variant.interference, variant.policy);
        if !interference.counts_memory() {
            if let Some(arbitration) = variant.arbitration {
                let message = format!(
                    "found {arbitration} with interference {interference}, expected no `arbitration`, \
                     because this interference model does not count memory traffic"
                );
                return error("arbitration", message);
            }
        } else if interference.counts_memory_time() {
            let message = format!(
                "found {interference}, expected an interference model without memory times, because generated tasks have \
                 no `sectors`"
            );
            return error("interference", message);
        } else if shape.generator.saturation.is_none() && shape.population.is_none() {
            let message = format!(
                "found {interference} without `saturation` in [generator], expected `saturation`, or interference conflict or \
                 none, because the tasks have no memory traffic"
            );
            return error("interference", message);
        } else if !policy.shares_memory() {
            let message = format!(
                "found {policy}, expected a policy with a schedulability test for partitions that share a \
                 memory"
            );
            return error("policy", message);
        } else if let Some(granularity) = variant.granularity.filter(|&of| of != Granularity::Sm) {
            let message = format!(
                "found {granularity} with interference {interference}, expected sm, because partitions with more SMs have \
                 more memory traffic and may delay other partitions"
            );
            return error("granularity", message);
        }
    }
    Ok(())
}

/// Returns M, the number of SMs that the study states.
pub(super) fn sms(document: &Document, shape: &Shape) -> Result<u32> {
    if let Some(name) = &shape.device {
        if shape.sms.is_some() || shape.platform.is_some() {
            return Err(document.error(Refusal::new(
                "device",
                "`device` together with `sms` or `platform`",
                "only one of `device`, `sms` and `platform`",
            )));
        }
        let device = hardware::device(name).map_err(|refusal| document.error(refusal))?;
        return Ok(device.sms());
    }
    match (shape.sms, &shape.platform) {
        (Some(sms), None) if (1..=MAX_SMS).contains(&sms) => Ok(sms),
        (Some(sms), None) => Err(document.error(Refusal::new("sms", sms, format!("1 to {MAX_SMS}")))),
        (None, Some(name)) => Platform::named(name).map(|platform| platform.sms).ok_or_else(|| {
            let names: Vec<String> = Platform::all().map(|platform| platform.name).collect();
            document.error(Refusal::new(
                "platform",
                format!("\"{name}\""),
                format!("one of {}", names.join(", ")),
            ))
        }),
        (Some(_), Some(_)) => Err(document.error(Refusal::new(
            "platform",
            "both `sms` and `platform`",
            "only one of `sms` and `platform`",
        ))),
        (None, None) => Err(document.error(Refusal::told(
            "",
            "missing field `sms` (or `platform`, or `device`)",
        ))),
    }
}

/// Returns the supported partition sizes for each analysis variant. The value is `None` if a partition may have any number
/// of SMs.
pub(super) fn offers(document: &Document, shape: &Shape) -> Result<Vec<Option<Offer>>> {
    let named = shape.device.as_deref().map(hardware::device).transpose();
    let named = named.map_err(|refusal| document.error(refusal))?;
    let offer = |(index, variant): (usize, &Variant)| {
        let found = match (variant.granularity, &named) {
            (None, _) => return Ok(None),
            (Some(granularity), Some(device)) => hardware::offer(device, granularity),
            (Some(granularity), None) => Err(Refusal::new(
                "granularity",
                format!("{granularity} without `device`"),
                "a `device` in the study",
            )),
        };
        let refused = |refusal: Refusal| document.error(refusal.within(&format!("variant[{index}]")));
        found.map(Some).map_err(refused)
    };
    shape.variant.iter().enumerate().map(offer).collect()
}

/// Checks that the generator does not state a form of the WCET functions. Each analysis variant states its own form.
pub(super) fn generator(document: &Document) -> Result<()> {
    let table: toml::Table = document.parse()?;
    let generator = table.get("generator").and_then(toml::Value::as_table);
    match generator.is_some_and(|generator| generator.contains_key("wcet")) {
        true => Err(document.error(Refusal::new(
            "generator.wcet",
            "a WCET form",
            "`wcet` in each [[variant]]",
        ))),
        false => Ok(()),
    }
}

/// Checks the names of the axes.
pub(super) fn axes(document: &Document) -> Result<()> {
    let table: toml::Table = document.parse()?;
    let axis = table.get("axis").and_then(toml::Value::as_table);
    let known = |name: &str| matches!(name, "utilization" | "tasks") || FIELDS.contains(&name);
    match axis.and_then(|axis| axis.keys().find(|name| !known(name))) {
        Some(name) => Err(document.error(Refusal::told(
            format!("axis.{name}"),
            format!(
                "unknown field `{name}`, expected `utilization`, `tasks` or one of {}",
                FIELDS.join(", ")
            ),
        ))),
        None => Ok(()),
    }
}

/// Checks that the task sets are from exactly one source: the generator, a file or a program.
pub(super) fn population(document: &Document, cell: &Cell) -> Result<()> {
    let shape = &cell.shape;
    let refuse = |field: String, found: String, expected: &str| {
        Err(document.error(Refusal::new(field, found, expected)))
    };
    let is_given = shape.population.is_some();
    for (index, variant) in shape.variant.iter().enumerate() {
        match &variant.wcet {
            Some(_) if is_given => {
                let expected = "no `wcet`, because the tasks of the population have WCET functions";
                return refuse(
                    format!("variant[{index}].wcet"),
                    "a form with `population`".to_owned(),
                    expected,
                );
            }
            None if !is_given => {
                let expected = "`wcet` with a form such as \"amdahl\", or with a file";
                return refuse(format!("variant[{index}]"), "no `wcet`".to_owned(), expected);
            }
            _ => {}
        }
    }
    let with_blocks = shape.variant.iter().position(|variant| variant.blocks.is_some());
    if let Some(index) = with_blocks.filter(|_| is_given) {
        let expected = "no `blocks`, because the tasks of the population state their blocks";
        return refuse(
            format!("variant[{index}].blocks"),
            "a number with `population`".to_owned(),
            expected,
        );
    }
    if is_given && shape.generator != Recipe::default() {
        let expected = "no `generator`, because the task sets are from the population";
        return refuse(
            "generator".to_owned(),
            "a generator with `population`".to_owned(),
            expected,
        );
    }
    if matches!(shape.population, Some(Population::File(_))) && shape.weighted {
        let expected = "false, because task sets from a file have no utilization on an axis";
        return refuse(
            "weighted".to_owned(),
            "true with `population`".to_owned(),
            expected,
        );
    }
    Ok(())
}

/// Returns the points of the study. They are repeated for each of the `settings` settings, each time in ascending order
/// of the number of tasks.
pub(super) fn points(document: &Document, shape: &Shape, settings: usize) -> Result<Vec<Point>> {
    let axis = &shape.axis;
    let grid: Vec<(Option<usize>, Option<Factor>)> = match (&shape.population, &axis.utilization, &axis.tasks)
    {
        (None, Some(utilization), Some(tasks)) => {
            generated(document, utilization.as_slice(), tasks.as_slice())?
        }
        (Some(Population::File(_)), None, None) => vec![(None, None)],
        (Some(Population::File(_)), ..) => {
            let expected = "other axes, because the task sets are from a file";
            return Err(document.error(Refusal::new(
                "axis",
                "`utilization` or `tasks` with `population`",
                expected,
            )));
        }
        (Some(Population::Program(_)), utilization, tasks) => {
            // A program may ignore the utilization or the number of tasks, so an absent axis has one empty value.
            let one = [Factor::ONE];
            let stated =
                [utilization, tasks].map(|values| values.as_ref().map_or(&one[..], Values::as_slice));
            let points = generated(document, stated[0], stated[1])?;
            let kept = |(number, value): (Option<usize>, Option<Factor>)| {
                (
                    number.filter(|_| tasks.is_some()),
                    value.filter(|_| utilization.is_some()),
                )
            };
            points.into_iter().map(kept).collect()
        }
        (None, None, _) => return Err(document.error(Refusal::told("axis", "missing field `utilization`"))),
        (None, _, None) => return Err(document.error(Refusal::told("axis", "missing field `tasks`"))),
    };
    if grid.len().saturating_mul(settings) > MAX_VALUES {
        let found = format!(
            "{} points for each of {settings} combinations of other axes",
            grid.len()
        );
        return Err(document.error(Refusal::new(
            "axis",
            found,
            format!("at most {MAX_VALUES} points"),
        )));
    }
    let points = (0..settings).flat_map(|setting| {
        grid.iter()
            .enumerate()
            .map(move |(drawn, at)| (setting, drawn, at))
    });
    let points = points
        .enumerate()
        .map(|(index, (setting, drawn, &(tasks, utilization)))| Point {
            index,
            setting,
            drawn: drawn as u64,
            utilization,
            tasks,
        });
    Ok(points.collect())
}

/// Returns all combinations of `tasks` and `utilizations`.
fn generated(
    document: &Document,
    utilizations: &[Factor],
    tasks: &[Factor],
) -> Result<Vec<(Option<usize>, Option<Factor>)>> {
    if let Some(value) = utilizations.iter().find(|&&value| value == Factor::ZERO) {
        return Err(document.error(Refusal::new("axis.utilization", value, "positive utilizations")));
    }
    if utilizations.len().saturating_mul(tasks.len()) > MAX_VALUES {
        return Err(document.error(Refusal::new(
            "axis",
            format!(
                "{} utilizations × {} numbers of tasks",
                utilizations.len(),
                tasks.len()
            ),
            format!("at most {MAX_VALUES} points"),
        )));
    }
    let mut points = Vec::new();
    for &value in tasks {
        let tasks = match value.ratio() {
            (tasks @ 1..=MAX_TASKS, 1) => usize::try_from(tasks).ok(),
            _ => None,
        };
        if tasks.is_none() {
            return Err(document.error(Refusal::new(
                "axis.tasks",
                value,
                format!("whole numbers from 1 to {MAX_TASKS}"),
            )));
        }
        points.extend(utilizations.iter().map(|&utilization| (tasks, Some(utilization))));
    }
    Ok(points)
}
