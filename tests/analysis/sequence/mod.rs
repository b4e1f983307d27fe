//! Guarantee: in a sequence under one regulation, no job takes longer than the nominal WCET of
//! its kernel. A job meets its deadline if the schedulability test accepts the system.

mod cases;
mod commands;
mod identity;
mod lemma;
mod order;
mod refusals;
mod twin;
mod verdict;
