//! Files: documents and their errors, outputs, and tables for spreadsheets.

mod documents;
mod outputs;
mod spreadsheets;
mod tree;
