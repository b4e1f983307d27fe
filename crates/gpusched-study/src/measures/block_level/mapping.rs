//! Metric that compares an equation with a simulation. Both state whether two blocks of different streams run on the
//! same SM ([Sanudo20] Tables II to IV).

use serde::{Deserialize, Serialize};

use super::placement::{long, run};
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::scenario::{Device, Launch, ScenarioShape};

/// Maximum number of warps of one block.
const MAX_WARPS: u32 = 32;

/// Simulates two kernels with one block each. The first block has x warps, and the second block has
/// y warps. The metric covers all x and y up to 32.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "MappingCase"))]
pub struct MappingParameters {
    /// Simulated GPU on which the kernels run.
    platform: Device,
    /// Number of the equation (2, 3 or 4) that predicts whether both blocks run on the same SM.
    equation: u32,
    /// Smallest and largest z, the number of warps per block of an additional kernel. This kernel is launched before
    /// the other two kernels. With Eq. 3, the additional kernel has one block on each SM. With Eq. 4, the additional
    /// kernel has one block on each SM except one. With Eq. 4, the metric counts only those values of x for which the
    /// first block runs on the free SM. Absent with Eq. 2.
    #[serde(default)]
    before: Option<[u32; 2]>,
    /// Whether the result has one row for each pair of x and y. Default: false. Then the result has one row for each
    /// quantity and z.
    #[serde(default)]
    list: bool,
}

/// Pairs of blocks with checked parameters, ready for the simulation.
#[derive(Debug)]
pub struct Mapping {
    parameters: MappingParameters,
}

impl Parameters for MappingParameters {
    const NAME: &'static str = "mapping";
    const KEYS: &'static [&'static str] = &["equation", "warps", "z", "x", "y"];
    type Measure = Mapping;

    fn prepare(self, _files: &mut Files) -> Result<Mapping, Refusal> {
        let found = |field: &str, found: String, expected: &str| Err(Refusal::new(field, found, expected));
        if !(2..=4).contains(&self.equation) {
            return found("equation", self.equation.to_string(), "2, 3 or 4");
        }
        if self.platform.shape().sms < 2 {
            return found("platform", "1 SM".to_owned(), "at least 2 SMs");
        }
        let warps = self.platform.shape().threads_per_sm / 32;
        match (self.equation, self.before) {
            (2, None) => {}
            (2, Some(before)) => {
                return found("before", format!("{before:?}"), "no field `before` for Eq. 2");
            }
            (_, None) => {
                return found(
                    "before",
                    "none".to_owned(),
                    "two numbers, the smallest and the largest number of warps z",
                );
            }
            (equation, Some([from, to])) => {
                let least = u32::from(equation == 4);
                if from < least || from > to || to > MAX_WARPS.min(warps) {
                    return found(
                        "before",
                        format!("{from} to {to}"),
                        "two ascending numbers of warps",
                    );
                }
            }
        }
        Ok(Mapping { parameters: self })
    }
}

impl Mapping {
    /// Returns mw, the maximum number of warps on an SM.
    fn warps(&self) -> u32 {
        self.parameters.platform.shape().threads_per_sm / 32
    }

    /// Returns the SM of the first block of each kernel. `kernels` states the number of blocks and the number of warps of
    /// each kernel.
    fn place(&self, kernels: &[(u32, u32)]) -> Result<Vec<u32>> {
        let launches = (0..).zip(kernels);
        let launches =
            launches.map(|(stream, &(blocks, warps))| Launch::new(stream, blocks, 32 * warps, long()));
        let shape = ScenarioShape::new(self.parameters.platform.clone(), launches.collect());
        let blocks = run(shape, 1)?.blocks.into_iter();
        let firsts = blocks.filter(|block| block.block == 0);
        Ok(firsts.map(|block| block.sm).collect())
    }

    /// Returns whether the equation predicts that both blocks run on the same SM.
    fn predicted(&self, z: u32, x: u32, y: u32) -> bool {
        let mw = self.warps();
        match self.parameters.equation {
            2 => mw - x >= ((mw - y) / y + 1) * y,
            3 => (mw - z) - x >= ((mw - z - y) / y + 1) * y,
            _ => {
                let filled = (mw - x) / y * y;
                mw - z < filled && filled <= mw - x
            }
        }
    }

    /// Returns every pair of x and y, with a flag that is true if both blocks run on the same SM.
    fn pairs(&self, z: u32) -> Result<Vec<(u32, u32, bool)>> {
        let (mw, sms) = (self.warps(), self.parameters.platform.shape().sms);
        let before = match self.parameters.equation {
            4 => Some((sms - 1, z)),
            _ => (z > 0).then_some((sms, z)),
        };
        let mut pairs = Vec::new();
        for x in 1..=MAX_WARPS.min(mw) {
            let with =
                |more: &[(u32, u32)]| -> Vec<(u32, u32)> { before.iter().chain(more).copied().collect() };
            if self.parameters.equation == 4 {
                // Only the last SM of the SM order has no block. The metric ignores values of x
                // whose block runs on another SM.
                let order = self.parameters.platform.shape().sm_order.of(sms);
                if self.place(&with(&[(1, x)]))?.last() != order.last() {
                    continue;
                }
            }
            let room = match self.parameters.equation {
                4 => mw - x,
                _ => mw.saturating_sub(x + z),
            };
            for y in 1..=MAX_WARPS.min(room) {
                let found = self.place(&with(&[(1, x), (1, y)]))?;
                let same = matches!(found.as_slice(), [.., first, second] if first == second);
                pairs.push((x, y, same));
            }
        }
        Ok(pairs)
    }
}

impl Measure for Mapping {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let [from, to] = self.parameters.before.unwrap_or([0, 0]);
        let mut rows = Vec::new();
        for z in from..=to {
            let of = Labels::of("equation", self.parameters.equation)
                .with("warps", self.warps())
                .with("z", z);
            let pairs = self.pairs(z)?;
            if self.parameters.list {
                rows.extend(pairs.iter().map(|&(x, y, same)| {
                    let predicted = f64::from(u8::from(self.predicted(z, x, y)));
                    let of = of.clone().with("x", x).with("y", y);
                    of.row("same SM", u8::from(same), "").beside(Some(predicted))
                }));
                continue;
            }
            let same = pairs.iter().filter(|(.., same)| *same).count();
            let wrong = pairs
                .iter()
                .filter(|&&(x, y, same)| same != self.predicted(z, x, y))
                .count();
            let of = of.with("x", "all").with("y", "all");
            rows.push(of.row("pairs", pairs.len(), ""));
            rows.push(of.row("pairs on the same SM", same, ""));
            rows.push(of.row("pairs against the equation", wrong, "").beside(Some(0.0)));
        }
        Ok(rows)
    }
}
