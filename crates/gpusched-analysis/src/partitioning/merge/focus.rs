//! One partition that is merged with many others on trial.

use crate::partitioning::search::examiner::load::Load;
use crate::partitioning::search::{Candidate, Examiner, Group};
use gpusched_model::utilization::Utilization;

/// The partition, and what it loaded the SMs with in recent merges: neighboring partners differ little.
pub(crate) struct Focus<'e, 'p, 't> {
    pub examiner: &'e mut Examiner<'p>,
    pub partition: &'t Candidate,
    /// By number of SMs, modulo the length.
    recent: [Recent; 8],
}

/// The load on `sms` SMs with these classes of company.
#[derive(Copy, Clone)]
struct Recent {
    sms: u32,
    classes: [u8; 3],
    load: Load,
}

impl<'e, 'p, 't> Focus<'e, 'p, 't> {
    pub fn on(examiner: &'e mut Examiner<'p>, partition: &'t Candidate) -> Focus<'e, 'p, 't> {
        let none = Recent {
            sms: 0,
            classes: [0; 3],
            load: Load::NONE,
        };
        Focus {
            examiner,
            partition,
            recent: [none; 8],
        }
    }

    /// [`Group::that_may_fit`] of the partition and `partner`.
    #[inline]
    pub fn with(&self, partner: &'t Candidate, sms: u32) -> Option<Group<'t>> {
        Group::that_may_fit(self.examiner.problem(), self.partition, partner, sms)
    }

    /// The same as [`Examiner::accepts`] for the partition and a partner.
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let load = self.load(group, sms);
        self.examiner.accepts_with(load, group, sms)
    }

    /// The same as [`Examiner::utilization`] for the partition and a partner.
    pub fn utilization(&mut self, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let load = self.load(group, sms);
        self.examiner.utilization_with(load, group, sms)
    }

    /// The load of the partition and a partner.
    fn load(&mut self, group: &Group<'_>, sms: u32) -> Load {
        let recent = &mut self.recent[sms as usize % 8];
        if recent.sms != sms || recent.classes != group.classes {
            *recent = Recent {
                sms,
                classes: group.classes,
                load: self.examiner.load(0, group, sms),
            };
        }
        recent.load + self.examiner.load(1, group, sms)
    }
}
