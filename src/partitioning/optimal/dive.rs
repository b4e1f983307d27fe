//! Plans from the linear program: the groups it is surest of are fixed, one after the other, and for the tasks that are left groups are
//! generated anew ("diving", Sadykov et al. 2019).

use super::super::sizes::{Part, Sizes, total};
use super::ONE;
use super::bound::rounded;
use super::branching::thinned;
use super::columns::Columns;
use super::master::Master;
use super::pricing::{Limits, Pricing};
use super::works::Works;

const ROUND: Limits = Limits {
    groups_each: 4,
    groups_of_family: 40,
    groups: 1_000,
    nodes_each: 100,
};

/// What groups have to be worth beyond their SMs.
const FLOOR: i64 = ONE / 20;

/// As good as chosen.
const SURE: f64 = 0.999;

/// Groups that cost so much more than their tasks are worth are left behind [SMs].
const FAR: f64 = 0.3;

/// The program of the tasks that were left when it was made.
struct Rest {
    master: Master,
    /// Its columns, by task.
    groups: Vec<Part>,
    /// By task.
    row_of: Vec<Option<usize>>,
    rows: usize,
}

impl Rest {
    fn new(alone: &[u32], left: &[bool], groups: impl Iterator<Item = Part>) -> Rest {
        let mut row_of = vec![None; left.len()];
        let tasks = (0..left.len()).filter(|&task| left[task]);
        let mut rest = Rest {
            groups: tasks.map(|task| Part { sms: alone[task], tasks: vec![task] }).collect(),
            rows: 0,
            master: Master::new(&[]),
            row_of: Vec::new(),
        };
        for group in &rest.groups {
            row_of[group.tasks[0]] = Some(rest.rows);
            rest.rows += 1;
        }
        let costs: Vec<f64> = rest.groups.iter().map(|group| f64::from(group.sms)).collect();
        rest.master = Master::new(&costs);
        rest.row_of = row_of;
        for mut group in groups {
            group.tasks.retain(|&task| left[task]);
            if group.tasks.len() > 1 {
                rest.add(group);
            }
        }
        rest
    }

    fn add(&mut self, group: Part) {
        let rows = group.tasks.iter().filter_map(|&task| self.row_of[task]);
        self.master.add(&Part { sms: group.sms, tasks: rows.collect() });
        self.groups.push(group);
    }

    fn prices(&self, alone: &[u32]) -> Vec<i64> {
        let price = |(row, &alone): (&Option<usize>, &u32)| row.map_or(0, |row| rounded(self.master.prices()[row]).min(i64::from(alone) * ONE));
        self.row_of.iter().zip(alone).map(price).collect()
    }
}

impl Columns {
    /// Dives
    pub fn dive(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): (&Works, &mut Pricing<'_>),
        parts: &mut Vec<Part>,
        target: u32,
    ) {
        let tasks = self.alone.len();
        let mut left = vec![true; tasks];
        let known = self.master.near(FAR);
        let mut rest = Rest::new(&self.alone, &left, known);
        let mut fixed: Vec<Part> = Vec::new();
        let t0 = std::time::Instant::now();
        let spent0 = sizes.charged() + sizes.tested();
        let mut paid = 0;
        while left.contains(&true) {
            let mut rounds = 0;
            let mut nodes = ROUND.nodes_each;
            let value = loop {
                let solved = rest.master.solve();
                sizes.charge(rest.master.work());
                if !solved || sizes.exhausted() {
                    eprintln!("DIVE END {solved} {:.2} spent {}", t0.elapsed().as_secs_f64(), sizes.charged()+sizes.tested()-spent0);
                    return;
                }
                let value: f64 = rest.master.prices().iter().sum();
                if rounds >= 30 { break value; }
                let prices = rest.prices(&self.alone);
                let limits = Limits { nodes_each: nodes, ..ROUND };
                let priced = pricing.price(sizes, works, &prices, FLOOR, limits);
                if priced.groups.is_empty() {
                    if priced.complete || nodes > 1000 { break value; }
                    nodes *= 4;
                }
                rounds += 1;
                for group in priced.groups {
                    self.master.add(&group);
                    rest.add(group);
                }
            };
            let useful = |column: usize| rest.groups[column].tasks.iter().any(|&task| left[task]);
            let mut chosen: Vec<(usize, f64)> = rest.master.chosen().filter(|(column, _)| useful(*column)).collect();
            chosen.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let sure = chosen.iter().filter(|(_, share)| *share > SURE).count().max(1);
            let still = left.iter().filter(|&&left| left).count();
            eprintln!("DIVE {:.2} spent {} left {still} rows {} fixed {paid} value {:.3} -> {:.3} rounds {rounds} sure {sure} first {:.3}", t0.elapsed().as_secs_f64(), sizes.charged()+sizes.tested()-spent0, rest.rows, value, f64::from(paid) + value, chosen.first().map_or(0.0, |c| c.1));
            if chosen.is_empty() { return; }
            for &(column, _) in chosen.iter().take(sure) {
                let group = &rest.groups[column];
                paid += group.sms;
                for &task in &group.tasks { left[task] = false; }
                rest.master.pay(column);
                fixed.push(group.clone());
            }
            if paid >= total(parts) { return; }
            let still = left.iter().filter(|&&left| left).count();
            if still * 4 < rest.rows * 3 {
                let near: Vec<Part> = rest.master.near_columns(FAR).map(|column| rest.groups[column].clone()).collect();
                rest = Rest::new(&self.alone, &left, near.into_iter());
            }
        }
        let cover: Vec<&Part> = fixed.iter().collect();
        if let Some(plan) = thinned(tasks, &cover) {
        eprintln!("DIVE plan {} before {}", total(&plan), total(parts));
        let _ = target;
        if total(&plan) < total(parts) {
            *parts = plan;
        } }
    }
}
