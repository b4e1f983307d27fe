//! Signs in a recording that its jobs ran on another number of SMs than the user stated.

use serde::{Deserialize, Serialize};

/// A sign against the stated number of SMs of a recording. The number may be correct nevertheless, for example with masks of SMs.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SizeSign {
    /// The name of the file states another number of SMs, such as `detector_12sm.sqlite` for 4 SMs.
    FileName,
    /// The tasks run in several processes. Each can use the whole GPU, and the stated number is smaller.
    Processes,
    /// The file has a column for green contexts, but no kernel ran in one, and the stated number is smaller than the GPU.
    NoGreenContext,
}

impl SizeSign {
    /// Returns the sign as a part of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            SizeSign::FileName => "another size in a file name",
            SizeSign::Processes => "several processes",
            SizeSign::NoGreenContext => "no green context",
        }
    }
}
