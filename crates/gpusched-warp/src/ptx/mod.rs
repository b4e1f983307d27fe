//! Import of PTX text as kernel programs.
//!
//! The importer reads a kernel ([`Module`]) and executes its integer registers symbolically. Register values are
//! polynomials over the position of a thread, loop counters, parameters and buffers. Branches become loops and
//! conditions ([`import`]). Each instruction stays one instruction, in its place and with its registers, as PTX mode of
//! GPGPU-Sim would issue it.
//!
//! 32-bit arithmetic is exact for the launch of the import. If a value fits its type for that launch, the program
//! computes the value without wrapping.

mod classify;
mod error;
mod execute;
mod instruction;
mod modifiers;
mod module;
mod options;
mod structure;
mod symbolic;
mod text;

pub use error::PtxError;
pub use instruction::{Instruction, Memory, Operand};
pub use module::{Kernel, Module, Parameter, Register};
pub use options::{Argument, Options, import};
