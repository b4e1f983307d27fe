//! Data model of the analysis: platforms, tasks, WCET functions, task sets and results. The crate
//! validates the data and contains no analysis algorithms.

pub mod device;
pub mod end_to_end;
mod files;
pub mod interrupt;
mod kernels;
mod messages;
mod numbers;
pub mod platform;
mod policies;
mod results;
mod runs;
pub mod syntax;
mod tasks;

pub use files::{artifact, journal, reader, spreadsheet, task_table};
pub use kernels::{benchmark, kernel, memory_profile};
pub use messages::{counted::counted, error};
pub use numbers::{knapsack, normal, quotient, streams, time, utilization};
pub use policies::policy;
pub use results::{assumptions, identity, plan, verdict};
pub use runs::{group, observer, scenario, system, warp_scenario};
pub use tasks::{overheads, provenance, traffic, wcet};

pub use benchmark::{Benchmark, Benchmarks};
pub use device::Device;
pub use group::Group;
pub use identity::Identity;
pub use kernel::{Cluster, Kernel};
pub use memory_profile::MemoryProfile;
pub use messages::refusal::Refusal;
pub use numbers::factor::{Factor, ParseFactorError};
pub use numbers::ratio::{ParseRatioError, Ratio};
pub use observer::Observer;
pub use overheads::{MeasuredOverheads, Overheads, OverheadsOrigin, OverheadsSource};
pub use plan::{Partition, Plan};
pub use platform::Platform;
pub use policies::budget_policy::BudgetPolicy;
pub use policies::interference::Interference;
pub use policies::prediction_model::PredictionModel;
pub use policies::scheduler::{Scheduler, UnknownScheduler};
pub use policies::sm_order::SmOrder;
pub use policy::Policy;
pub use reader::TaskSets;
pub use results::bound::{Bound, Certificate, Straddling};
pub use results::estimated::Estimated;
pub use scenario::Scenario;
pub use system::{KernelTask, System};
pub use tasks::provenance::{MeasuredOn, WarmUp};
pub use tasks::task::{Kind, Task, TaskError, TaskShape};
pub use tasks::task_set::{EmptyTaskSet, TaskSet, Times};
pub use traffic::{
    Arbitration, Bandwidth, Bytes, MemoryRates, MemoryTime, OtherTraffic, Peak, RateForm, Sectors,
    SharedMemory,
};
pub use utilization::Utilization;
pub use verdict::{Evidence, Verdict};
pub use warp_scenario::WarpScenario;
pub use wcet::{Contention, WcetFunction};
