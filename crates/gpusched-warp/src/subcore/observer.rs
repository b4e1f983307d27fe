//! Who looks on while a scenario is simulated.

/// A warp issues an instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// The cycle, from 0.
    pub cycle: u64,
    /// The warp, numbered over all kernels in the order of the scenario.
    pub warp: usize,
    /// The position of its kernel.
    pub kernel: usize,
    /// The position of the instruction in the program.
    pub instruction: usize,
    /// The instruction's latency [cycles].
    pub latency: u32,
    /// The warp has no more instructions.
    pub last: bool,
}

/// Is told what happens, in the order of time.
pub trait Observer {
    /// A warp issues an instruction.
    fn issued(&mut self, issue: Issue);

    /// Whether it has seen enough: then the simulation ends.
    fn is_done(&self) -> bool {
        false
    }
}

impl<A: Observer, B: Observer> Observer for (&mut A, &mut B) {
    fn issued(&mut self, issue: Issue) {
        self.0.issued(issue);
        self.1.issued(issue);
    }

    /// When both have.
    fn is_done(&self) -> bool {
        self.0.is_done() && self.1.is_done()
    }
}
