//! Slow, obvious twins of the library's fast paths. They share its data types and nothing else.
#![allow(dead_code)] // each test uses some of the twins

pub mod checker;
pub mod demand;
pub mod random_sets;
pub mod transcription;
