//! Functional unit and timing of each kind of operation on a machine.

use super::super::code::{Caching, Number, Operation, Space, Specialized};
use crate::machine::{self, InstructionTimes, Timing};

/// A kind of functional unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Sp,
    Dp,
    Int,
    Sfu,
    Tensor,
    Mem,
    Branch,
    Texture,
    Matrix,
    Uniform,
}

/// Number of kinds of functional units.
pub const UNITS: usize = 10;

impl Unit {
    /// Returns the order of the units of `sm` within a cycle. The last unit is the load-store unit, which an SM has
    /// only once. Every scheduler has one unit of every other kind.
    pub fn work_order(sm: &machine::Sm) -> Vec<Unit> {
        let first = [Unit::Sp, Unit::Dp, Unit::Int, Unit::Sfu, Unit::Tensor];
        let specialized = Unit::specialized(sm);
        first.into_iter().chain(specialized).chain([Unit::Mem]).collect()
    }

    /// Returns the order of the pipeline registers for an input port of the collectors.
    pub fn port_order(sm: &machine::Sm) -> Vec<Unit> {
        let first = [Unit::Sp, Unit::Sfu, Unit::Mem, Unit::Tensor, Unit::Dp, Unit::Int];
        first.into_iter().chain(Unit::specialized(sm)).collect()
    }

    fn specialized(sm: &machine::Sm) -> impl Iterator<Item = Unit> {
        let kinds = Specialized::ALL.into_iter();
        let units = sm.specialized_units;
        kinds.filter_map(move |kind| of_specialized(kind, &units).map(|(unit, _)| unit))
    }
}

/// Returns the specialized unit for instructions of `kind`, and the timing of these instructions. Returns `None` if the
/// SM has no such unit.
fn of_specialized(kind: Specialized, units: &machine::SpecializedUnits) -> Option<(Unit, Timing)> {
    let (unit, found) = match kind {
        Specialized::Branch => (Unit::Branch, units.branch),
        Specialized::Texture => (Unit::Texture, units.texture),
        Specialized::Tensor => (Unit::Matrix, units.tensor),
        Specialized::Uniform => (Unit::Uniform, units.uniform),
    };
    found.map(|found| (unit, found.time))
}

/// Action of the load-store unit for an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The load-store unit does not handle the instruction.
    None,
    /// A load from global or local memory.
    Load(Caching),
    /// A store to global or local memory.
    Store,
    /// An atomic, which L2 executes.
    Atomic,
    /// A load of a constant. The load always hits the constant cache.
    Constant,
    /// An access to shared memory.
    Shared(SharedAccess),
    /// A fence that waits for the loads of the warp.
    Fence,
}

/// Kind of an access to shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedAccess {
    Load,
    Store,
    Atomic,
}

/// Properties of an operation on a machine: unit, timing and memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Unit of the operation.
    pub unit: Unit,
    /// Latency of the result of the operation [cycles].
    pub latency: u16,
    /// Initiation interval of the unit [cycles].
    pub initiation: u16,
    /// Action of the load-store unit for the operation.
    pub memory: Memory,
}

/// Properties of all operations, indexed by [`Operation::kind`].
#[derive(Debug, Clone)]
pub struct FactsTable(Box<[Facts]>);

impl FactsTable {
    pub fn new(sm: &machine::Sm) -> Self {
        let units = Units {
            int: sm.units.int > 0,
            dp: sm.units.dp > 0,
        };
        let facts = Operation::of_each_kind().into_iter().map(|operation| {
            let specialized = match operation {
                Operation::Specialized(kind) => of_specialized(kind, &sm.specialized_units),
                _ => None,
            };
            let other = || (unit(&operation, &units), timing(&operation, &sm.times));
            let (unit, timing) = specialized.unwrap_or_else(other);
            Facts {
                unit,
                latency: timing.latency as u16,
                initiation: timing.initiation as u16,
                memory: memory(&operation),
            }
        });
        Self(facts.collect())
    }

    /// Returns the properties of operations of kind `kind`.
    pub fn of(&self, kind: usize) -> Facts {
        self.0[kind]
    }

    /// Returns the largest latency or initiation interval over all operations [cycles].
    pub fn longest(&self) -> usize {
        let times = self.0.iter().map(|facts| facts.latency.max(facts.initiation));
        times.max().map_or(0, usize::from)
    }
}

/// Optional units of a machine.
#[derive(Debug, Clone, Copy)]
struct Units {
    /// Whether the machine has integer units. If false, SP units execute integer operations.
    int: bool,
    /// Whether the machine has double-precision units. If false, SFUs execute double-precision operations.
    dp: bool,
}

/// Timing of instructions without a configured timing: 1 cycle.
const ONE: Timing = Timing::ONE;

/// Returns the unit that executes `operation`.
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
        Operation::Tensor | Operation::Specialized(Specialized::Tensor) => Unit::Tensor,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Atomic { .. } | Operation::Fence => {
            Unit::Mem
        }
        Operation::Shuffle
        | Operation::Other
        | Operation::Specialized(_)
        | Operation::Branch
        | Operation::Barrier
        | Operation::Exit => int,
    }
}

/// Returns the timing of `operation`.
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
        Operation::Tensor | Operation::Specialized(Specialized::Tensor) => times.tensor,
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
        } => Memory::Shared(SharedAccess::Load),
        Operation::Store {
            space: Space::Shared, ..
        } => Memory::Shared(SharedAccess::Store),
        Operation::Atomic {
            space: Space::Shared, ..
        } => Memory::Shared(SharedAccess::Atomic),
        Operation::Load { caching, .. } => Memory::Load(caching),
        Operation::Store { .. } => Memory::Store,
        Operation::Atomic { .. } => Memory::Atomic,
        Operation::Fence => Memory::Fence,
        _ => Memory::None,
    }
}
