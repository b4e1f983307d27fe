//! Trial merges of one partition with many partners.

use crate::partitioning::search::tester::load::Load;
use crate::partitioning::search::{Candidate, Group, GroupTester};
use gpusched_model::utilization::Utilization;

/// A partition, and its loads in recent trial merges. Similar partners often lead to equal loads.
pub(crate) struct MergeTrials<'e, 'p, 't> {
    pub tester: &'e mut GroupTester<'p>,
    pub partition: &'t Candidate,
    /// Recent loads. The index is the number of SMs modulo the length of the array.
    recent: [Recent; 8],
}

/// Load on `sms` SMs under the contention classes `classes`.
#[derive(Copy, Clone)]
struct Recent {
    sms: u32,
    classes: [u8; 3],
    load: Load,
}

impl<'e, 'p, 't> MergeTrials<'e, 'p, 't> {
    pub fn on(tester: &'e mut GroupTester<'p>, partition: &'t Candidate) -> MergeTrials<'e, 'p, 't> {
        let none = Recent {
            sms: 0,
            classes: [0; 3],
            load: Load::NONE,
        };
        MergeTrials {
            tester,
            partition,
            recent: [none; 8],
        }
    }

    /// Returns the result of [`Group::that_may_fit`] for the partition and `partner`.
    #[inline]
    pub fn with(&self, partner: &'t Candidate, sms: u32) -> Option<Group<'t>> {
        Group::that_may_fit(self.tester.problem(), self.partition, partner, sms)
    }

    /// Returns the result of [`GroupTester::accepts`] for `group`, which is the partition and a
    /// partner.
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let load = self.load(group, sms);
        self.tester.accepts_with(load, group, sms)
    }

    /// Whether `group` may pass its test. The answer is `false` only if the load of the group proves that the test fails.
    pub fn may_accept(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let load = self.load(group, sms);
        load.verdict(self.tester.problem().policy()) != Some(false)
    }

    /// Returns the result of [`GroupTester::utilization`] for `group`, which is the partition and
    /// a partner.
    pub fn utilization(&mut self, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let load = self.load(group, sms);
        self.tester.utilization_with(load, group, sms)
    }

    /// Returns the load of the partition and a partner on `sms` SMs.
    fn load(&mut self, group: &Group<'_>, sms: u32) -> Load {
        let recent = &mut self.recent[sms as usize % 8];
        if recent.sms != sms || recent.classes != group.classes {
            *recent = Recent {
                sms,
                classes: group.classes,
                load: self.tester.load(0, group, sms),
            };
        }
        recent.load + self.tester.load(1, group, sms)
    }
}
