//! Parameters of generated task sets, for command-line options and studies.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::periods::Periods;
use super::times::{MAX_BLOCKS, deadline};
use super::traffic::MAX_SATURATION;
use gpusched_model::Refusal;
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Scaling};
use gpusched_model::{Factor, Kind};

/// Parameters of generated task sets. In a study file, the table `generator` contains these
/// parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Recipe {
    /// Algorithm that divides the total utilization among the tasks.
    pub generator: Generator,
    /// Largest utilization of one task. If absent, the utilization of a task has no limit, as in [Singh21].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub cap: Option<f64>,
    /// Distribution of the periods of the tasks.
    pub periods: Periods,
    /// Form of the WCET functions.
    pub wcet: WcetModel,
    /// prm: probability that a task is memory-intensive.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub memory_share: f64,
    /// D/T: deadline divided by period; > 0.
    pub deadline: Distribution,
    /// J/T: release jitter divided by period, less than D/T. If absent, tasks have no jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Distribution>,
    /// β of compute-intensive kernels: serial fraction. Default: 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_serial: Option<Distribution>,
    /// β of memory-intensive kernels: serial fraction. Default: 0.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_serial: Option<Distribution>,
    /// k of compute-intensive kernels: WCET in conflict divided by isolated WCET; at least 1. Default: 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_conflict: Option<Distribution>,
    /// k of memory-intensive kernels: WCET in conflict divided by isolated WCET; at least 1. Default: 2.3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_conflict: Option<Distribution>,
    /// N: number of equal thread blocks of each kernel, divided by the number of blocks that one SM runs at a time. The field
    /// `block` of each task is ⌈C(1)/N⌉, where C(1) is the WCET in conflict. If absent, the tasks have no `block`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_BLOCKS)))]
    pub blocks: Option<u32>,
    /// Number of SMs on which a memory-intensive kernel uses the full bandwidth of a memory of
    /// 100 GB/s. This number determines the fields `traffic` and `bandwidth` of the tasks. If
    /// absent, the tasks lack these fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SATURATION)))]
    pub saturation: Option<u32>,
}

/// Algorithm that divides a total utilization among tasks. Both algorithms draw uniformly from
/// all vectors of utilizations up to the cap.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Generator {
    /// UUniFast, which discards vectors with a share above the cap (Bini & Buttazzo; Davis & Burns).
    #[default]
    UunifastDiscard,
    /// RandFixedSum, which discards no vector and permits every cap (Stafford; Emberson, Stafford & Davis).
    Randfixedsum,
}

/// Form of the WCET functions. C(m) is the WCET on m SMs, a is the work, and β is the serial fraction. In isolation, the
/// factor k is 1. The recipe states β, and the factor k in conflict, for compute-intensive and for memory-intensive
/// kernels.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum WcetModel {
    /// C(m) = k·(a/m + β·a), [Singh21] §3.6.1 as printed.
    #[default]
    Amdahl,
    /// C(m) = k·a·(1 + β)/m, a second interpretation of [Singh21] §3.6.
    Proportional,
}

/// Returns a decimal parameter of [Singh21] §3.6.1 from its value in billionths.
const fn decimal(billionths: u64) -> Factor {
    match Factor::from_billionths(billionths) {
        Some(factor) => factor,
        None => unreachable!(), // the compiler evaluates this function
    }
}

impl Default for Recipe {
    /// Returns the recipe of [Singh21] §3.6.1.
    fn default() -> Recipe {
        const DEADLINE: Factor = decimal(750_000_000);
        Recipe {
            generator: Generator::default(),
            cap: None,
            periods: Periods::default(),
            wcet: WcetModel::default(),
            memory_share: 0.5,
            deadline: Distribution::Constant(DEADLINE),
            jitter: None,
            compute_serial: None,
            memory_serial: None,
            compute_conflict: None,
            memory_conflict: None,
            blocks: None,
            saturation: None,
        }
    }
}

impl Recipe {
    /// Checks each field.
    ///
    /// # Errors
    /// Returns the [`Refusal`] of the first invalid field.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(cap) = self.cap
            && !(cap > 0.0 && cap.is_normal())
        {
            let found = format!("{cap:?}");
            return Err(Refusal::new("cap", found, "a finite number above 0, or no value"));
        }
        if !self.periods.is_valid() {
            let expected = "a range 0 < MIN <= MAX below 2^63 ns, or a list of such times";
            return Err(Refusal::new("periods", &self.periods, expected));
        }
        if !(0.0..=1.0).contains(&self.memory_share) {
            let found = format!("{:?}", self.memory_share);
            return Err(Refusal::new("memory-share", found, "a probability from 0 to 1"));
        }
        if self.deadline.min() == Factor::ZERO {
            return Err(Refusal::new("deadline", self.deadline, "factors above 0"));
        }
        let longest = self.periods.longest();
        if deadline(self.deadline.max(), longest).is_none() {
            let expected =
                format!("a factor that gives a deadline below 2^63 ns for the longest period, {longest}");
            return Err(Refusal::new("deadline", self.deadline, expected));
        }
        if let Some(jitter) = self.jitter
            && jitter.max() >= self.deadline.min()
        {
            let expected = format!(
                "a factor below the deadline factor {}, because a release must precede its deadline",
                self.deadline.min()
            );
            return Err(Refusal::new("jitter", jitter, expected));
        }
        let conflicts = [
            ("compute-conflict", self.compute_conflict),
            ("memory-conflict", self.memory_conflict),
        ];
        for (field, conflict) in conflicts {
            if let Some(conflict) = conflict.filter(|conflict| conflict.min() < Factor::ONE) {
                return Err(Refusal::new(field, conflict, "factors of at least 1"));
            }
        }
        if let Some(saturation) = self.saturation
            && !(1..=MAX_SATURATION).contains(&saturation)
        {
            let expected = format!("from 1 to {MAX_SATURATION} SMs, or no value");
            return Err(Refusal::new("saturation", saturation, expected));
        }
        self.blocks.map_or(Ok(()), check_blocks)
    }
}

/// Checks the number of thread blocks of a kernel.
pub fn check_blocks(blocks: u32) -> Result<(), Refusal> {
    match blocks {
        1..=MAX_BLOCKS => Ok(()),
        _ => Err(Refusal::new(
            "blocks",
            blocks,
            format!("from 1 to {MAX_BLOCKS} thread blocks, or no value"),
        )),
    }
}

impl Recipe {
    /// Draws the WCET function of a kernel of `kind` with work a. If β and k are constant, the function reads no word of
    /// `rng`.
    pub(super) fn form(&self, kind: Kind, work: Time, rng: &mut impl Rng) -> Form {
        let (serial, conflict) = match kind {
            Kind::Compute => (self.compute_serial, self.compute_conflict),
            Kind::Memory => (self.memory_serial, self.memory_conflict),
        };
        let usual = usual(kind);
        let serial = serial.map_or(usual.0, |serial| serial.draw(rng));
        let conflict = conflict.map_or(usual.1, |conflict| conflict.draw(rng));
        self.wcet.of(work, (serial, conflict))
    }
}

/// Returns β and k of kernels of `kind` ([Singh21] §3.6.1).
fn usual(kind: Kind) -> (Factor, Factor) {
    const COMPUTE: (Factor, Factor) = (decimal(20_000_000), decimal(1_200_000_000));
    const MEMORY: (Factor, Factor) = (decimal(100_000_000), decimal(2_300_000_000));
    match kind {
        Kind::Compute => COMPUTE,
        Kind::Memory => MEMORY,
    }
}

impl WcetModel {
    /// Returns the WCET function of a kernel of `kind` with work a, and with β and k of [Singh21].
    pub fn form(self, kind: Kind, work: Time) -> Form {
        self.of(work, usual(kind))
    }

    fn of(self, work: Time, (serial, conflict): (Factor, Factor)) -> Form {
        let scaling = Scaling {
            work,
            serial,
            conflict: Some(conflict),
        };
        match self {
            WcetModel::Amdahl => Form::Amdahl(scaling),
            WcetModel::Proportional => Form::Proportional(scaling),
        }
    }
}
