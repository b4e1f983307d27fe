//! The inputs and the origin of a verdict on a system, and what the verdict does not cover.

use gpusched_model::counted;

use super::Input;
use crate::dossier::{self, Dossier};

/// Returns the inputs and the origin of the verdict, and what it does not cover.
pub(super) fn of(input: &Input<'_>) -> Dossier {
    let (draft, system) = (input.draft, input.system);
    let (result, identity) = match (input.plan, input.chosen) {
        (Some(plan), _) => ("plan", &plan.identity),
        (None, Some(chosen)) => ("result", &chosen.identity),
        (None, None) => ("verdict", &input.answer.identity),
    };
    let about = format!(
        "{}, {}",
        counted(draft.tasks.len(), "task"),
        counted(draft.chains.len(), "chain")
    );
    let mut inputs = vec![dossier::described("End-to-end system", draft, &about)];
    if let Some(digest) = identity
        .as_ref()
        .and_then(|identity| identity.device_sha256.clone())
    {
        inputs.push(("GPU", "the device of the option --gpu".to_owned(), digest));
    }
    let measured = "the file of a system states no measurements, so the origin of the WCETs is unknown";
    let measured = vec![("WCETs measured on".to_owned(), measured.to_owned())];
    let mut points = vec![
        "The numbers of the system. The proof takes WCETs, periods, deadlines and data sizes as they are stated.",
        "The GPU and its driver. Whether they create the partitions and follow the stated policies is a matter of measurement.",
    ];
    if system.memory().is_none() && input.answer.budgets.is_none() {
        points.push("Delays by memory traffic of other resources and of best-effort cores. The verdict counts no memory traffic.");
    }
    if input.answer.budgets.is_some() {
        points.push("The regulation of the best-effort cores. Whether the cores keep to the budgets is a matter of measurement.");
    }
    if system.overheads().is_none() {
        points.push("Overheads of launches and of dispatchers: the time from the release of a job to its launch, and from the launch to the start of the first block, unless the WCETs include them.");
    }
    if draft.copy_engines.iter().any(|engine| engine.bandwidth.is_some()) {
        points.push("The bandwidth of copy engines. The proof takes the time of each copy from its bytes and the stated bandwidths.");
    }
    if input.answer.budgets.is_some() {
        points.push("Delays by memory traffic of other resources than best-effort cores. The budgets count only these cores.");
    }
    points.extend([
        "Programs that are not in the system, such as interrupts, the display, and other processes on the cores and on the GPU.",
    ]);
    let unused = [
        (super::growth(input.answer).is_some(), "WCET margins"),
        (
            input.plan.is_some() || input.chosen.is_some(),
            "statistics of the search",
        ),
        (input.answer.budgets.is_some(), "curves and simulated runs"),
    ];
    let unused: Vec<&str> = unused
        .into_iter()
        .filter_map(|(shown, name)| shown.then_some(name))
        .collect();
    let mut points: Vec<String> = points.into_iter().map(str::to_owned).collect();
    if !unused.is_empty() {
        points.push(format!(
            "These numbers: {}. The proof does not use them.",
            unused.join(", ")
        ));
    }
    Dossier::new((result, identity.as_ref()), &inputs, measured, points)
}
