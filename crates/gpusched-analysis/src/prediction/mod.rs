//! Predictions of the execution times of co-running kernels that share one memory, from
//! measurements in isolation.
//!
//! A prediction is an estimate in floating-point numbers and not a bound, so verdicts never use
//! predictions. Five models compute a [`Prediction`], which contains the contribution of each
//! time window:
//!
//! | model | |
//! |---|---|
//! | [`masola`], as printed or in two repaired variants | [Masola23] Eqs 1–17 |
//! | [`fluid`] | max-min fair shares of bandwidth, a model of gpusched |
//! | [`naive`] | a constant slowdown of 73 % ([Masola23] §7.2) |

mod error;
pub mod fluid;
mod isolated;
pub mod masola;
pub mod naive;
mod result;

pub use crate::kernel_wcet::fit::classification::Class;
pub use error::PredictionError;
pub use isolated::{Isolated, SECTOR_BYTES};
pub use result::{KernelPrediction, Part, Prediction, Window};

use gpusched_model::group::Group;

pub use gpusched_model::PredictionModel as Model;

/// Predicts the execution times of the kernels of `group`, which all start at the same time.
///
/// # Errors
/// Returns a [`PredictionError`] if a profile is not yet loaded (see [`Group::resolved`]), or if
/// a profile lacks a value that `model` requires.
pub fn predict(model: Model, group: &Group) -> Result<Prediction, PredictionError> {
    let platform = group.platform();
    let alone = group.kernels().iter().enumerate().map(|(index, kernel)| {
        let profile = kernel.profile.profile().ok_or_else(|| PredictionError {
            kernel: index,
            field: "profile",
            found: "the name of a profile".to_owned(),
            expected: "the profile",
        })?;
        Ok(Isolated::new(
            kernel.name.as_deref(),
            kernel.sms,
            profile,
            platform,
        ))
    });
    let alone = alone.collect::<Result<Vec<Isolated>, _>>()?;
    match model {
        Model::Fluid => Ok(fluid::predict(&alone, platform)),
        Model::Naive => Ok(naive::predict(&alone)),
        Model::Masola => masola::predict(&alone, platform, masola::Variant::Printed),
        Model::MasolaRepaired => masola::predict(&alone, platform, masola::Variant::Repaired),
        Model::MasolaPenalty => masola::predict(&alone, platform, masola::Variant::Penalty),
    }
}
