//! A database as the readers see it: tables, columns and cells.
//!
//! Tables and columns depend on the version and on the options of the profiler. So every table and column is optional for a
//! reader.

use std::collections::HashMap;
use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result, excerpt};
use gpusched_model::time::decimal::Rounding;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, types::ValueRef};

use crate::model::Missing;
use crate::readers::signed::{is_no_value, signed};

/// Longest text in the file [bytes].
const LONGEST_TEXT: i32 = 1 << 24;

/// Instructions of SQLite between two checks of the work.
const CHECKED: i32 = 10_000;

/// Maximum number of instructions of SQLite for all queries: this many, and [`PER_BYTE`] for each byte of the file. A valid file needs
/// fewer than 20 per byte. In a damaged file, numbers of rows can occur several times, so that a join has no useful limit.
const LEAST_WORK: u64 = 10_000_000;

/// See [`LEAST_WORK`].
const PER_BYTE: u64 = 250;

/// A database that the reader opens without changing it.
pub(super) struct Database {
    pub connection: Connection,
    path: std::path::PathBuf,
    /// Tables with the names of their columns.
    tables: HashMap<String, Vec<String>>,
    /// Maximum number of rows of a query: the size of the file in bytes. A damaged database can contain an endless
    /// chain of pages, but no valid file has more rows than bytes.
    most_rows: u64,
}

impl Database {
    /// Opens the database at `path`, a file of `bytes` bytes.
    ///
    /// # Errors
    /// Refuses a damaged database.
    pub fn open(path: &Path, bytes: u64) -> Result<Database> {
        let refuse = |error| refuse(path, error);
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // The reader opens the database as immutable, so that SQLite creates no files next to it.
        let mut connection = Connection::open_with_flags(uri(path), flags).map_err(refuse)?;
        connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_TEXT)
            .map_err(refuse)?;
        connection
            .execute_batch(
                "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16000;",
            )
            .map_err(refuse)?;
        let most = bytes.saturating_mul(PER_BYTE).saturating_add(LEAST_WORK);
        let mut left = most / u64::from(CHECKED.unsigned_abs());
        let check = move || {
            left = left.saturating_sub(1);
            left == 0
        };
        connection
            .progress_handler(CHECKED, Some(check))
            .map_err(refuse)?;
        let mut database = Database {
            connection,
            path: path.to_owned(),
            tables: HashMap::new(),
            most_rows: bytes,
        };
        let mut tables = Vec::new();
        let query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
        database.rows("sqlite_master", query, |row| {
            tables.push(text(row, 0)?.unwrap_or_default());
            Ok(())
        })?;
        for table in tables {
            let mut columns = Vec::new();
            let query = format!("SELECT name FROM pragma_table_info({})", quoted(&table, '\''));
            database.rows(&table, &query, |row| {
                columns.push(text(row, 0)?.unwrap_or_default());
                Ok(())
            })?;
            database.tables.insert(table, columns);
        }
        Ok(database)
    }

    /// Returns the names of all tables that start with `start`, without this start, in their order.
    pub fn suffixes(&self, start: &str) -> Vec<String> {
        let names = self.tables.keys();
        let mut found: Vec<String> = names
            .filter_map(|name| Some(name.strip_prefix(start)?.to_owned()))
            .collect();
        found.sort_unstable();
        found
    }

    /// Creates the temporary table `name` with the result of `query`, and an index of its column `key`. A table of this name is replaced.
    ///
    /// # Errors
    /// Refuses a damaged database, also if the result has more rows than the file has bytes.
    pub fn create(&self, name: &str, query: &str, key: &str) -> Result<()> {
        let refuse = |error| refuse(&self.path, error);
        let limit = self.most_rows.saturating_add(1);
        let made = self.connection.execute_batch(&format!(
            "PRAGMA temp_store = FILE; DROP TABLE IF EXISTS temp.{name}; CREATE TEMP TABLE {name} AS {query} LIMIT {limit};"
        ));
        made.map_err(refuse)?;
        self.rows(name, &format!("SELECT 1 FROM temp.{name}"), |_| Ok(()))?;
        let indexed = format!("CREATE INDEX temp.{name}_by_{key} ON {name} ({key});");
        self.connection.execute_batch(&indexed).map_err(refuse)
    }

    /// Whether the database has `table`.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Returns the first of `columns` that `table` has, for use in a query, or `NULL`.
    pub fn column(&self, table: &str, columns: &[&str]) -> String {
        let present = self.tables.get(table);
        let found = columns.iter().find(|column| {
            let mut present = present.into_iter().flatten();
            present.any(|name| name.eq_ignore_ascii_case(column))
        });
        found.map_or_else(|| "NULL".to_owned(), |column| quoted(column, '"'))
    }

    /// Runs `query` about `table`, and calls `take` with each row.
    pub fn rows(
        &self,
        table: &str,
        query: &str,
        mut take: impl FnMut(&Row<'_>) -> Result<(), Refusal>,
    ) -> Result<()> {
        let refuse = |error| refuse(&self.path, error);
        let mut statement = self.connection.prepare(query).map_err(refuse)?;
        let mut rows = statement.query([]).map_err(refuse)?;
        let mut count = 0u64;
        while let Some(row) = rows.next().map_err(refuse)? {
            take(row).map_err(|refusal| {
                let place = format!("{table}[{count}]");
                Error::from(refusal.within(&place).at(&self.path, None))
            })?;
            count += 1;
            if count > self.most_rows {
                let found = format!("more rows in {table} than bytes in the file");
                return Err(Error::file(&self.path, found, "an undamaged database"));
            }
        }
        Ok(())
    }
}

/// Returns the integer in column `index`.
pub(super) fn integer(row: &Row<'_>, index: usize) -> Result<Option<i64>, Refusal> {
    match row.get_ref(index) {
        Ok(ValueRef::Integer(value)) => Ok(Some(value)),
        Ok(ValueRef::Null) => Ok(None),
        _ => Err(Refusal::new(
            name_of(row, index),
            "a value of another type",
            "an integer",
        )),
    }
}

/// Returns the integer in column `index`, such as the number of a stream. Another value counts as impossible and gives `None`.
pub(super) fn identity(row: &Row<'_>, index: usize, missing: &mut Missing) -> Option<i64> {
    integer(row, index).unwrap_or_else(|refusal| {
        missing.impossible(format_args!("{refusal}"));
        None
    })
}

/// Returns the time in column `index` [ns]. Another value counts as impossible and gives `None`, so that one damaged row does not
/// make a long file useless.
pub(super) fn time(row: &Row<'_>, index: usize, rounding: Rounding, missing: &mut Missing) -> Option<i64> {
    let text = match row.get_ref(index) {
        Ok(ValueRef::Integer(value)) => return Some(value),
        Ok(ValueRef::Null) => return None,
        Ok(ValueRef::Real(value)) => value.to_string(),
        Ok(ValueRef::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => "a value of another type".to_owned(),
    };
    if is_no_value(&text) {
        return None;
    }
    let time = signed(text.trim(), 0, rounding);
    if time.is_none() {
        missing.impossible(format_args!("{} {:?}", name_of(row, index), excerpt(&text)));
    }
    time
}

/// Returns the text in column `index`. A value of another type counts as its text, so that one damaged name does not make a long file
/// useless.
pub(super) fn text(row: &Row<'_>, index: usize) -> Result<Option<String>, Refusal> {
    match row.get_ref(index) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
            Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
        }
        Ok(ValueRef::Null) => Ok(None),
        Ok(ValueRef::Integer(value)) => Ok(Some(value.to_string())),
        Ok(ValueRef::Real(value)) => Ok(Some(value.to_string())),
        Err(_) => Err(Refusal::new(
            name_of(row, index),
            "a value of another type",
            "a text",
        )),
    }
}

/// Returns a positive number of SMs. The value 0 means that the number is unknown. A value of another type counts as impossible.
pub(super) fn sms_in(row: &Row<'_>, index: usize, missing: &mut Missing) -> Option<u32> {
    let sms = identity(row, index, missing).and_then(|sms| u32::try_from(sms).ok());
    sms.filter(|&sms| sms > 0)
}

fn name_of(row: &Row<'_>, index: usize) -> String {
    row.as_ref().column_name(index).unwrap_or("value").to_owned()
}

/// Encloses `name` in `quotes`, and doubles each quote inside the name.
pub(super) fn quoted(name: &str, quote: char) -> String {
    let doubled = name.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}

/// Returns the URI that opens the database as immutable. The function escapes bytes that have a special meaning.
fn uri(path: &Path) -> String {
    let escaped = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|&byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02x}"),
        });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}

fn refuse(path: &Path, error: rusqlite::Error) -> Error {
    let message = match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => {
            "found a damaged database: its tables need more work than a valid file of this size".to_owned()
        }
        _ => format!("found a damaged database: {error}"),
    };
    Refusal::told("", message).at(path, None).into()
}
