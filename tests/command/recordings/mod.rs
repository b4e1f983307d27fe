//! Promise: recordings of profilers are read completely, whatever their version. A task set and an audit derived from a recording
//! state what the file shows.
#![cfg(unix)]

mod advice;
mod audits;
mod blocks;
mod contradictions;
mod copied;
mod counts;
mod damage;
mod doubtful;
mod elements;
mod examples;
mod faults;
mod files;
mod gpus;
mod marks;
mod memory;
mod misplaced;
mod mutations;
mod notes;
mod one_context;
mod origin;
mod packed;
mod rocpd;
mod run;
mod safety;
mod set_aside;
mod siblings;
mod signs;
mod tasks;
mod uncalled;
mod unclear;
mod writers;
