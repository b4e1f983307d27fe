//! One partition that is merged with many others on trial.

use super::Candidate;
use super::examiner::Examiner;
use super::group::Group;
use super::load::Load;
use crate::model::utilization::Utilization;

/// The partition, and what it loaded the SMs with in recent merges: neighboring partners differ little.
pub(super) struct Focus<'e, 'p, 't> {
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

    /// Whether the least work of both already exceeds `sms` SMs, which fails every test of deadlines: Lemma 1 for two
    /// partitions.
    pub fn is_too_much(&self, partner: &Candidate, sms: u32) -> bool {
        let work = self.partition.work + partner.work;
        work > Utilization::whole(sms) && !self.examiner.problem().policy().counts_work()
    }

    /// The tasks of the partition and of `partner`.
    pub fn with(&self, partner: &'t Candidate) -> Group<'t> {
        Group::of_both(self.examiner.problem(), self.partition, partner)
    }

    /// The same as [`Examiner::accepts`] for a group that [`Focus::with`] returned.
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let recent = &mut self.recent[sms as usize % 8];
        if recent.sms != sms || recent.classes != group.classes {
            *recent = Recent {
                sms,
                classes: group.classes,
                load: self.examiner.load(0, group, sms),
            };
        }
        let load = recent.load + self.examiner.load(1, group, sms);
        self.examiner.accepts_with(load, group, sms)
    }
}
