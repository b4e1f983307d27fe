//! Kernel programs: the language, what streams of them execute, and the PTX reader.
mod garbage;
mod interpreter;
mod json_garbage;
mod language;
mod refusals;
mod replay;
mod strides;
mod twins;
