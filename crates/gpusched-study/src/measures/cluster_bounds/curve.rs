//! Metric that computes the WCET bound G of a kernel as a function of Q, the memory bandwidth budget of best-effort
//! cores ([Aghilinasab20] Fig. 2).

use serde::{Deserialize, Serialize};

use super::variants::{Variant, variants};
use crate::definition::axis::Values;
use crate::measures::{Files, Measure, Parameters, Row, Splits};
use gpusched_analysis::kernel_wcet::{Estimator, curve};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel, Straddling};

/// Computes the WCET bound of a kernel and of its variants, for many budgets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "CurveCase"))]
pub struct CurveParameters {
    /// Path of the file with the kernel.
    kernel: String,
    /// Numbers of active blocks M, one for each variant. Default: `active_blocks` of the kernel.
    #[serde(default)]
    active_blocks: Option<Vec<u32>>,
    /// Splits of all blocks among the clusters. There is one split for each variant. Default: the numbers of blocks in
    /// the file.
    #[serde(default)]
    splits: Option<Splits>,
    /// Memory bandwidth budgets Q, each from 0 to 1.
    budgets: Values,
    /// Whether the kernel starts at the start of a regulation period. Default: false; the kernel may start at any time.
    #[serde(default)]
    sync: bool,
    /// Which blocks count as delayed, among the blocks that overlap memory time only in part. Memory time is the time
    /// when best-effort cores access memory. `end` selects the blocks at the end of each memory time. `both` also
    /// selects the blocks at the start of each memory time.
    #[serde(default)]
    straddling: Straddling,
}

/// Checked parameters of this metric, ready to compute the curves of the WCET bound.
#[derive(Debug)]
pub struct Curves {
    parameters: CurveParameters,
    variants: Vec<Variant>,
}

impl Parameters for CurveParameters {
    const NAME: &'static str = "curve";
    const KEYS: &'static [&'static str] = &["kernel", "active_blocks", "split", "q", "sync", "straddling"];
    type Measure = Curves;

    fn prepare(self, files: &mut Files) -> Result<Curves, Refusal> {
        let kernel: Kernel = files.read("kernel", &self.kernel)?;
        let budgets = self.budgets.as_slice();
        if let Some(q) = budgets.iter().find(|&&q| q > Factor::ONE) {
            return Err(Refusal::new("budgets", q, "budgets from 0 to 1"));
        }
        let rows = 2 * budgets.len();
        let variants = variants(&kernel, self.active_blocks.as_deref(), self.splits.as_ref(), rows)?;
        Ok(Curves {
            parameters: self,
            variants,
        })
    }
}

impl Curves {
    /// Returns the two rows of one budget. They contain the WCET and the slowdown.
    fn point(&self, variant: &Variant, q: Factor, wcet: Time, slowdown: f64) -> [Row; 2] {
        let of = variant.labels().with("q", q).with("sync", self.parameters.sync);
        let of = of.with("straddling", self.parameters.straddling);
        [
            of.milliseconds("wcet", wcet),
            of.decimal("slowdown", slowdown, "share"),
        ]
    }
}

impl Measure for Curves {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let CurveParameters {
            ref budgets,
            sync,
            straddling,
            ..
        } = self.parameters;
        let mut rows = Vec::new();
        for variant in &self.variants {
            let estimator = Estimator::new(&variant.kernel).straddling(straddling);
            let points = curve(&estimator, budgets.as_slice(), sync)?;
            for point in points {
                rows.extend(self.point(variant, point.bound.q, point.bound.wcet_ns, point.slowdown));
            }
        }
        Ok(rows)
    }

    fn outline(&self, _seed: u64) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for variant in &self.variants {
            for (&q, step) in self.parameters.budgets.as_slice().iter().zip(1u32..) {
                rows.extend(self.point(variant, q, Time::from_ns(step.into()), step.into()));
            }
        }
        Ok(rows)
    }
}
