//! Converts task models of APP4MC (Amalthea, `.amxmi`) to end-to-end systems.
//!
//! A model describes hardware, tasks, stimuli, requirements and allocations. [`system()`] converts all tasks of the
//! model, with their segments on CPU cores, copy engines and the GPU. It follows the labels from sensors to actuators.
//! [`Imported`] lists the parts of the model that have no effect on the result.

mod activation;
mod hardware;
mod ignored;
mod mapping;
mod model;
mod quantity;
mod reference;
mod requirements;
mod software;
mod system;

use std::path::Path;

use crate::xml;
use gpusched_model::end_to_end::Draft;
use gpusched_model::error::Result;
pub use hardware::Gpu;
pub use ignored::Ignored;
use model::Model;
pub use quantity::{Frequency, rounded_down, rounded_up};
pub use system::{Flows, Options, Times, chains};

/// A system from a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The system.
    pub result: Draft,
    /// The GPU; `None` if no task uses a GPU.
    pub gpu: Option<Gpu>,
    /// Decisions of gpusched on points that the model leaves open.
    pub notes: Vec<String>,
    /// Assumptions about the model. If an assumption is false, the result does not describe the model, and a verdict
    /// may be unsafe.
    pub assumptions: Vec<String>,
    /// Contradictions in the model, each with the decision of gpusched.
    pub warnings: Vec<String>,
    /// Parts of the model without an effect on the result.
    pub ignored: Vec<Ignored>,
}

/// Reads the model at `path` and derives the end-to-end system of its tasks. The path `-` is standard input.
///
/// # Errors
/// Returns [`Error::Refused`](gpusched_model::error::Error::Refused) for a file that is not a model, for a model
/// without a necessary value, and for a model whose system would be too optimistic. Returns
/// [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read.
pub fn system(path: impl AsRef<Path>, options: &Options) -> Result<Imported> {
    let path = path.as_ref();
    let text = xml::read_text(path, "XML")?;
    let document = xml::parse(path, &text)?;
    let model = Model::new(path, &document)?;
    Ok(system::convert(path, &model, options)?)
}

/// Returns a warning if the file has a version whose structure may differ from the known structure.
fn version_warning(model: &Model<'_>) -> Option<String> {
    let version = model.version();
    let known = version.starts_with("1.") || version.starts_with("0.9.");
    (!known).then(|| format!("version {version:?} of the format is unknown; gpusched reads it as version 1"))
}
