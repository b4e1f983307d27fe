//! Guarantee: bounds on kernels equal [Aghilinasab20] §IV exactly, and no schedule of the blocks exceeds them.

mod algorithm;
mod assumptions;
mod commands;
mod golden;
mod program;
pub mod random;
mod regulation;
mod simulation;
mod verification;
