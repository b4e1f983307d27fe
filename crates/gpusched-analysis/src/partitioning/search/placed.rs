//! The last plan on the way that had a place on the hardware: fewer SMs do not always lie better.

use super::problem::Problem;

/// Keeps it, where places are an issue at all; elsewhere it costs nothing.
pub(crate) struct LastPlaced<'p, P> {
    problem: &'p Problem<'p>,
    /// The shares of a part.
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

    /// `parts` are what the search has now.
    pub fn note(&mut self, parts: &[P]) {
        if self.problem.has_places() && self.fit(parts) {
            self.last = Some(parts.to_vec());
        }
    }

    /// Goes back to the last that fit, if `parts`, the end of the search, do not.
    pub fn restore(self, parts: &mut Vec<P>) {
        let fit = !self.problem.has_places() || self.fit(parts);
        if let Some(last) = self.last.filter(|_| !fit) {
            *parts = last;
        }
    }

    fn fit(&self, parts: &[P]) -> bool {
        self.problem.fits(parts.iter().map(self.shares))
    }
}
