//! The program language: the meaning of programs, and the places of errors.

mod expressions;
mod flow;
mod instructions;
mod overrides;
mod refusals;

use std::io::Cursor;
use std::sync::Arc;

use gpusched::gpu::Program;
use gpusched::gpu::code::{Code, Effect, Stream};
use gpusched::gpu::program::Programs;

/// Reads the only program in `text`, or returns the error.
fn read(text: &str) -> Result<Program, String> {
    let mut programs = Programs::new("x", Cursor::new(text.to_owned().into_bytes()));
    programs
        .next()
        .unwrap()
        .map(|(_, program)| program)
        .map_err(|error| error.to_string())
}

/// Returns a program of one block of `block` threads, with two parameters and two buffers.
fn program(block: &str, body: &str) -> Program {
    read(&format!(
        r#"{{"name":"t","grid":2,"block":{block},"parameters":{{"n":3,"m":-1}},"buffers":{{"a":1000,"b":10}},"body":[{body}]}}"#
    ))
    .unwrap()
}

/// Returns position, lanes and jump flag of each issue of a warp.
fn issues(program: &Program, block: u64, warp: u32) -> Vec<(u32, u32, bool)> {
    let code = Arc::new(Code::new(program).unwrap());
    let mut stream = code.stream(block, warp);
    let mut effect = Effect::default();
    let mut issues = Vec::new();
    while let Some(instruction) = stream.next() {
        let index = (instruction.pc - program.pc) / 8;
        stream.issue(&mut effect);
        issues.push((index, effect.lanes, effect.jumped));
        assert!(issues.len() < 1000);
    }
    issues
}

const ALL: u32 = u32::MAX;
