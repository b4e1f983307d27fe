//! Metric that measures the execution time and the bandwidth of isolated kernels on several numbers of SMs. The metric
//! also computes the errors of [Masola23] Eqs 4 and 17. These equations predict from one measurement on all SMs.

use gpusched_model::Refusal;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bench::{Bench, IsolatedRun};
use super::{Files, Labels, Measure, Parameters, Row, errors};
use gpusched_analysis::prediction::masola;
use gpusched_model::MemoryProfile;
use gpusched_model::error::Result;
use gpusched_model::group::MemoryPlatform;
use gpusched_study::measures::limits::within;

/// Simulates each kernel of a run in isolation, on several numbers of SMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "MemoryProfilesCase"))]
pub struct MemoryProfilesParameters {
    /// Path of the file with the run. The file states the machine and the kernels.
    run: String,
    /// Numbers of SMs on which each kernel runs. gpusched also runs each kernel on all SMs of the machine.
    sms: Vec<u32>,
    /// Memory parameters of the platform, for the equations.
    #[serde(default)]
    platform: MemoryPlatform,
}

/// Kernels with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct MemoryProfiles {
    bench: Bench,
    sms: Vec<u32>,
    platform: MemoryPlatform,
}

impl Parameters for MemoryProfilesParameters {
    const NAME: &'static str = "memory-profiles";
    const KEYS: &'static [&'static str] = &["kernel", "sms", "model"];
    const PARTIAL: &'static [&'static str] = &["sms", "model"];
    type Measure = MemoryProfiles;

    fn prepare(self, files: &mut Files) -> Result<MemoryProfiles, Refusal> {
        let bench = Bench::read(files, &self.run)?;
        let all = bench.sms();
        let mut sms = self.sms;
        sms.iter().try_for_each(|&sms| within("sms", sms, 1..=all))?;
        sms.push(all);
        sms.sort_unstable();
        sms.dedup();
        super::groups::check(&self.platform, all)?;
        Ok(MemoryProfiles {
            bench,
            sms,
            platform: self.platform,
        })
    }
}

impl MemoryProfiles {
    fn table(&self, alone: &[Vec<IsolatedRun>]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (kernel, points) in alone.iter().enumerate() {
            rows.extend(self.kernel(kernel, points));
        }
        rows
    }

    fn kernel(&self, kernel: usize, points: &[IsolatedRun]) -> Vec<Row> {
        let Some(last) = points.last() else {
            return Vec::new();
        };
        let name = self.bench.name(kernel);
        let published = MemoryProfile::published(name);
        let platform = &self.platform;
        let all = last.l2 as f64 / 1e9;
        let u = masola::utilization(all, platform.bandwidth.as_f64());
        let s_p = masola::saturation_point(platform.l2_banks, platform.sms);
        let sat = masola::saturation(u, platform.alpha.as_f64(), s_p);
        let kai = masola::kai(last.instructions as f64, last.l2_accesses.max(1) as f64);
        let kia = published.as_ref().and_then(MemoryProfile::kai);
        let whole = Labels::of("kernel", name);
        let mut rows = vec![
            whole.decimal("utilization", u, ""),
            whole.decimal("KAI", kai, "").beside(kia.map(|kai| kai.as_f64())),
        ];
        for (&sms, alone) in self.sms.iter().zip(points) {
            let of = whole.clone().with("sms", sms);
            let bandwidth = alone.l2 as f64 / 1e9;
            let given = published.as_ref().and_then(|profile| profile.bandwidth(sms));
            let given = given.map(|given| given.as_f64());
            rows.push(of.row("time alone", alone.time, "ns"));
            rows.push(of.decimal("bandwidth", bandwidth, "GB/s").beside(given));
            rows.push(of.decimal("bandwidth at DRAM", alone.dram as f64 / 1e9, "GB/s"));
            let latency = masola::latency(last.time as f64, sat, platform.sms, kai, u, sms);
            let predicted = masola::bandwidth(all, sms, platform);
            let of_eq_17 = of.clone().with("model", "Eq. 17");
            rows.push(of_eq_17.decimal("predicted bandwidth", predicted, "GB/s"));
            for (model, predicted, found) in [
                ("Eq. 4", latency, alone.time as f64),
                ("Eq. 17", predicted, bandwidth),
            ] {
                rows.extend(errors(of.clone(), model, predicted, found.max(f64::MIN_POSITIVE)));
            }
        }
        rows
    }
}

impl Measure for MemoryProfiles {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let kernels = 0..self.bench.names().len();
        let alone = kernels.into_par_iter().map(|kernel| {
            let points = self.sms.par_iter().map(|&sms| self.bench.alone(kernel, sms));
            points.collect::<Result<Vec<IsolatedRun>>>()
        });
        Ok(self.table(&alone.collect::<Result<Vec<_>>>()?))
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let alone = vec![vec![IsolatedRun::SYNTHETIC; self.sms.len()]; self.bench.names().len()];
        Ok(self.table(&alone))
    }
}
