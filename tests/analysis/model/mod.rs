//! The data model: values, files, names and messages.

mod devices;
mod files;
mod kernels;
mod messages;
mod names;
mod numbers;
mod scenarios;
mod tasks;
