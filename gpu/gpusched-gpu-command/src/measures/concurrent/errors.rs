//! Metric `side-by-side`. It computes execution times of concurrent kernels, and the errors of predictions that use
//! only isolated runs.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::{Bench, IsolatedRun, IsolatedRuns};
use super::blocks::Blocks;
use super::draw::{Drawn, Members, draw};
use super::{Labels, Measure, Row, errors};
use gpusched_analysis::prediction::{Model, predict};
use gpusched_model::Group;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::group::{GroupKernel, MemoryPlatform, ProfileSource};
use gpusched_model::streams::{Purpose, stream};
use gpusched_study::measures::statistics::ratio;

/// Level at which gpusched simulates groups of kernels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The simulation executes the instructions of all warps, cycle by cycle.
    #[default]
    Warps,
    /// The simulation executes thread blocks. The block times are from isolated runs at warp level.
    /// Blocks receive max-min fair shares of the memory bandwidth.
    Blocks,
}

impl Level {
    pub(super) fn is_default(&self) -> bool {
        *self == Level::default()
    }
}

/// Checked groups of kernels, ready for the simulation.
#[derive(Debug)]
pub struct SideBySide {
    pub(super) bench: Bench,
    pub(super) level: Level,
    pub(super) platform: MemoryPlatform,
    pub(super) dram: Option<MemoryPlatform>,
    pub(super) models: Vec<Model>,
    pub(super) groups: Vec<Members>,
    pub(super) drawn: Option<Drawn>,
}

impl SideBySide {
    fn members(&self, seed: u64) -> Vec<Members> {
        let Some(drawn) = &self.drawn else {
            return self.groups.clone();
        };
        let (kernels, sms) = (self.bench.names().len(), self.bench.sms());
        let one = |size: usize, index: u64| {
            let mut rng = stream(seed, Purpose::KernelGroups, size as u64, index);
            draw(&mut rng, kernels, size, &drawn.sms, sms)
        };
        let sizes = drawn.sizes.iter();
        sizes
            .flat_map(|&size| (0..drawn.groups).map(move |index| one(size, index)))
            .collect()
    }

    /// Returns the isolated runs that `groups` require: the kernel and the number of SMs of each run.
    fn needed(&self, groups: &[Members]) -> Vec<(usize, u32)> {
        let members = groups.iter().flatten();
        let mut needed: Vec<(usize, u32)> = members
            .flat_map(|&(kernel, sms)| [(kernel, sms), (kernel, self.bench.sms())])
            .collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// Returns the kernels `members` as a group for the prediction. Their memory profiles are from their isolated runs.
    fn group(
        &self,
        members: &Members,
        isolated: &IsolatedRuns,
        platform: MemoryPlatform,
        bandwidth: impl Fn(&IsolatedRun) -> u64,
    ) -> Result<Group> {
        let kernel = |&(kernel, sms): &(usize, u32)| {
            let mut numbers = vec![sms, self.bench.sms()];
            numbers.dedup();
            let points = numbers
                .into_iter()
                .filter_map(|sms| Some((sms, *isolated.get(&(kernel, sms))?)));
            let points: Vec<(u32, IsolatedRun)> = points.collect();
            let profile = self.bench.profile(kernel, &points, &bandwidth)?;
            Ok(GroupKernel {
                name: None,
                sms,
                profile: ProfileSource::Profile(Box::new(profile)),
            })
        };
        let kernels = members.iter().map(kernel).collect::<Result<Vec<GroupKernel>>>()?;
        Ok(Group::new(None, platform, kernels)?)
    }

    /// Returns the predicted execution times of each model, with the name of the model in the results.
    fn predictions(&self, members: &Members, isolated: &IsolatedRuns) -> Result<Vec<(String, Vec<f64>)>> {
        let mut found = Vec::new();
        let mut ask = |name: String, model: Model, group: &Group| -> Result<()> {
            let prediction = predict(model, group).map_err(|error| Refusal::told("", error))?;
            let times = prediction.kernels.iter().map(|kernel| kernel.predicted);
            found.push((name, times.collect()));
            Ok(())
        };
        let at_l2 = self.group(members, isolated, self.platform, |alone| alone.l2)?;
        for &model in &self.models {
            ask(model.to_string(), model, &at_l2)?;
        }
        if let Some(dram) = self.dram {
            let at_dram = self.group(members, isolated, dram, |alone| alone.dram)?;
            ask("fluid at DRAM".to_owned(), Model::Fluid, &at_dram)?;
        }
        Ok(found)
    }

    fn table(&self, groups: &[Members], isolated: &IsolatedRuns, together: &[Vec<u64>]) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (index, (members, times)) in groups.iter().zip(together).enumerate() {
            let predictions = self.predictions(members, isolated)?;
            for (position, (&(kernel, sms), &time)) in members.iter().zip(times).enumerate() {
                let of = Labels::of("group", index + 1)
                    .with("size", members.len())
                    .with("kernel", self.bench.name(kernel))
                    .with("sms", sms);
                let alone = isolated.get(&(kernel, sms)).map_or(1, |alone| alone.time).max(1);
                rows.push(of.row("time alone", alone, "ns"));
                rows.push(of.row("time together", time, "ns"));
                rows.push(of.decimal("slowdown", ratio(time, alone), ""));
                for (model, predicted) in &predictions {
                    let predicted = predicted.get(position).copied().unwrap_or(0.0);
                    rows.extend(errors(of.clone(), model, predicted, time.max(1) as f64));
                }
            }
        }
        if self.drawn.is_some() {
            rows.extend(means(&rows));
        }
        Ok(rows)
    }
}

/// For each model and each group size, returns the mean error over all groups of this size.
fn means(rows: &[Row]) -> Vec<Row> {
    let mut sums: BTreeMap<(String, String, &'static str), (f64, u32)> = BTreeMap::new();
    for row in rows {
        let quantity = match row.quantity {
            "error" => "mean error",
            "absolute error" => "mean absolute error",
            _ => continue,
        };
        let key = (row.key("size").to_owned(), row.key("model").to_owned(), quantity);
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + row.value.parse::<f64>().unwrap_or(0.0), sum.1 + 1);
    }
    let mean = |((size, model, quantity), (sum, count)): ((String, String, &'static str), (f64, u32))| {
        let of = Labels::of("size", size)
            .with("kernel", "all")
            .with("model", model);
        of.decimal(quantity, sum / f64::from(count), "share")
    };
    sums.into_iter().map(mean).collect()
}

impl Measure for SideBySide {
    fn rows(&self, seed: u64) -> Result<Vec<Row>> {
        let groups = self.members(seed);
        let needed = self.needed(&groups);
        let isolated = needed
            .par_iter()
            .map(|&key| Ok((key, self.bench.alone(key.0, key.1)?)));
        let isolated = isolated.collect::<Result<IsolatedRuns>>()?;
        let groups_with = |together: &(dyn Fn(&Members) -> Result<Vec<u64>> + Sync)| {
            let together = groups.par_iter().map(together);
            together.collect::<Result<Vec<Vec<u64>>>>()
        };
        match self.level {
            Level::Warps => {
                let together = groups_with(&|members| self.bench.together(members))?;
                self.table(&groups, &isolated, &together)
            }
            Level::Blocks => {
                let blocks = Blocks::new(&self.bench, &isolated, &self.platform);
                let together = groups_with(&|members| blocks.together(members))?;
                self.table(&groups, &blocks.isolated()?, &together)
            }
        }
    }

    fn outline(&self, seed: u64) -> Result<Vec<Row>> {
        let groups = self.members(seed);
        let isolated = self
            .needed(&groups)
            .into_iter()
            .map(|key| (key, IsolatedRun::SYNTHETIC))
            .collect();
        let together: Vec<Vec<u64>> = groups.iter().map(|members| vec![1000; members.len()]).collect();
        self.table(&groups, &isolated, &together)
    }
}
