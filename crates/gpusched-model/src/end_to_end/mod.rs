//! End-to-end systems: tasks, and chains of these tasks. The jobs of a task use CPU cores, copy engines and GPU
//! partitions one after another. Each task is a list of [segments](Segment).
//!
//! A [`Draft`] is the system as a file states it. A [`System`] is a draft with known partition sizes. In a [`System`],
//! every segment has a WCET, and every name is resolved. `gpusched test`, `simulate`, `verify` and `partition` read
//! drafts.

mod bounds;
mod budgets;
mod chain;
mod draft;
mod environment;
mod overheads;
mod premises;
mod resource;
mod scope;
mod segment;
mod system;
mod task;
mod time_shared;

pub use bounds::{
    Analysis, Answer, Bounds, ChainBound, Evidence, Hop, Method, PlannedPartition, Scaling, Stage,
    SystemPlan, TaskAnswer, TaskBounds, planned,
};
pub use budgets::{
    BudgetEvidence, BudgetedSegment, BudgetsDraft, ChosenBudgets, ChosenGroup, Group, Grouping, KindBudgets,
    NextBudget, Profile, SegmentTimes, burst, share,
};
pub use chain::{Chain, ChainDraft, Communication};
pub use draft::Draft;
pub use environment::Environment;
pub use resource::{
    Context, ContextDraft, CopyEngine, Core, CorePolicy, DraftPolicy, EnginePolicy, Idle, Partition,
    PartitionDraft, PartitionPolicy, Resource, TimeSlices,
};
pub use segment::{Segment, SegmentDraft};
pub use system::System;
pub use task::{Alternative, Arrivals, Jobs, Task, TaskDraft, Wait};
pub use time_shared::TimeShares;
