//! Assumptions of predictions for groups of kernels.

use super::basis::add;
use super::{Assumption, AssumptionId};
use crate::PredictionModel;

/// Returns the assumptions of predictions by `models`. A prediction is an estimate, so its error may have both signs.
pub fn of_predictions(models: impl IntoIterator<Item = PredictionModel>) -> Vec<Assumption> {
    let mut list = Vec::new();
    for model in models {
        let text = match model {
            PredictionModel::Fluid => {
                "Memory gives max-min fair shares of its effective bandwidth, and a kernel progresses in proportion to its share"
            }
            PredictionModel::Masola => "[Masola23] Eqs 1 to 17 as printed describe the GPU",
            PredictionModel::MasolaRepaired => {
                "[Masola23] Eqs 1 to 17 with measured times and penalties of at least 1 describe the GPU"
            }
            PredictionModel::MasolaPenalty => {
                "[Masola23] Eq. 8 with measured times and the penalty alone describes the GPU"
            }
            PredictionModel::Naive => {
                "A kernel takes at most 1.73 times its isolated time while other kernels run"
            }
        };
        add(
            &mut list,
            Some((AssumptionId::PredictionModel, format!("{text} (`{model}`)."))),
        );
    }
    for (id, text) in [
        (
            AssumptionId::IsolatedProfiles,
            "In isolation, each kernel takes the time and uses the bandwidth that its profile states for its SMs.",
        ),
        (
            AssumptionId::SmsReserved,
            "A mechanism outside gpusched, such as SM masks, reserves the SMs of each kernel for the kernel.",
        ),
        (
            AssumptionId::CommonStart,
            "All kernels of the group start at the same time. Each kernel runs once, and no other program uses the memory.",
        ),
    ] {
        add(&mut list, Some((id, text.to_owned())));
    }
    list
}
