//! Observer that finds out whether blocks of different kernels run on one SM at the same time.

use crate::blocks::Event;
use gpusched_model::Observer;
use gpusched_model::scenario::ScenarioShape;
use gpusched_model::time::Time;

/// Finds out whether blocks of different kernels of one application run on one SM at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// Application of each kernel.
    applications: Vec<usize>,
    /// For each application and SM: number of blocks on the SM, and kernel of the last block that started.
    sms: Vec<Vec<(u64, usize)>>,
    found: bool,
}

impl Sharing {
    /// Creates an observer of a run of `scenario`.
    pub fn new(scenario: &ScenarioShape) -> Sharing {
        let sms = scenario.platform.shape().sms as usize;
        Sharing {
            applications: scenario.kernels.iter().map(|kernel| kernel.application).collect(),
            sms: vec![vec![(0, 0); sms]; scenario.applications.len().max(1)],
            found: false,
        }
    }

    /// Returns whether kernels have shared an SM so far.
    pub fn found(&self) -> bool {
        self.found
    }

    fn sm(&mut self, kernel: usize, sm: u32) -> Option<&mut (u64, usize)> {
        let application = *self.applications.get(kernel)?;
        self.sms.get_mut(application)?.get_mut(sm as usize)
    }
}

impl Observer<Event> for Sharing {
    #[inline(always)]
    fn see(&mut self, _: Time, event: Event) {
        if self.found {
            return;
        }
        match event {
            Event::BlockStart(block) => {
                let mut shares = false;
                if let Some((blocks, kernel)) = self.sm(block.kernel, block.sm) {
                    shares = *blocks > 0 && *kernel != block.kernel;
                    *blocks += 1;
                    *kernel = block.kernel;
                }
                self.found = shares;
            }
            Event::BlockComplete(block) => {
                if let Some((blocks, _)) = self.sm(block.kernel, block.sm) {
                    *blocks -= 1;
                }
            }
            _ => {}
        }
    }
}
