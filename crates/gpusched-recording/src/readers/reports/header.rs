//! The header of a report: names of columns, with units.

use csv::ByteRecord;

/// Names of the columns in lower case, without units.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    columns: Vec<(String, Option<String>)>,
}

/// A column with times.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeColumn {
    /// Position of the column.
    pub index: usize,
    /// Exponent e of the unit: the unit is 10^e ns.
    pub unit: u32,
}

impl Header {
    /// Reads a header such as `"Start (ns)",Name`.
    pub fn of(record: &ByteRecord) -> Header {
        let columns = record.iter().map(|name| {
            let name = String::from_utf8_lossy(name.trim_ascii()).to_lowercase();
            let name = name.trim_start_matches('\u{feff}').trim_matches('"');
            match name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
                Some((name, unit)) => (name.trim().to_owned(), Some(unit.trim().to_owned())),
                None => (name.trim().to_owned(), None),
            }
        });
        Header {
            columns: columns.collect(),
        }
    }

    /// Returns the position of the first column that has one of `names`.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        let mut positions = names
            .iter()
            .filter_map(|name| self.columns.iter().position(|(column, _)| column == name));
        positions.next()
    }

    /// Returns the first column with one of `names`, as a column of times. If the header states no unit, the unit is
    /// nanoseconds.
    pub fn time(&self, names: &[&str]) -> Option<TimeColumn> {
        let index = self.find(names)?;
        let (_, unit) = self.columns.get(index)?;
        let unit = unit.as_deref().map_or(Some(0), exponent)?;
        Some(TimeColumn { index, unit })
    }

    /// Returns the columns among `names` that state no unit.
    pub fn without_unit(&self, names: &[&str]) -> Vec<&str> {
        let columns = self.columns.iter().filter(|(_, unit)| unit.is_none());
        let columns = columns.map(|(column, _)| column.as_str());
        columns.filter(|column| names.contains(column)).collect()
    }

    /// Whether the header has all columns `names`.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.find(&[name]).is_some())
    }

    /// Returns the names of the columns with their positions.
    pub fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        self.columns.iter().map(|(name, _)| name.as_str()).enumerate()
    }
}

/// Returns the exponent e of a unit of time: the unit is 10^e ns.
pub fn exponent(unit: &str) -> Option<u32> {
    match unit {
        "ns" | "nsec" | "nsecond" | "nanosecond" => Some(0),
        "us" | "µs" | "usec" | "usecond" | "microsecond" => Some(3),
        "ms" | "msec" | "msecond" | "millisecond" => Some(6),
        "s" | "sec" | "second" => Some(9),
        _ => None,
    }
}
