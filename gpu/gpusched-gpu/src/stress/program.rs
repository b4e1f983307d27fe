//! Programs of the patterns.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{L2, Level, Pattern, Use};
use crate::machine::{Location, Machine};
use crate::program::FIRST_ADDRESS;
use crate::program::Program;
use gpusched_model::error::{Error, Refusal, Result};

/// Number of patterns.
pub const COUNT: u64 = 14;

/// Number of threads of a block in each pattern.
const BLOCK: u64 = 256;

/// Number of loads or stores of each thread in a pattern that uses all parts evenly.
const ROUNDS: u64 = 12;

/// Number of addresses in a pattern that uses one slice, channel or bank.
const ADDRESSES: usize = 512;

/// Size of the area where gpusched searches addresses of one slice, channel or bank [bytes].
const AREA: u64 = 1 << 32;

/// Step of this search [bytes].
const STEP: usize = 128;

/// Size of a buffer with random accesses, much larger than an L2 cache [bytes].
const LARGE: u64 = 1 << 28;

/// Size of a buffer that every L2 cache contains [bytes].
const SMALL: u64 = 1 << 18;

/// Access of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    Store,
}

use Access::{Load, Store};

/// Returns the patterns for `machine`.
pub fn patterns(machine: &Machine) -> Result<Vec<Pattern>> {
    let blocks = 4 * u64::from(machine.sms());
    let balanced = |name: &'static str, level: Level, l2: L2, buffer: u64, accesses: &[(Access, &str)]| {
        let body = rounds(accesses);
        pattern((name, level, Use::Balanced, l2), blocks, buffer, body)
    };
    let total = BLOCK * blocks;
    let stream = format!("a + 4*({total}*ROUND + block*threads + thread)");
    let beyond = format!(
        "a + {} + 4*({total}*ROUND + block*threads + thread)",
        4 * total * ROUNDS
    );
    let random = format!("a + 32*random({}, block*threads + thread, ROUND)", LARGE / 32);
    let other = format!("a + 32*random({}, block*threads + thread, ROUND, 1)", LARGE / 32);
    let inside = format!("a + 4*(({total}*ROUND + block*threads + thread) % {})", SMALL / 4);
    let sectors = format!("a + 32*((96*ROUND + block*threads + thread) % {})", SMALL / 32);
    let streamed = 8 * total * ROUNDS;

    let decoder = machine.memory.decoder();
    let first = decoder.locate(FIRST_ADDRESS);
    let same_slice = addresses(machine, |at| at.slice == first.slice);
    let same_channel = rows(machine, |at| at.channel == first.channel);
    let same_bank = rows(machine, |at| at.channel == first.channel && at.bank == first.bank);
    let camping = |name: &'static str, level: Level, l2: L2, access: Access, at: &[u64], repeats: u64| {
        let blocks = u64::from(machine.sms());
        let body = listed(access, at, blocks, repeats);
        let buffer = at.last().map_or(0, |last| last + 4);
        pattern((name, level, Use::Camping, l2), blocks, buffer.max(4), body)
    };
    let few = same_slice.get(..64).unwrap_or(&same_slice);
    let all = vec![
        balanced(
            "dram-read-stream",
            Level::Dram,
            L2::Cold,
            streamed,
            &[(Load, &stream)],
        ),
        balanced(
            "dram-write-stream",
            Level::Dram,
            L2::Thrashed,
            streamed,
            &[(Store, &stream)],
        ),
        balanced(
            "dram-copy-stream",
            Level::Dram,
            L2::Thrashed,
            streamed,
            &[(Load, &stream), (Store, &beyond)],
        ),
        balanced(
            "dram-random-reads",
            Level::Dram,
            L2::Cold,
            LARGE,
            &[(Load, &random)],
        ),
        balanced(
            "dram-random-writes",
            Level::Dram,
            L2::Thrashed,
            LARGE,
            &[(Store, &random)],
        ),
        balanced(
            "dram-random-mix",
            Level::Dram,
            L2::Thrashed,
            LARGE,
            &[(Load, &random), (Store, &other)],
        ),
        balanced("l2-read-stream", Level::L2, L2::Warm, SMALL, &[(Load, &inside)]),
        balanced("l2-write-stream", Level::L2, L2::Warm, SMALL, &[(Store, &inside)]),
        balanced("l2-read-sectors", Level::L2, L2::Warm, SMALL, &[(Load, &sectors)]),
        camping("one-slice-reads", Level::L2, L2::Warm, Load, few, 2),
        camping("one-slice-cold", Level::L2, L2::Cold, Load, &same_slice, 1),
        camping("one-channel-reads", Level::Dram, L2::Cold, Load, &same_channel, 0),
        camping("one-bank-reads", Level::Dram, L2::Cold, Load, &same_bank, 0),
        camping("one-bank-writes", Level::Dram, L2::Thrashed, Store, &same_bank, 0),
    ];
    all.into_iter().collect()
}

/// Returns a kernel that reads or writes `level` all the time. Each thread waits for each access, so few requests remain when the last
/// thread block ends. A write is a store and a load of the same address. Accesses to DRAM are random in a large buffer, because a
/// stream of few bytes stays in L2.
///
/// # Errors
/// Fails if the program is not valid.
pub fn steady(machine: &Machine, level: Level, writes: bool) -> Result<Program> {
    let total = BLOCK * 4 * u64::from(machine.sms());
    let (buffer, address) = match level {
        Level::Dram => (
            LARGE,
            format!("a + 32*random({}, block*threads + thread, ROUND)", LARGE / 32),
        ),
        Level::L2 => (
            SMALL,
            format!("a + 4*(({total}*ROUND + block*threads + thread) % {})", SMALL / 4),
        ),
    };
    let mut body = Vec::new();
    for round in 0..ROUNDS {
        let address = address.replace("ROUND", &round.to_string());
        if writes {
            body.push(json!({"op": "store", "from": "f20", "address": address, "bytes": 4}));
        }
        body.push(json!({"op": "load", "to": "f1", "address": address, "bytes": 4, "cache": "l2"}));
        body.push(json!({"op": "other", "text": "mov.b32", "to": "f2", "from": "f1"}));
    }
    let name = match (level, writes) {
        (Level::Dram, false) => "dram-read",
        (Level::Dram, true) => "dram-write",
        (Level::L2, false) => "l2-read",
        (Level::L2, true) => "l2-write",
    };
    let what = (name, level, Use::Balanced, L2::Cold);
    Ok(pattern(what, total / BLOCK, buffer, body)?.program)
}

/// Returns the first addresses that `matches` accepts, relative to the first buffer.
fn addresses(machine: &Machine, matches: impl Fn(&Location) -> bool) -> Vec<u64> {
    let decoder = machine.memory.decoder();
    let offsets = (0..AREA).step_by(STEP);
    let found = offsets.filter(|offset| matches(&decoder.locate(FIRST_ADDRESS + offset)));
    found.take(ADDRESSES).collect()
}

/// Returns addresses that `matches` accepts, each in a different row. Successive addresses are in different banks, if
/// `matches` accepts several banks.
fn rows(machine: &Machine, matches: impl Fn(&Location) -> bool) -> Vec<u64> {
    let decoder = machine.memory.decoder();
    // Addresses, grouped by their position among the addresses of their bank.
    let mut found: Vec<Vec<u64>> = Vec::new();
    let mut rows: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
    for offset in (0..AREA).step_by(STEP) {
        let at = decoder.locate(FIRST_ADDRESS + offset);
        if !matches(&at) {
            continue;
        }
        let (row, position) = rows.entry(at.bank).or_insert((u64::MAX, 0));
        if *row == at.row {
            continue;
        }
        *row = at.row;
        if found.len() == *position {
            found.push(Vec::new());
        }
        found[*position].push(offset);
        *position += 1;
        let complete = found
            .iter()
            .rev()
            .skip_while(|of_banks| of_banks.len() < rows.len());
        if complete.map(Vec::len).sum::<usize>() >= ADDRESSES {
            break;
        }
    }
    found.into_iter().flatten().take(ADDRESSES).collect()
}

/// Returns `accesses` as statements, once per round. In each address, the number of the round replaces the text ROUND.
fn rounds(accesses: &[(Access, &str)]) -> Vec<Value> {
    let statement = |round: u64, (access, address): &(Access, &str)| {
        // Loads to different registers do not wait for each other.
        let address = address.replace("ROUND", &round.to_string());
        match access {
            Load => {
                json!({"op": "load", "to": format!("f{round}"), "address": address, "bytes": 4, "cache": "l2"})
            }
            Store => json!({"op": "store", "from": "f20", "address": address, "bytes": 4}),
        }
    };
    let statements =
        (0..ROUNDS).flat_map(|round| accesses.iter().map(move |access| statement(round, access)));
    statements.collect()
}

/// Returns statements that access each address of `at`. If `repeats` is 0, each address is accessed only once, by the
/// warps in rotation. Otherwise each warp accesses each address `repeats` times.
fn listed(access: Access, at: &[u64], blocks: u64, repeats: u64) -> Vec<Value> {
    let warps = blocks * BLOCK / 32;
    let statements = at.iter().enumerate().map(|(index, offset)| {
        let mut statement = match access {
            Load => json!({"op": "load", "to": format!("f{}", index % 16), "bytes": 4, "cache": "l2"}),
            Store => json!({"op": "store", "from": "f20", "bytes": 4}),
        };
        if let Some(fields) = statement.as_object_mut() {
            fields.insert("address".to_owned(), json!(format!("a + {offset}")));
            if repeats == 0 {
                let when = format!("block*{} + warp == {}", BLOCK / 32, index as u64 % warps);
                fields.insert("when".to_owned(), json!(when));
            }
        }
        statement
    });
    let statements: Vec<Value> = statements.collect();
    vec![json!({"repeat": repeats.max(1), "body": statements})]
}

fn pattern(
    (name, level, used, l2): (&'static str, Level, Use, L2),
    blocks: u64,
    buffer: u64,
    mut body: Vec<Value>,
) -> Result<Pattern> {
    body.push(json!({"op": "exit"}));
    let text = json!({
        "name": name, "grid": blocks, "block": BLOCK, "registers": 32, "buffers": {"a": buffer}, "body": body,
    });
    let program: Program =
        serde_json::from_value(text).map_err(|error| Error::from(Refusal::told("", error)))?;
    Ok(Pattern {
        name,
        level,
        used,
        l2,
        program,
    })
}
