//! Conversion of all logs of one run to a scenario.

use std::collections::BTreeMap;

use super::{Execution, Log};
use gpusched_model::Scenario;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::scenario::{
    Application, ApplicationPriority, BlockTime, BlockTimeForm, Device, Launch, ScenarioShape, Stream,
    StreamPriority,
};
use gpusched_model::time::Time;

/// Time at which a kernel counts as submitted.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum LaunchTime {
    /// Time at which the launch call returned. Among the logged times, this time is closest to the arrival at the GPU.
    #[default]
    Returned,
    /// Start of the launch call.
    Called,
}

/// A run as a scenario, together with the measured executions.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// Scenario with the submitted kernels and the measured times of their blocks.
    pub scenario: Scenario,
    /// Measured executions, in the order of the kernels of the scenario.
    pub executions: Vec<Execution>,
}

/// Converts the run in `logs` to a scenario on `device`. Messages use `name` as the name of the device.
///
/// Each log becomes a stream, and each process becomes an application. The scenario contains the unchanged times of the
/// logs. The conversion ignores copies.
///
/// # Errors
/// Returns [`Error::Refused`] if the logs belong to different runs, if a thread occurs twice, or if the run is
/// impossible on the device.
pub fn import(logs: &[Log], device: &Device, name: &str, launched: LaunchTime) -> Result<Imported> {
    let figures = device.shape();
    let Some(first) = logs.first() else {
        return Err(Error::parameter("", "no log", "at least one"));
    };
    let mut processes: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut applications, mut kernels, mut executions) = (Vec::new(), Vec::new(), Vec::new());
    for (stream, log) in logs.iter().enumerate() {
        let refuse = |field: &str, message| refuse(&log.file, field, message);
        if log.scenario != first.scenario {
            let short = |name: &str| name.chars().take(40).collect::<String>();
            let message = format!(
                "found {:?}, expected {:?} as in {}",
                short(&log.scenario),
                short(&first.scenario),
                first.file
            );
            return Err(refuse("scenario_name", message));
        }
        let earlier = logs.iter().take(stream);
        if let Some(twin) =
            { earlier }.find(|other| (other.process, other.thread) == (log.process, log.thread))
        {
            let message = format!(
                "found {}, which is also in {}: is a log given twice?",
                log.thread, twin.file
            );
            return Err(refuse("TID", message));
        }
        let resident = u64::from(figures.sms) * u64::from(figures.threads_per_sm);
        let found = log.resident_threads;
        if found != resident {
            let message = format!("found {found}, expected {resident} as on {name}: is it another GPU?");
            return Err(refuse("max_resident_threads", message));
        }
        let application = *processes.entry(log.process).or_insert_with(|| {
            applications.push(Application {
                name: Some(format!("process {}", log.process)),
                timeslice: Application::TIMESLICE,
                priority: ApplicationPriority::Low,
            });
            applications.len() - 1
        });
        for execution in &log.executions {
            if let Some(block) = execution.blocks.iter().find(|block| block.sm >= figures.sms) {
                let message = format!(
                    "found {}, expected a number below {} as on {name}",
                    block.sm, figures.sms
                );
                return Err(refuse("block_smids", message));
            }
            kernels.push(launch(log, execution, application, stream, launched));
            executions.push(execution.clone());
        }
    }
    if applications.len() == 1 {
        applications.clear();
    }
    let shape = ScenarioShape {
        name: Some(first.scenario.clone()).filter(|name| !name.is_empty()),
        platform: device.clone(),
        block_scheduler: Default::default(),
        applications,
        switch: Default::default(),
        interference: Default::default(),
        cpu: None,
        kernels,
        copies: Vec::new(),
    };
    let scenario =
        Scenario::new(shape).map_err(|refusal| refusal.and(&format!(", on {name}")).at(&first.file, None))?;
    Ok(Imported { scenario, executions })
}

fn refuse(file: &str, field: &str, message: String) -> Error {
    Refusal::told(field, message).at(file, None).into()
}

fn launch(
    log: &Log,
    execution: &Execution,
    application: usize,
    stream: usize,
    launched: LaunchTime,
) -> Launch {
    let times: Vec<Time> = execution.blocks.iter().map(|block| block.duration()).collect();
    let fixed = times
        .first()
        .copied()
        .filter(|first| times.iter().all(|time| time == first));
    Launch {
        name: Some(match &log.label {
            Some(label) => format!("{label}: {}", execution.kernel),
            None => execution.kernel.clone(),
        }),
        application,
        stream: Stream::Numbered(u32::try_from(stream).unwrap_or(u32::MAX)),
        priority: StreamPriority::default(),
        blocks: u32::try_from(execution.blocks.len()).unwrap_or(u32::MAX),
        threads: execution.threads,
        registers: 0,
        shared_memory: execution.shared_memory,
        cache: None,
        sms: None,
        launch: match launched {
            LaunchTime::Returned => execution.returned.unwrap_or(execution.called),
            LaunchTime::Called => execution.called,
        },
        block_time: match fixed {
            Some(time) => BlockTime::Fixed(time),
            None => BlockTime::Form(Box::new(BlockTimeForm::Times(times))),
        },
        memory_share: None,
        bandwidth: 0,
    }
}
