//! A run that simulates only one of several equal SMs gives the results of the full run, to the
//! byte.

mod random;
mod refusals;
mod without_memory;

use gpusched::gpu::Program;
use gpusched::gpu::gpu::{Failure, Launch, Results, Settings, run_equal_once, run_watched, stay_equal};
use gpusched::gpu::machine::Machine;
use gpusched::model::Scheduler;

/// All schedulers.
pub const SCHEDULERS: [Scheduler; 5] = [
    Scheduler::Lrr,
    Scheduler::Gto,
    Scheduler::Oldest,
    Scheduler::RtPaws,
    Scheduler::Qaws,
];

/// Returns a machine whose SMs hold blocks of several kernels, or of one kernel.
pub fn machine(name: &str, share_sms: bool) -> Machine {
    let mut shape = Machine::named(name).unwrap().into_shape();
    shape.dispatch.share_sms = share_sms;
    shape.dispatch.kernels = 8;
    Machine::new(shape).unwrap()
}

/// Returns the launch of `program` on all SMs.
pub fn launch(program: &Program) -> Launch {
    Launch::of_program(program).unwrap()
}

/// Returns settings with recorded issues and a cold L2.
pub fn settings(scheduler: Scheduler, sms: u32) -> Settings {
    Settings {
        scheduler,
        sms: Some(sms),
        record_issues: Some(usize::MAX),
        limit: 300_000,
        ..Settings::default()
    }
}

/// Runs `launches` with and without the shortcut for equal SMs, and compares the results. Returns
/// whether the shortcut was possible.
pub fn compare(machine: &Machine, launches: &[Launch], settings: &Settings) -> bool {
    let full = run_watched(machine, launches, settings, &mut |_| ());
    let once = run_equal_once(machine, launches, settings, &mut |_| ());
    let of = |results: &Result<Results, Failure>| match results {
        Ok(results) => format!("{:?} {:?} {:?}", results.kernels, results.stalls, results.blocks),
        Err(failure) => failure.to_string(),
    };
    assert!(
        full == once,
        "{settings:?}: {} instead of {}",
        of(&once),
        of(&full)
    );
    stay_equal(launches).is_ok()
}
