//! Kernel programs: the language, the execution of program streams, and the PTX reader.
mod contents;
mod garbage;
mod interpreter;
mod json_garbage;
mod language;
mod modifiers;
mod operations;
mod refusals;
mod replay;
mod strides;
pub mod twins;
