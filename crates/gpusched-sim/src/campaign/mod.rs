//! Campaigns: validations that draw and check many random systems, on any number of threads and in several sessions.
//!
//! A [`Campaign`] states how to draw and check one system, and what to count. This module processes the systems in
//! chunks, and can write the results of each chunk to a checkpoint. The result does not depend on the order of the
//! chunks. [`shrink`] reduces a counterexample, and [`each`] also computes the chunks of studies.

mod checkpoint;
mod pieces;
mod shrink;

pub use checkpoint::Header;
pub use pieces::each;
pub use shrink::shrink;

use std::path::Path;

use gpusched_model::error::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Results of some systems. The results of one chunk are one line of the checkpoint.
pub trait Record: Serialize + DeserializeOwned + Send {
    /// Returns the number of the chunk, from 0.
    fn chunk(&self) -> u64;

    /// Adds the results of other systems. The order of the additions does not change the sums.
    fn add(&mut self, other: Self);
}

/// A campaign over the systems 0, 1, … of its header.
pub trait Campaign: Sync {
    /// Results of some systems.
    type Record: Record;

    /// Result of the campaign.
    type Report: Send;

    /// Number of systems in a chunk. The last chunk can have fewer systems.
    const CHUNK: u64;

    /// Returns the header of the checkpoint: the number of systems, and all parameters that determine the results.
    ///
    /// # Errors
    /// Fails if the parameters cannot be written.
    fn header(&self) -> Result<Header>;

    /// Returns the record of chunk `chunk`, without results.
    fn record(&self, chunk: u64) -> Self::Record;

    /// Draws system `index`, checks it, and adds the results to `record`.
    ///
    /// # Errors
    /// Fails if the system cannot be generated or checked.
    fn check(&self, index: u64, record: &mut Self::Record) -> Result<()>;

    /// Returns the result of the campaign from the results of all systems. Reduces a counterexample.
    ///
    /// # Errors
    /// Fails if the system of a counterexample cannot be generated or checked again.
    fn report(&self, all: Self::Record) -> Result<Self::Report>;

    /// Runs the campaign on the current threads of `rayon`. If there is a checkpoint at `path`, the campaign continues
    /// from the checkpoint. Calls `advanced` with the number of systems that were completed since the last call.
    ///
    /// # Errors
    /// Fails if a system cannot be generated or checked. Fails with [`Error::Io`](gpusched_model::error::Error::Io) or
    /// [`Error::Refused`](gpusched_model::error::Error::Refused) if the checkpoint cannot be used.
    fn run(&self, path: Option<&Path>, mut advanced: impl FnMut(u64) + Send) -> Result<Self::Report>
    where
        Self: Sized,
    {
        let header = self.header()?;
        let systems = |chunk: u64| {
            let end = |chunk: u64| chunk.saturating_mul(Self::CHUNK).min(header.systems);
            end(chunk)..end(chunk.saturating_add(1))
        };
        let mut all = self.record(0);
        let mut accept = |record: Self::Record| {
            let systems = systems(record.chunk());
            all.add(record);
            advanced(systems.end - systems.start);
        };
        let count = header.systems.div_ceil(Self::CHUNK);
        let mut done = vec![false; usize::try_from(count).unwrap_or(usize::MAX)];
        let mut journal = None;
        if let Some(path) = path {
            let (opened, records) = checkpoint::open::<Self::Record>(path, &header)?;
            journal = Some(opened);
            for record in records {
                let number = usize::try_from(record.chunk()).ok();
                if let Some(new @ false) = number.and_then(|number| done.get_mut(number)) {
                    *new = true;
                    accept(record);
                }
            }
        }
        let pending = (0..count).zip(done).filter(|(_, done)| !done);
        let pending: Vec<u64> = pending.map(|(chunk, _)| chunk).collect();
        let compute = |&chunk: &u64, _: &dyn Fn() -> bool| {
            let mut record = self.record(chunk);
            systems(chunk).try_for_each(|index| self.check(index, &mut record))?;
            Ok(Some(record))
        };
        each(&pending, compute, |record| {
            journal
                .as_mut()
                .map_or(Ok(()), |journal| journal.append(&record))?;
            accept(record);
            Ok(())
        })?;
        self.report(all)
    }
}
