//! Tests of the command line, its messages and its documents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[allow(dead_code, reason = "each binary uses some of it")]
#[path = "../support/mod.rs"]
mod support;

mod amalthea;
mod bad_input;
mod budget_export;
mod budgets_of_systems;
mod causes;
mod charts;
mod cli;
mod cluster;
mod concurrent;
mod docs;
mod early_readers;
mod embedding;
mod end_to_end;
mod examples;
mod exchange;
mod first_steps;
mod gpus;
mod help;
mod measure;
mod measurements;
mod options;
mod outputs;
mod pages;
mod pipelines;
mod plain_words;
mod progress;
mod recordings;
mod run;
mod schema;
mod spreadsheets;
mod streaming;
mod tables;
mod time_slices;
mod verify_command;
mod what_if;
mod words;
