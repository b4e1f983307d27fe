//! SMs where recorded thread blocks ran.

use std::collections::BTreeMap;
use std::path::Path;

use super::Input;
use super::columns::{Fault, Record};
use super::receiver::Receiver;
use gpusched_model::error::Result;

/// The SMs of the thread blocks in one file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Residency {
    /// Name of the file.
    pub file: String,
    /// SMs that executed at least one block.
    pub sms: BTreeMap<u32, Seen>,
    /// Number of blocks whose SM the file does not state.
    pub unknown: u64,
}

/// The blocks that ran on one SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Number of blocks.
    pub blocks: u64,
    /// Run and number of the first of these blocks in the file.
    pub first: (u64, u64),
}

impl Residency {
    /// Reads the file at `path`, in any format of a block trace. The file may contain several kernels.
    ///
    /// # Errors
    /// The errors of [`Input::read`].
    pub fn read(path: &Path) -> Result<Residency> {
        let mut found = Residency {
            file: path.display().to_string(),
            ..Residency::default()
        };
        Input::default().read(path, &mut found, &mut |_| ())?;
        Ok(found)
    }

    /// Number of blocks in the file.
    pub fn blocks(&self) -> u64 {
        let known = self.sms.values().map(|seen| seen.blocks);
        known.fold(self.unknown, u64::saturating_add)
    }
}

impl Receiver for Residency {
    fn mixes_kernels(&self) -> bool {
        true
    }

    fn take(&mut self, record: &Record, _: &Input<'_>) -> Result<(), Fault> {
        let number = |field, value: Option<u64>| {
            value.ok_or_else(|| Fault::new(field, "found none, expected a number"))
        };
        let first = (number("run", record.run)?, number("block", record.block)?);
        match record.sm {
            None => self.unknown += 1,
            Some(sm) => {
                let seen = self.sms.entry(sm).or_insert(Seen { blocks: 0, first });
                seen.blocks += 1;
            }
        }
        Ok(())
    }

    fn end_file(&mut self) -> Result<(), String> {
        Ok(())
    }
}
