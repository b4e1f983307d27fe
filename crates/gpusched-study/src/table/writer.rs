//! Writer of tables.

use std::io;

use gpusched_model::error::{Error, Result};
use gpusched_model::spreadsheet::shielded;

/// Returns a table as CSV text. Error messages call the table `name`.
pub(crate) fn csv_of<C: AsRef<[u8]>>(
    name: &str,
    columns: &[C],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>> {
    let fail = |error: csv::Error| Error::io(name, "write", io::Error::other(error));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).map_err(fail)?;
    for row in rows {
        for cell in &row {
            writer.write_field(&*shielded(cell)).map_err(fail)?;
        }
        writer.write_record(None::<&[u8]>).map_err(fail)?;
    }
    writer
        .into_inner()
        .map_err(|error| Error::io(name, "write", error.into_error()))
}
