//! The types of the file formats, from which the files in `schemas/` are generated.

use schemars::{Schema, schema_for};

use crate::plans::end_to_end;
use crate::{measure, predict, simulate, test, validate};
use gpusched_analysis::bandwidth::{BudgetResults, Nominal};
use gpusched_analysis::kernel_wcet::fit::scaling::Fit;
use gpusched_model::end_to_end::{Answer as EndToEndAnswer, ChosenBudgets, Draft, SystemPlan};
use gpusched_model::{
    Benchmarks, Bound, Device, Group, Kernel, MeasuredOverheads, MemoryProfile, Plan, Platform, Scenario,
    System, TaskSet, WarpScenario,
};
use gpusched_recording::audit::Audit;
use gpusched_recording::summary::Summary as RecordingSummary;
use gpusched_sim::blocks::Comparison;
use gpusched_sim::regulation::Summary;
use gpusched_sim::regulation::sequence::SequenceSummary;
use gpusched_study::{Findings, Provenance, Reasons, Shape};

/// A file format: its name, and a function that returns the schema of its type.
type Entry = (&'static str, fn() -> Schema);

/// The file formats of this crate.
#[rustfmt::skip] // a table
pub const TYPES: &[Entry] = &[
    ("task-set", || schema_for!(TaskSet)),
    ("verdict", || schema_for!(test::Response)),
    ("plan", || schema_for!(Plan)),
    ("overheads", || schema_for!(MeasuredOverheads)),
    ("end-to-end-system", || schema_for!(Draft)),
    ("end-to-end-verdict", || schema_for!(EndToEndAnswer)),
    ("end-to-end-plan", || schema_for!(SystemPlan)),
    ("end-to-end-simulation", || schema_for!(end_to_end::Simulation)),
    ("chosen-budgets", || schema_for!(ChosenBudgets)),
    ("kernel", || schema_for!(Kernel)),
    ("bound", || schema_for!(Bound)),
    ("nominal", || schema_for!(Nominal)),
    ("simulation", || schema_for!(Summary)),
    ("system", || schema_for!(System)),
    ("sequence", || schema_for!(SequenceSummary)),
    ("task-simulation", || schema_for!(simulate::Summary)),
    ("validation", || schema_for!(validate::Validation)),
    ("shared-validation", || schema_for!(validate::SharedValidation)),
    ("end-to-end-validation", || schema_for!(validate::EndToEndValidation)),
    ("recording-summary", || schema_for!(RecordingSummary)),
    ("recording-audit", || schema_for!(Audit)),
    ("scenario", || schema_for!(Scenario)),
    ("block-simulation", || schema_for!(simulate::Answer<'_>)),
    ("warp-scenario", || schema_for!(WarpScenario)),
    ("group", || schema_for!(Group)),
    ("memory-profile", || schema_for!(MemoryProfile)),
    ("prediction", || schema_for!(predict::Answer)),
    ("comparison", || schema_for!(Comparison)),
    ("study", || schema_for!(Shape)),
    ("reasons", || schema_for!(Reasons)),
    ("findings", || schema_for!(Findings)),
    ("provenance", || schema_for!(Provenance)),
    ("measurement", || schema_for!(measure::Measurement)),
    ("interference", || schema_for!(measure::Interference)),
    ("observations", || schema_for!(measure::Observations)),
    ("wcet-fit", || schema_for!(Fit)),
    ("benchmarks", || schema_for!(Benchmarks)),
    ("budget-results", || schema_for!(BudgetResults)),
    ("device", || schema_for!(Device)),
    ("platform", || schema_for!(Platform)),
];
