//! Built-in machines. Each machine has a file in `tasksets/machines/`, which states the source of
//! its parameters.

use std::path::Path;

use super::{Machine, MachineShape};
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::{Document, Documents, Fault, from_json};

/// Machine files. The program contains the files, so it needs no data directory.
const FILES: [&str; 3] = [
    include_str!("../../data/machines/rtx2060.json"),
    include_str!("../../data/machines/titanv.json"),
    include_str!("../../data/machines/titanv-gpcs.json"),
];

impl Document for MachineShape {
    const EXPECTED: &str = "a machine: an object with \"clusters\", \"sm\", \"memory\" …";

    fn from_json(text: &str) -> Result<MachineShape, Fault> {
        from_json::<MachineShape, _>(text)
    }
}

impl Machine {
    /// Returns all built-in machines, sorted by ascending number of SMs.
    pub fn all() -> impl Iterator<Item = Machine> {
        let shapes = FILES.iter().filter_map(|file| MachineShape::from_json(file).ok());
        shapes.filter_map(|shape| Machine::new(shape).ok())
    }

    /// Returns the built-in machine called `name`.
    pub fn named(name: &str) -> Option<Machine> {
        Machine::all().find(|machine| machine.name == name)
    }

    /// Returns the built-in machine called `text`. If no built-in machine has this name, reads a machine from the file
    /// `text`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if neither the machine nor the file exists, or if the file
    /// is invalid. Also fails if the file cannot be read.
    pub fn find(text: &str) -> Result<Machine> {
        if let Some(machine) = Machine::named(text) {
            return Ok(machine);
        }
        let looks_like_a_file = text == "-" || text.contains(['/', '\\', '.']);
        if !looks_like_a_file && !Path::new(text).exists() {
            let found: String = text.chars().take(40).collect();
            let expected = format!("one of {}, or a file", Machine::names());
            return Err(Error::parameter("machine", format!("{found:?}"), expected));
        }
        Machine::read(text)
    }

    /// Reads a machine from the file at `path`. The path `-` means standard input.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for an invalid file. The error states the place, the found
    /// value and the expected value. Fails with [`Error::Io`] if the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Machine> {
        let path = path.as_ref();
        let shape: MachineShape = Documents::only(path, "machine")?;
        Machine::new(shape).map_err(|refusal| refusal.at(path, None).into())
    }

    /// Returns the names of the built-in machines.
    pub fn names() -> String {
        let names: Vec<String> = Machine::all().map(|machine| machine.name.clone()).collect();
        names.join(", ")
    }
}
