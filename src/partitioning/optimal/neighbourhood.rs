//! Some partitions of a plan divided anew by column generation, for plans of more tasks than can be divided at once.
//!
//! Prices tell where SMs are lost: a partition costs that much more than its tasks are worth. Where some partitions lose an SM or more together, their
//! tasks may do with one less.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::sizes::{Part, Sizes, total};
use super::bound::rounded;
use super::columns::Columns;
use super::master::Master;
use super::pricing::{Limits, Pricing};
use super::works::Works;
use super::{ONE, branching};

/// So many tasks are divided anew; plans of fewer than twice as many are left to those who look at all of them.
const TASKS: usize = 45;

/// Groups found at a time, and how long each family is searched.
const ROUND: Limits = Limits {
    groups_each: 2,
    groups_of_family: 10,
    groups: 400,
    nodes_each: 200,
};

/// Rounds of pricing.
const ROUNDS: u32 = 40;

/// What groups have to be worth beyond their SMs [units].
const FLOOR: i64 = ONE / 100;

/// Fruitless tries before it is given up.
const TRIES: u32 = 60;

/// Improves `parts` until they have `target` SMs, or what may be spent is spent, or nothing was found for long. `prices` are those of a bound.
pub(super) fn improve(
    columns: &Columns,
    sizes: &mut Sizes<'_, '_>,
    (works, pricing): (&Works, &mut Pricing<'_>),
    parts: &mut Vec<Part>,
    (prices, target): (&[i64], u32),
) {
    if columns.alone.len() < 2 * TASKS {
        return;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(super::auto::SEED);
    let mut fruitless = 0;
    while total(parts) > target && fruitless < TRIES && !sizes.exhausted() {
        let Some(chosen) = choose(parts, prices, &mut rng) else {
            return;
        };
        fruitless += 1;
        let old: Vec<Part> = parts.drain(..chosen).collect();
        let hood = Neighbourhood::new(columns, &old);
        let new = hood.divide(sizes, (works, &mut *pricing), &old);
        if let Some(new) = &new
            && total(new) < total(&old)
        {
            fruitless = 0;
        }
        parts.extend(new.unwrap_or(old));
    }
}

/// Brings some partitions to the front that lose an SM or more together; how many, if there are any. Those that lose more are more likely.
fn choose(parts: &mut [Part], prices: &[i64], rng: &mut ChaCha8Rng) -> Option<usize> {
    let lost = |part: &Part| {
        let worth: i64 = part.tasks.iter().map(|&task| prices[task]).sum();
        i64::from(part.sms) * ONE - worth
    };
    let mut lots: Vec<(i64, Part)> = parts
        .iter()
        .map(|part| {
            let share = i64::try_from(rng.next_u64() % 1000).unwrap_or(0);
            (lost(part).saturating_mul(share), part.clone())
        })
        .collect();
    lots.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.tasks.cmp(&b.1.tasks)));
    let (mut tasks, mut chosen, mut all) = (0, 0, 0);
    for (place, (_, part)) in parts.iter_mut().zip(lots) {
        *place = part;
        if tasks < TASKS {
            tasks += place.tasks.len();
            chosen += 1;
            all += lost(place);
        }
    }
    (all >= ONE).then_some(chosen)
}

/// The tasks of some partitions, numbered from 0 on.
struct Neighbourhood {
    tasks: Vec<usize>,
    /// What is known of them.
    known: Vec<Part>,
    alone: Vec<f64>,
}

impl Neighbourhood {
    fn new(columns: &Columns, parts: &[Part]) -> Neighbourhood {
        let mut tasks: Vec<usize> = parts.iter().flat_map(|part| &part.tasks).copied().collect();
        tasks.sort_unstable();
        let alone = tasks.iter().map(|&task| f64::from(columns.alone[task])).collect();
        let mut hood = Neighbourhood {
            tasks,
            known: Vec::new(),
            alone,
        };
        let known = parts.iter().cloned().chain(columns.master.parts());
        hood.known = known.filter_map(|part| hood.renumbered(&part)).collect();
        hood
    }

    /// `part` by the numbers here, if all its tasks are here.
    fn renumbered(&self, part: &Part) -> Option<Part> {
        let tasks = part.tasks.iter().map(|task| self.tasks.binary_search(task).ok());
        Some(Part {
            sms: part.sms,
            tasks: tasks.collect::<Option<_>>()?,
        })
    }

    /// A division into fewer SMs than `old`, if one is found.
    fn divide(
        &self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): (&Works, &mut Pricing<'_>),
        old: &[Part],
    ) -> Option<Vec<Part>> {
        let mut master = Master::new(&self.alone);
        self.known.iter().for_each(|part| master.add(part));
        let less = total(old).checked_sub(1)?;
        let all = sizes.problem().tasks().len();
        for _ in 0..ROUNDS {
            let solved = master.solve();
            sizes.charge(master.work());
            if !solved || sizes.exhausted() {
                return None;
            }
            let mut prices = vec![0; all];
            for (&task, &price) in self.tasks.iter().zip(master.prices()) {
                prices[task] = rounded(price);
            }
            let value: i64 = prices.iter().sum();
            let priced = pricing.price(sizes, works, &prices, FLOOR, ROUND);
            if priced.groups.is_empty() {
                if value > i64::from(less) * ONE + ONE / 100 {
                    return None; // no division of known groups is better
                }
                break;
            }
            let groups = priced.groups.iter();
            groups
                .filter_map(|part| self.renumbered(part))
                .for_each(|part| master.add(&part));
        }
        let groups: Vec<Part> = master.parts().collect();
        let found = branching::search(sizes, self.tasks.len(), &groups, less, less);
        let mut found = found.best?;
        for part in &mut found {
            part.tasks.iter_mut().for_each(|task| *task = self.tasks[*task]);
        }
        Some(found)
    }
}
