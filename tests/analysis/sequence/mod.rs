//! Guarantee: in a sequence under one regulation, each kernel ends by its own nominal WCET. It meets its deadline if a
//! test says so.

mod cases;
mod commands;
mod identity;
mod lemma;
mod order;
mod refusals;
mod twin;
mod verdict;
