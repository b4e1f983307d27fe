//! The last plan of a search for which the hardware has a placement. A later plan with fewer SMs
//! may have no placement.

use crate::partitioning::problem::Problem;

/// Keeps the last plan that has a placement. If partitions always have a placement, keeps no plan.
pub(crate) struct LastPlaced<'p, P> {
    problem: &'p Problem<'p>,
    /// Function that returns the allocation units of a part.
    shares: fn(&P) -> u32,
    last: Option<Vec<P>>,
}

impl<'p, P: Clone> LastPlaced<'p, P> {
    pub fn new(problem: &'p Problem<'p>, shares: fn(&P) -> u32) -> LastPlaced<'p, P> {
        LastPlaced {
            problem,
            shares,
            last: None,
        }
    }

    /// Records `parts`, the current plan of the search, if they have a placement.
    pub fn note(&mut self, parts: &[P]) {
        if self.problem.has_places() && self.problem.fits(parts.iter().map(self.shares)) {
            self.last = Some(parts.to_vec());
        }
    }

    /// Restores the last recorded plan if `parts`, the final plan of the search, has no placement.
    pub fn restore(self, parts: &mut Vec<P>) {
        let fit = self.problem.fits_places(parts.iter().map(self.shares));
        if let Some(last) = self.last.filter(|_| !fit) {
            *parts = last;
        }
    }
}
