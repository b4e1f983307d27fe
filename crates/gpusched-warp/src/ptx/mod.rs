//! PTX text as kernel programs.
//!
//! A kernel is read ([`Module`]), its integer registers are executed symbolically — as polynomials over the position of a
//! thread, counters of loops, parameters and buffers — and its branches become loops and conditions ([`import`]). Every
//! instruction stays one instruction, in its place, with its registers: what PTX mode of GPGPU-Sim would issue.
//!
//! 32-bit arithmetic is exact under the launch it was imported for; where a value fits its type under that launch, the
//! program computes it without wrapping.

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
