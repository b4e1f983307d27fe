//! Import of PTX text as kernel programs.
//!
//! The importer reads a kernel of a [`Module`] and executes its integer instructions symbolically. Register values are
//! polynomials. The variables of these polynomials are the position of a thread, loop counters, parameters and buffers.
//! [`import`] converts branches to loops and conditions. Each PTX instruction becomes exactly one instruction of the
//! program, in its original place and with its original registers. In PTX mode, GPGPU-Sim issues the same instructions.
//!
//! For the launch of the import, 32-bit arithmetic is exact. If a value fits its type for this launch, the program
//! computes the value without wrapping.

mod classify;
mod directives;
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
pub use modifiers::check as check_modifiers;
pub use module::{Kernel, Module, Parameter, Register};
pub use options::{Argument, Options, import};
