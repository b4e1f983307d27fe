//! Numbers of the model: exact fractions, times, and random numbers.

mod fractions;
mod streams;
mod times;
