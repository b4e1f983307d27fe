//! What a machine does with each kind of operation.

use super::super::code::{Caching, Number, Operation, Space};
use gpusched_model::machine::{self, InstructionTimes, Timing};

/// A kind of functional unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Sp,
    Dp,
    Int,
    Sfu,
    Tensor,
    Mem,
}

/// Kinds of units.
pub const UNITS: usize = 6;

impl Unit {
    /// The order in which units work within a cycle. An SM has one load-store unit; of the others, each scheduler has its own.
    pub const WORK_ORDER: [Unit; UNITS] = [Unit::Sp, Unit::Dp, Unit::Int, Unit::Sfu, Unit::Tensor, Unit::Mem];

    /// Those with a pipeline per scheduler: all but the last.
    pub const PIPELINES: usize = UNITS - 1;
}

/// What the load-store unit does with an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// It does not get it.
    None,
    /// Global or local memory.
    Load(Caching),
    /// Global or local memory.
    Store,
    /// In L2.
    Atomic,
    /// Always in its cache.
    Constant,
    /// Shared memory; a load if true.
    Shared(bool),
    /// Waits for the warp's loads.
    Fence,
}

/// What a machine does with an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Who does it.
    pub unit: Unit,
    /// Until the result [cycles].
    pub latency: u16,
    /// Until the unit takes the next one [cycles].
    pub initiation: u16,
    /// What the load-store unit does with it.
    pub memory: Memory,
}

/// The facts by [`Operation::kind`].
#[derive(Debug, Clone)]
pub struct FactsTable(Box<[Facts]>);

impl FactsTable {
    pub fn new(sm: &machine::Sm) -> Self {
        let units = Units {
            int: sm.units.int > 0,
            dp: sm.units.dp > 0,
        };
        let facts = Operation::of_each_kind().into_iter().map(|operation| {
            let timing = timing(&operation, &sm.times);
            Facts {
                unit: unit(&operation, &units),
                latency: timing.latency as u16,
                initiation: timing.initiation as u16,
                memory: memory(&operation),
            }
        });
        Self(facts.collect())
    }

    /// The facts of the operations of `kind`.
    pub fn of(&self, kind: usize) -> Facts {
        self.0[kind]
    }

    /// The longest that an operation takes, or keeps its unit [cycles].
    pub fn longest(&self) -> usize {
        let times = self.0.iter().map(|facts| facts.latency.max(facts.initiation));
        times.max().map_or(0, usize::from)
    }
}

/// Which optional units a machine has.
#[derive(Debug, Clone, Copy)]
struct Units {
    /// Units for integers; without them SP units do the work.
    int: bool,
    /// Units for double precision; without them SFUs do the work.
    dp: bool,
}

/// The time of an instruction without units of its own.
const ONE: Timing = Timing::ONE;

/// The unit of an operation.
fn unit(operation: &Operation, units: &Units) -> Unit {
    let int = if units.int { Unit::Int } else { Unit::Sp };
    match operation {
        Operation::Div(_) | Operation::Special => Unit::Sfu,
        Operation::Add(number) | Operation::Max(number) | Operation::Mul(number) | Operation::Mad(number) => {
            match number {
                Number::Int => int,
                Number::Single => Unit::Sp,
                Number::Double if units.dp => Unit::Dp,
                Number::Double => Unit::Sfu,
            }
        }
        Operation::Tensor => Unit::Tensor,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Atomic { .. } | Operation::Fence => {
            Unit::Mem
        }
        Operation::Shuffle | Operation::Other | Operation::Branch | Operation::Barrier | Operation::Exit => {
            int
        }
    }
}

/// The time of an operation.
fn timing(operation: &Operation, times: &InstructionTimes) -> Timing {
    let float = |number: &Number| match number {
        Number::Double => Some(&times.double),
        Number::Single => Some(&times.single),
        Number::Int => None,
    };
    match operation {
        Operation::Add(number) => float(number).map_or(times.int.add, |float| float.add),
        Operation::Max(number) => float(number).map_or(times.int.max, |float| float.max),
        Operation::Mul(number) => float(number).map_or(times.int.mul, |float| float.mul),
        Operation::Mad(number) => float(number).map_or(times.int.mad, |float| float.mad),
        Operation::Div(number) => float(number).map_or(times.int.div, |float| float.div),
        Operation::Special => times.special,
        Operation::Tensor => times.tensor,
        Operation::Shuffle => times.int.shuffle,
        _ => ONE,
    }
}

fn memory(operation: &Operation) -> Memory {
    match *operation {
        Operation::Load {
            space: Space::Constant,
            ..
        } => Memory::Constant,
        Operation::Load {
            space: Space::Shared, ..
        } => Memory::Shared(true),
        Operation::Store {
            space: Space::Shared, ..
        } => Memory::Shared(false),
        Operation::Load { caching, .. } => Memory::Load(caching),
        Operation::Store { .. } => Memory::Store,
        Operation::Atomic { .. } => Memory::Atomic,
        Operation::Fence => Memory::Fence,
        _ => Memory::None,
    }
}
