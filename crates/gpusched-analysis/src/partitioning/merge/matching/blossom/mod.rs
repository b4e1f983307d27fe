//! Maximum-weight matching in a general graph: Edmonds' blossom algorithm, primal-dual in O(n³) (Galil, Computing Surveys
//! 18(1), 1986).

mod contraction;

/// Returns the mate of each of `n` vertices; `None` for an unmatched vertex. `weight(a, b)` is
/// symmetric and below 2⁴⁰. A positive weight means that the graph has this edge.
pub fn maximum_weight_matching(n: usize, weight: impl Fn(usize, usize) -> i64) -> Vec<Option<usize>> {
    let mut search = Search::new(n, weight);
    while search.augmented() {}
    search.mate[1..=n]
        .iter()
        .map(|&mate| mate.checked_sub(1))
        .collect()
}

/// Edge between two vertices. An edge between two blossoms is represented by an edge between two of their vertices.
#[derive(Copy, Clone, Default)]
struct Edge {
    from: usize,
    to: usize,
    weight: i64,
}

/// Label of a vertex or an outermost blossom in the forest of alternating paths.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Label {
    Free,
    Even,
    Odd,
}

/// State of the search. Vertices have the numbers 1 to n, and blossoms have the numbers n+1 to 2n. The number 0 means
/// no vertex.
struct Search {
    n: usize,
    /// Largest vertex or blossom number in use.
    last: usize,
    /// Edge matrix, row by row, with 2n + 1 entries per row.
    edges: Vec<Edge>,
    /// Dual variable of each vertex and blossom, doubled.
    dual: Vec<i64>,
    mate: Vec<usize>,
    slack: Vec<usize>,
    /// Outermost blossom of each vertex or blossom. A vertex or blossom that no blossom contains is its own outermost
    /// blossom. An unused entry is 0.
    outer: Vec<usize>,
    parent: Vec<usize>,
    label: Vec<Label>,
    visited: Vec<usize>,
    visit: usize,
    /// Cycle of each blossom, starting at the base of the blossom.
    cycle: Vec<Vec<usize>>,
    /// For each blossom and each vertex: the member of the blossom that contains the vertex. The
    /// rows are the blossoms, with n + 1 entries per row.
    holder: Vec<usize>,
    queue: std::collections::VecDeque<usize>,
}

impl Search {
    fn new(n: usize, weight: impl Fn(usize, usize) -> i64) -> Search {
        let size = 2 * n + 1;
        let mut edges = vec![Edge::default(); size * size];
        let mut largest = 0;
        for from in 1..=n {
            for to in 1..=n {
                let weight = if from == to {
                    0
                } else {
                    weight(from - 1, to - 1).max(0)
                };
                largest = largest.max(weight);
                edges[from * size + to] = Edge { from, to, weight };
            }
        }
        let mut holder = vec![0; size * (n + 1)];
        for vertex in 1..=n {
            holder[vertex * (n + 1) + vertex] = vertex;
        }
        Search {
            n,
            last: n,
            edges,
            dual: (0..size).map(|x| if x <= n { largest } else { 0 }).collect(),
            mate: vec![0; size],
            slack: vec![0; size],
            outer: (0..size).map(|x| if x <= n { x } else { 0 }).collect(),
            parent: vec![0; size],
            label: vec![Label::Free; size],
            visited: vec![0; size],
            visit: 0,
            cycle: vec![Vec::new(); size],
            holder,
            queue: std::collections::VecDeque::new(),
        }
    }

    fn edge(&self, a: usize, b: usize) -> Edge {
        self.edges[a * (2 * self.n + 1) + b]
    }

    fn set_edge(&mut self, a: usize, b: usize, edge: Edge) {
        self.edges[a * (2 * self.n + 1) + b] = edge;
    }

    /// Returns the slack of `edge`, doubled. The slack of a tight edge is 0.
    fn excess(&self, edge: Edge) -> i64 {
        self.dual[edge.from] + self.dual[edge.to] - 2 * self.edge(edge.from, edge.to).weight
    }

    fn offer_slack(&mut self, u: usize, x: usize) {
        let held = self.slack[x];
        if held == 0 || self.excess(self.edge(u, x)) < self.excess(self.edge(held, x)) {
            self.slack[x] = u;
        }
    }

    fn find_slack(&mut self, x: usize) {
        self.slack[x] = 0;
        for u in 1..=self.n {
            let outer = self.outer[u];
            if self.edge(u, x).weight > 0 && outer != x && self.label[outer] == Label::Even {
                self.offer_slack(u, x);
            }
        }
    }

    fn augment(&mut self, mut u: usize, mut v: usize) {
        loop {
            let next = self.outer[self.mate[u]];
            self.set_mate(u, v);
            if next == 0 {
                return;
            }
            let above = self.outer[self.parent[next]];
            self.set_mate(next, above);
            (u, v) = (above, next);
        }
    }

    /// Returns the lowest common ancestor of `u` and `v` in the forest, or 0 if `u` and `v` are in different trees.
    fn ancestor(&mut self, mut u: usize, mut v: usize) -> usize {
        self.visit += 1;
        while u != 0 || v != 0 {
            if u != 0 {
                if self.visited[u] == self.visit {
                    return u;
                }
                self.visited[u] = self.visit;
                u = self.outer[self.mate[u]];
                if u != 0 {
                    u = self.outer[self.parent[u]];
                }
            }
            std::mem::swap(&mut u, &mut v);
        }
        0
    }

    /// Processes a tight edge. Returns whether the matching grew.
    fn follow(&mut self, edge: Edge) -> bool {
        let (u, v) = (self.outer[edge.from], self.outer[edge.to]);
        match self.label[v] {
            Label::Free => {
                self.parent[v] = edge.from;
                self.label[v] = Label::Odd;
                let next = self.outer[self.mate[v]];
                self.slack[v] = 0;
                self.slack[next] = 0;
                self.label[next] = Label::Even;
                self.enqueue(next);
                false
            }
            Label::Even => match self.ancestor(u, v) {
                0 => {
                    self.augment(u, v);
                    self.augment(v, u);
                    true
                }
                base => {
                    self.add_blossom(u, base, v);
                    false
                }
            },
            Label::Odd => false,
        }
    }

    fn outermost(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        (first..=self.last).filter(|&x| self.outer[x] == x)
    }

    /// Runs one stage. Returns whether the matching grew by one edge.
    fn augmented(&mut self) -> bool {
        self.label.fill(Label::Free);
        self.slack.fill(0);
        self.queue.clear();
        let single: Vec<usize> = self.outermost(1).filter(|&x| self.mate[x] == 0).collect();
        for &x in &single {
            self.parent[x] = 0;
            self.label[x] = Label::Even;
            self.enqueue(x);
        }
        if single.is_empty() {
            return false;
        }
        loop {
            while let Some(u) = self.queue.pop_front() {
                if self.label[self.outer[u]] == Label::Odd {
                    continue;
                }
                for v in 1..=self.n {
                    let edge = self.edge(u, v);
                    if edge.weight == 0 || self.outer[u] == self.outer[v] {
                        continue;
                    }
                    if self.excess(edge) > 0 {
                        self.offer_slack(u, self.outer[v]);
                    } else if self.follow(edge) {
                        return true;
                    }
                }
            }
            if !self.adjust_duals() {
                return false;
            }
            self.queue.clear();
            for x in 1..=self.last {
                let held = self.slack[x];
                if self.outer[x] == x && held != 0 && self.outer[held] != x {
                    let edge = self.edge(held, x);
                    if self.excess(edge) == 0 && self.follow(edge) {
                        return true;
                    }
                }
            }
            for blossom in self.n + 1..=self.last {
                if self.outer[blossom] == blossom
                    && self.label[blossom] == Label::Odd
                    && self.dual[blossom] == 0
                {
                    self.expand_blossom(blossom);
                }
            }
        }
    }

    /// Changes the dual variables as far as possible. If the dual variable of an even vertex would become 0, the
    /// matching has the maximum weight. In this case, returns false.
    fn adjust_duals(&mut self) -> bool {
        let mut step = i64::MAX;
        for blossom in self.outermost(self.n + 1) {
            if self.label[blossom] == Label::Odd {
                step = step.min(self.dual[blossom] / 2);
            }
        }
        for x in self.outermost(1).filter(|&x| self.slack[x] != 0) {
            let excess = self.excess(self.edge(self.slack[x], x));
            match self.label[x] {
                Label::Free => step = step.min(excess),
                Label::Even => step = step.min(excess / 2),
                Label::Odd => {}
            }
        }
        let even = |u: usize| self.label[self.outer[u]] == Label::Even;
        if (1..=self.n).any(|u| even(u) && self.dual[u] <= step) {
            return false;
        }
        for u in 1..=self.n {
            match self.label[self.outer[u]] {
                Label::Even => self.dual[u] -= step,
                Label::Odd => self.dual[u] += step,
                Label::Free => {}
            }
        }
        let blossoms: Vec<usize> = self.outermost(self.n + 1).collect();
        for blossom in blossoms {
            match self.label[blossom] {
                Label::Even => self.dual[blossom] += 2 * step,
                Label::Odd => self.dual[blossom] -= 2 * step,
                Label::Free => {}
            }
        }
        true
    }
}
