//! Metric that computes nominal budgets. The nominal budget is the largest budget at which the slowdown of the kernel
//! is acceptable ([Aghilinasab20] §VII-C).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::variants::{Variant, variants};
use crate::measures::{Files, Measure, Parameters, Row, Splits};
use gpusched_analysis::bandwidth::nominal;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::{Factor, Kernel, Straddling};

/// Computes the nominal budget of a kernel and of its variants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "NominalCase"))]
pub struct NominalParameters {
    /// Path of the file with the kernel.
    kernel: String,
    /// Numbers of active blocks M, one for each variant. Default: `active_blocks` of the kernel.
    #[serde(default)]
    active_blocks: Option<Vec<u32>>,
    /// Splits of all blocks among the clusters. There is one split for each variant. Default: the numbers of blocks in
    /// the file.
    #[serde(default)]
    splits: Option<Splits>,
    /// Maximum acceptable slowdown (G(Q) − G(0))/G(0).
    #[serde(default = "tenth")]
    slowdown: Factor,
    /// Whether the kernel starts at the start of a regulation period. Default: false; the kernel may start at any time.
    #[serde(default)]
    sync: bool,
    /// Which blocks count as delayed, among the blocks that overlap memory time only in part. Memory time is the time
    /// when best-effort cores access memory. `end` selects the blocks at the end of each memory time. `both` also
    /// selects the blocks at the start of each memory time.
    #[serde(default)]
    straddling: Straddling,
    /// Published nominal budget of the kernel.
    #[serde(default)]
    published: Option<Factor>,
}

pub(in crate::measures) fn tenth() -> Factor {
    Factor::from_billionths(100_000_000).unwrap_or(Factor::ONE)
}

/// Checked parameters of this metric, ready to compute the nominal budgets.
#[derive(Debug)]
pub struct NominalBudgets {
    parameters: NominalParameters,
    variants: Vec<Variant>,
}

impl Parameters for NominalParameters {
    const NAME: &'static str = "nominal";
    const KEYS: &'static [&'static str] = &[
        "kernel",
        "active_blocks",
        "split",
        "slowdown",
        "sync",
        "straddling",
    ];
    type Measure = NominalBudgets;

    fn prepare(self, files: &mut Files) -> Result<NominalBudgets, Refusal> {
        let kernel: Kernel = files.read("kernel", &self.kernel)?;
        let variants = variants(&kernel, self.active_blocks.as_deref(), self.splits.as_ref(), 1)?;
        Ok(NominalBudgets {
            parameters: self,
            variants,
        })
    }
}

impl NominalBudgets {
    fn row(&self, variant: &Variant, q: Factor) -> Row {
        let parameters = &self.parameters;
        variant
            .labels()
            .with("slowdown", parameters.slowdown)
            .with("sync", parameters.sync)
            .with("straddling", parameters.straddling)
            .row("nominal_q", q, "share")
            .beside(parameters.published.map(Factor::as_f64))
    }
}

impl Measure for NominalBudgets {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let NominalParameters {
            slowdown,
            sync,
            straddling,
            ..
        } = self.parameters;
        let rows = self.variants.par_iter().map(|variant| {
            let found = nominal(&variant.kernel, slowdown, sync, straddling)?;
            Ok(self.row(variant, found.nominal_q))
        });
        rows.collect()
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let variants = self.variants.iter().zip(1..);
        let rows = variants.filter_map(|(variant, steps)| {
            let q = Factor::from_billionths(steps)?;
            Some(self.row(variant, q))
        });
        Ok(rows.collect())
    }
}
