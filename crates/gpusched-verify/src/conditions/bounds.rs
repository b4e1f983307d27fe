//! Utilization bounds, computed with exact fractions.

use super::fraction::Fraction;
use crate::jobs::Job;
use gpusched_model::Policy;

/// Returns whether the inequality of a sufficient test is true. Returns `None` if `policy` has no such inequality.
pub(crate) fn holds(policy: Policy, jobs: &[Job]) -> Option<bool> {
    if !matches!(policy, Policy::Density | Policy::Hyperbolic | Policy::LiuLayland) {
        return None;
    }
    let mut densities = Vec::new();
    for job in jobs {
        // Bounds for fixed priorities count releases. With release jitter J, two releases of a task may be only T − J
        // apart.
        let room = match policy {
            Policy::Density => job.deadline.saturating_sub(job.jitter).min(job.period),
            _ => job.deadline.min(job.period).saturating_sub(job.jitter),
        };
        if room == 0 {
            return Some(false);
        }
        densities.push(Fraction::new(job.wcet, room));
    }
    let count = u32::try_from(jobs.len()).ok()?;
    let total = || Fraction::sum(densities.iter().cloned());
    match policy {
        Policy::Density => Some(total().cmp(1).is_le()),
        // Π (C/T' + 1) ≤ 2
        Policy::Hyperbolic => {
            let factors = densities
                .iter()
                .map(|density| density.clone().plus(Fraction::new(1, 1)));
            Some(Fraction::product(factors).cmp(2).is_le())
        }
        // U ≤ n·(2^(1/n) − 1) ⟺ (1 + U/n)ⁿ ≤ 2
        Policy::LiuLayland => {
            let mean = total().times(Fraction::new(1, count.into()));
            Some(mean.plus(Fraction::new(1, 1)).power(count).cmp(2).is_le())
        }
        _ => None,
    }
}

/// Returns whether Σ `work`/T ≤ `sms`, as a work-capacity test requires.
pub(crate) fn work_fits(jobs: &[Job], sms: u32) -> bool {
    Fraction::sum(jobs.iter().map(|job| Fraction::new(job.work, job.period)))
        .cmp(sms.into())
        .is_le()
}
