//! Tables of results: cells, comparison and statistics.

mod comparison;
mod reading;
mod statistics;
