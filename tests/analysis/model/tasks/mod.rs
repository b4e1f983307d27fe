//! Tasks: WCET functions, memory traffic, provenance, and end-to-end systems.

mod provenance;
mod systems;
mod traffic;
mod wcet;
