//! Names of the directives of PTX.

use super::error::PtxError;
use super::instruction::clip;
use super::text::Piece;

/// Directives that may begin a statement (PTX ISA 8.5, chapter 11, and the state spaces of chapter 5).
const DIRECTIVES: [&str; 34] = [
    "address_size",
    "alias",
    "branchtargets",
    "callprototype",
    "calltargets",
    "common",
    "const",
    "entry",
    "explicitcluster",
    "extern",
    "file",
    "func",
    "global",
    "loc",
    "local",
    "maxclusterrank",
    "maxnctapersm",
    "maxnreg",
    "maxntid",
    "minnctapersm",
    "noreturn",
    "param",
    "pragma",
    "reg",
    "reqnctapercluster",
    "reqntid",
    "section",
    "shared",
    "sreg",
    "target",
    "tex",
    "version",
    "visible",
    "weak",
];

/// Checks that a statement in line `line` that begins with a dot begins with a directive of PTX. Otherwise, a misspelled
/// declaration would have no effect.
pub(super) fn check(line: usize, piece: &Piece) -> Result<(), PtxError> {
    let Piece::Statement(text) = piece else {
        return Ok(());
    };
    let name = text.split_whitespace().next().unwrap_or_default();
    match name.strip_prefix('.') {
        Some(directive) if !DIRECTIVES.contains(&directive) => Err(PtxError::new(
            line,
            format!("found {}, expected a directive of PTX", clip(name)),
        )),
        _ => Ok(()),
    }
}
