//! How long kernels take that run side by side before one memory, predicted from what each of them does alone.
//!
//! Predictions, not bounds: floats, and no verdict may rest on them. Four models give the same kind of [`Prediction`], with
//! what each window of time contributes:
//!
//! | model | |
//! |---|---|
//! | [`masola`], as printed or repaired | [Masola23] Eqs 1–17 |
//! | [`fluid`] | max-min fair sharing of bandwidth, ours |
//! | [`naive`] | a margin of 73 % ([Masola23] §7.2) |

mod error;
pub mod fluid;
mod isolated;
pub mod masola;
mod model;
pub mod naive;
mod result;

pub use crate::kernel_wcet::fit::classification::Class;
pub use error::PredictionError;
pub use isolated::{Isolated, SECTOR_BYTES};
pub use model::Model;
pub use result::{KernelPrediction, Part, Prediction, Window};

use gpusched_model::group::Group;

/// How long the kernels of `group` take together.
///
/// # Errors
/// [`PredictionError`] for a profile that is not there yet (see [`Group::resolved`]) or lacks what `model` needs.
pub fn predict(model: Model, group: &Group) -> Result<Prediction, PredictionError> {
    let platform = group.platform();
    let alone = group.kernels().iter().enumerate().map(|(index, kernel)| {
        let profile = kernel.profile.profile().ok_or_else(|| PredictionError {
            kernel: index,
            field: "profile",
            found: "a name".to_owned(),
            expected: "the profile itself",
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
    }
}
