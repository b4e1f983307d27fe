//! From the measured times of thread blocks to a bound on the execution time of a kernel ([Aghilinasab20] §IV).

pub mod clustering;
pub mod synthesis;
pub mod trace;
