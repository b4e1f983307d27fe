//! Contraction and expansion of blossoms. A contraction replaces an odd cycle by one vertex, and
//! an expansion restores the cycle.

use super::{Edge, Label, Search};

impl Search {
    pub(super) fn enqueue(&mut self, x: usize) {
        if x <= self.n {
            self.queue.push_back(x);
        } else {
            for member in self.cycle[x].clone() {
                self.enqueue(member);
            }
        }
    }

    pub(super) fn set_outer(&mut self, x: usize, blossom: usize) {
        self.outer[x] = blossom;
        if x > self.n {
            for member in self.cycle[x].clone() {
                self.set_outer(member, blossom);
            }
        }
    }

    pub(super) fn holder(&self, blossom: usize, vertex: usize) -> usize {
        self.holder[blossom * (self.n + 1) + vertex]
    }

    /// Returns the distance of `member` from the base of `blossom`. If the distance is odd, first reverses the cycle,
    /// so that the distance becomes even.
    pub(super) fn even_place(&mut self, blossom: usize, member: usize) -> usize {
        let cycle = &mut self.cycle[blossom];
        let place = cycle.iter().position(|&other| other == member).unwrap_or(0);
        if place % 2 == 0 {
            return place;
        }
        cycle[1..].reverse();
        cycle.len() - place
    }

    pub(super) fn set_mate(&mut self, u: usize, v: usize) {
        let edge = self.edge(u, v);
        self.mate[u] = edge.to;
        if u > self.n {
            let member = self.holder(u, edge.from);
            let place = self.even_place(u, member);
            for i in 0..place {
                let (a, b) = (self.cycle[u][i], self.cycle[u][i ^ 1]);
                self.set_mate(a, b);
            }
            self.set_mate(member, v);
            self.cycle[u].rotate_left(place);
        }
    }

    pub(super) fn add_blossom(&mut self, u: usize, base: usize, v: usize) {
        let blossom = (self.n + 1..=self.last)
            .find(|&b| self.outer[b] == 0)
            .unwrap_or(self.last + 1);
        self.last = self.last.max(blossom);
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Even;
        self.mate[blossom] = self.mate[base];
        let mut cycle = vec![base];
        for (side, end) in [u, v].into_iter().enumerate() {
            let mut x = end;
            while x != base {
                let y = self.outer[self.mate[x]];
                cycle.extend([x, y]);
                self.enqueue(y);
                x = self.outer[self.parent[y]];
            }
            if side == 0 {
                cycle[1..].reverse();
            }
        }
        self.cycle[blossom] = cycle.clone();
        self.set_outer(blossom, blossom);
        for x in 1..=self.last {
            self.set_edge(blossom, x, Edge::default());
            self.set_edge(x, blossom, Edge::default());
        }
        let row = blossom * (self.n + 1);
        self.holder[row..=row + self.n].fill(0);
        for member in cycle {
            for x in 1..=self.last {
                let held = self.edge(blossom, x);
                let offered = self.edge(member, x);
                if held.weight == 0 || self.excess(offered) < self.excess(held) {
                    self.set_edge(blossom, x, offered);
                    let back = self.edge(x, member);
                    self.set_edge(x, blossom, back);
                }
            }
            for x in 1..=self.n {
                if self.holder(member, x) != 0 {
                    self.holder[row + x] = member;
                }
            }
        }
        self.find_slack(blossom);
    }

    pub(super) fn expand_blossom(&mut self, blossom: usize) {
        for member in self.cycle[blossom].clone() {
            self.set_outer(member, member);
        }
        let entry = self.holder(blossom, self.edge(blossom, self.parent[blossom]).from);
        let place = self.even_place(blossom, entry);
        for i in (0..place).step_by(2) {
            let (odd, even) = (self.cycle[blossom][i], self.cycle[blossom][i + 1]);
            self.parent[odd] = self.edge(even, odd).from;
            self.label[odd] = Label::Odd;
            self.label[even] = Label::Even;
            self.slack[odd] = 0;
            self.find_slack(even);
            self.enqueue(even);
        }
        self.label[entry] = Label::Odd;
        self.parent[entry] = self.parent[blossom];
        let rest = self.cycle[blossom].split_off(place + 1); // the cycle is no longer a blossom
        for member in rest {
            self.label[member] = Label::Free;
            self.find_slack(member);
        }
        self.outer[blossom] = 0;
    }
}
