//! The program language: what programs mean, and which are refused, where.

mod expressions;
mod flow;
mod instructions;
mod overrides;
mod refusals;

use std::io::Cursor;
use std::sync::Arc;

use gpusched::model::Program;
use gpusched::model::reader::Programs;
use gpusched::warp::code::{Code, Effect, Stream};

/// The one program in `text`, or what is wrong with it.
fn read(text: &str) -> Result<Program, String> {
    let mut programs = Programs::new("x", Cursor::new(text.to_owned().into_bytes()));
    programs
        .next()
        .unwrap()
        .map(|(_, program)| program)
        .map_err(|error| error.to_string())
}

/// A program of one block of `block` threads, two parameters and two buffers.
fn program(block: &str, body: &str) -> Program {
    read(&format!(
        r#"{{"name":"t","grid":2,"block":{block},"parameters":{{"n":3,"m":-1}},"buffers":{{"a":1000,"b":10}},"body":[{body}]}}"#
    ))
    .unwrap()
}

/// Position, lanes, whether it jumped, of what a warp issues.
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
