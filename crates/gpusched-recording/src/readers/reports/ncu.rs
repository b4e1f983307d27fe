//! Pages of Nsight Compute in CSV: the details page with one row per metric, and the raw page with one row per launch.

mod locale;
mod metrics;

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;

use super::header::Header;
use super::{Report, Row, number};
use crate::model::{Gpu, KernelSum, NameId, OpenLaunch, Origin, Recording, StreamKey, Tool};
pub use locale::Locale;
use metrics::Metric;

/// Returns the reader of the page of Nsight Compute that starts with `header`.
pub fn report(header: &Header) -> Option<(Origin, Box<dyn Report>)> {
    if !header.has(&["id", "kernel name"]) {
        return None;
    }
    let origin = |report| Origin {
        tool: Tool::Ncu,
        version: None,
        date: None,
        schema: None,
        report,
    };
    let launches = Launches::of(header);
    if header.has(&["metric name", "metric value"]) {
        let details = Details {
            metric: header.find(&["metric name"]),
            unit: header.find(&["metric unit"]),
            value: header.find(&["metric value"]),
            launches,
        };
        return Some((origin("details"), Box::new(details)));
    }
    let columns = header.names();
    let columns = columns.filter_map(|(index, name)| Some((index, Metric::named(name)?)));
    let columns: Vec<(usize, Metric)> = columns.collect();
    let page = Raw {
        units: None,
        columns,
        launches,
    };
    Some((origin("raw"), Box::new(page)))
}

/// Launches with their metrics.
struct Launches {
    process: Option<usize>,
    id: Option<usize>,
    name: Option<usize>,
    device: Option<usize>,
    context: Option<usize>,
    stream: Option<usize>,
    locale: Locale,
    /// Kernels with rows that state no number of the launch.
    aside: BTreeSet<NameId>,
    /// Launches by process and number.
    found: BTreeMap<(Option<i64>, i64), Found>,
}

/// Name and metrics of one launch. A metric is a value and its unit, as text.
#[derive(Default)]
struct Found {
    name: String,
    metrics: Vec<(Metric, String, String)>,
}

impl Launches {
    fn of(header: &Header) -> Launches {
        Launches {
            process: header.find(&["process id"]),
            id: header.find(&["id"]),
            name: header.find(&["kernel name"]),
            device: header.find(&["device"]),
            context: header.find(&["context"]),
            stream: header.find(&["stream"]),
            locale: Locale::default(),
            aside: BTreeSet::new(),
            found: BTreeMap::new(),
        }
    }

    /// Returns the launch that a row describes. A row without a number of the launch is set aside, and its launch is open.
    fn at(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<Option<&mut Found>, Refusal> {
        let text = row.text(self.id);
        let Ok(id) = text.parse::<i64>() else {
            let missing = &mut recording.missing;
            missing.impossible(format_args!("line {}: ID {text:?}", row.1));
            let name = recording.names.intern(&row.text(self.name));
            self.aside.insert(name);
            return Ok(None);
        };
        let process = number::identity(row, self.process);
        recording.streams.intern(StreamKey {
            process,
            device: number::identity(row, self.device),
            context: number::identity(row, self.context),
            stream: number::identity(row, self.stream),
            green: None,
        });
        let name = row.text(self.name);
        let launch = self.found.entry((process, id)).or_default();
        if launch.name.is_empty() {
            launch.name = name.into_owned();
        } else if launch.name != name {
            let found = format!("{name:?}");
            return Err(Refusal::new(
                "Kernel Name",
                found,
                format!("{:?}, as before for ID {id}", launch.name),
            ));
        }
        Ok(Some(launch))
    }

    /// Sets a damaged row aside. Its kernel is known only if the row states more values after the name of the kernel.
    fn set_aside(&mut self, row: &Row<'_>, recording: &mut Recording) {
        let name = self.name.filter(|name| name + 1 < row.0.len());
        let name = recording.names.intern(&row.text(name));
        self.aside.insert(name);
    }

    /// Adds a metric of the launch that a row describes.
    fn add(
        &mut self,
        row: &Row<'_>,
        recording: &mut Recording,
        metric: Metric,
        (value, unit): (String, String),
    ) -> Result<(), Refusal> {
        if metric.is_number() {
            self.locale.see(&value);
        }
        if let Some(launch) = self.at(row, recording)? {
            launch.metrics.push((metric, value, unit));
        }
        Ok(())
    }

    /// Converts all metrics, and adds the sums for each kernel.
    fn end(&mut self, recording: &mut Recording) -> Result<(), Refusal> {
        let mut durations: BTreeMap<_, (u64, Vec<u64>)> = BTreeMap::new();
        let mut unknown = Vec::new();
        for ((_, id), launch) in std::mem::take(&mut self.found) {
            let within = |refusal: Refusal| refusal.within(&format!("ID {id}"));
            let values = metrics::Values::of(&launch.metrics, self.locale, &mut recording.missing);
            let values = values.map_err(within)?;
            let name = recording.names.intern(&launch.name);
            let (count, times) = durations.entry(name).or_default();
            *count += 1;
            times.extend(values.duration_ns);
            match values.traffic() {
                Some(bytes) => match recording.traffic.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, most)) => *most = bytes.max(*most),
                    None => recording.traffic.push((name, bytes)),
                },
                None => unknown.push(name),
            }
            let gpu = values.gpu.or(values.sms.map(|_| String::new()));
            if let Some(name) = gpu {
                let gpu = Gpu {
                    name,
                    sms: values.sms,
                    device: None,
                    uuid: None,
                };
                if !recording.gpus.contains(&gpu) {
                    recording.gpus.push(gpu);
                }
            }
        }
        // A launch whose number is unknown may be the launch with the most traffic, and its time is unknown.
        for &name in &self.aside {
            unknown.push(name);
            let key = StreamKey::default();
            recording.open.push(OpenLaunch {
                name,
                key,
                call: None,
            });
        }
        // A damaged name may be the name of any kernel.
        if self.aside.iter().any(|name| !durations.contains_key(name)) {
            recording.traffic.clear();
        }
        // The launch without a value may be the launch with the most traffic.
        unknown.sort_unstable();
        recording
            .traffic
            .retain(|(name, _)| unknown.binary_search(name).is_err());
        for (name, (launches, mut times)) in durations {
            times.sort_unstable();
            // A page without the metric states no time at all.
            let timed = times.len() as u64;
            let open = if timed == 0 { 0 } else { launches - timed };
            let key = StreamKey::default();
            (0..open).for_each(|_| {
                recording.open.push(OpenLaunch {
                    name,
                    key,
                    call: None,
                })
            });
            recording.kernel_sums.push(KernelSum {
                name,
                launches: launches - open,
                total_ns: (timed > 0)
                    .then(|| times.iter().fold(0, |sum: u64, time| sum.saturating_add(*time))),
                min_ns: times.first().copied(),
                median_ns: times.get(times.len().saturating_sub(1) / 2).copied(),
                max_ns: times.last().copied(),
            });
        }
        Ok(())
    }
}

/// Details page: one row per launch and metric.
struct Details {
    metric: Option<usize>,
    unit: Option<usize>,
    value: Option<usize>,
    launches: Launches,
}

impl Report for Details {
    fn fewest_values(&self, _: usize) -> usize {
        self.value.map_or(0, |value| value + 1)
    }

    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let value = row.text(self.value).into_owned();
        match Metric::named(&row.text(self.metric).to_lowercase()) {
            Some(metric) => {
                let unit = row.text(self.unit).into_owned();
                self.launches.add(row, recording, metric, (value, unit))
            }
            None => {
                self.launches.locale.see(&value);
                self.launches.at(row, recording).map(drop)
            }
        }
    }

    fn set_aside(&mut self, row: &Row<'_>, recording: &mut Recording) {
        self.launches.set_aside(row, recording);
    }

    fn end(&mut self, recording: &mut Recording) -> Result<(), Refusal> {
        self.launches.end(recording)
    }
}

/// Raw page: a row of units, and then one row per launch.
struct Raw {
    units: Option<Vec<String>>,
    columns: Vec<(usize, Metric)>,
    launches: Launches,
}

impl Report for Raw {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let of_units = self.units.is_none() && row.text(self.launches.id).is_empty();
        if of_units {
            let units = self
                .columns
                .iter()
                .map(|&(index, _)| row.text(Some(index)).into_owned());
            self.units = Some(units.collect());
            return Ok(());
        }
        if self.launches.at(row, recording)?.is_none() {
            return Ok(());
        }
        for (position, &(index, metric)) in self.columns.iter().enumerate() {
            let unit = self.units.as_ref().and_then(|units| units.get(position));
            let unit = unit.cloned().unwrap_or_default();
            let value = row.text(Some(index)).into_owned();
            self.launches.add(row, recording, metric, (value, unit))?;
        }
        Ok(())
    }

    fn set_aside(&mut self, row: &Row<'_>, recording: &mut Recording) {
        self.launches.set_aside(row, recording);
    }

    fn end(&mut self, recording: &mut Recording) -> Result<(), Refusal> {
        self.launches.end(recording)
    }
}
