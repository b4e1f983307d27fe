//! Numbers of the model: exact fractions, times, their arithmetic, and random numbers.

mod fractions;
mod lemmas;
mod streams;
mod times;
