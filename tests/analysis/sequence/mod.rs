//! Promise: of several kernels under one regulation each ends by its own nominal WCET, and in time if a test says so.

mod cases;
mod commands;
mod identity;
mod lemma;
mod order;
mod refusals;
mod twin;
mod verdict;
