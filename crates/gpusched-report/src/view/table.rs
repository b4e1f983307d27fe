//! Tables: typed columns, and the rows from which the columns take their cells.

use serde::Serialize;

use super::Cell;

/// A table. Text and pages show the columns with a title, and CSV contains the columns with a name.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Id of the table on the page, and the name of its CSV file.
    pub(crate) id: String,
    pub(crate) caption: String,
    /// Position of the column that names the row.
    pub(crate) head: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Last row of the text, which summarizes the other rows; `None` without such a row.
    #[serde(skip)]
    pub(crate) foot: Option<Vec<Cell>>,
}

/// Title of a column in text and on a page, and its name in CSV. A column without a name is not in CSV.
#[derive(Debug)]
pub struct Names(Option<String>, Option<&'static str>);

impl From<&str> for Names {
    fn from(title: &str) -> Names {
        Names(Some(title.to_owned()), None)
    }
}

impl From<(&str, &'static str)> for Names {
    fn from((title, name): (&str, &'static str)) -> Names {
        Names(Some(title.to_owned()), Some(name))
    }
}

/// A column of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Column {
    /// Title in text and on a page; `None` for a column that only CSV contains.
    pub(crate) title: Option<String>,
    /// Name in CSV; `None` for a column that CSV does not contain.
    #[serde(skip)]
    pub(crate) name: Option<&'static str>,
    /// Whether the column contains numbers. Text and pages align numbers to the right, and pages sort them by value.
    pub(crate) numeric: bool,
    /// Unit of the exact values on a page; empty if the text of a cell is the value.
    pub(crate) unit: &'static str,
}

impl Table {
    /// Starts a table with one row for each of `rows`.
    pub fn of<R>(rows: impl IntoIterator<Item = R>) -> Draft<R> {
        let rows: Vec<R> = rows.into_iter().collect();
        Draft {
            table: Table {
                rows: rows.iter().map(|_| Vec::new()).collect(),
                ..Table::default()
            },
            rows,
        }
    }

    /// Returns the table as a table of a page, with its id and its caption. Columns that only CSV contains are absent.
    #[must_use]
    pub fn on_page(mut self, id: impl Into<String>, caption: impl Into<String>) -> Table {
        for row in &mut self.rows {
            let mut columns = self.columns.iter();
            row.retain(|_| columns.next().is_none_or(|column| column.title.is_some()));
        }
        self.columns.retain(|column| column.title.is_some());
        for (index, column) in self.columns.iter().enumerate() {
            if column.unit == "ns" {
                one_unit(
                    { self.rows.iter_mut() }
                        .filter_map(|row| row.get_mut(index))
                        .collect(),
                );
            }
        }
        self.id = id.into();
        self.caption = caption.into();
        self
    }

    /// Adds a column with one of `cells` in each row. Apart from [`Draft::column`], which is compiled for each kind of row.
    fn add(&mut self, column: Column, cells: Vec<Cell>) {
        self.columns.push(column);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all rows after the first `rows` rows. Returns their number.
    pub fn truncate(&mut self, rows: usize) -> usize {
        let more = self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        more
    }
}

/// Writes times with different units in milliseconds, or in microseconds if each time is shorter than 1 ms.
fn one_unit(cells: Vec<&mut Cell>) {
    let mut times: Vec<(&mut Cell, i64)> = { cells.into_iter() }
        .filter_map(|cell| Some((cell.exact().parse().ok()?, cell)))
        .map(|(ns, cell)| (cell, ns))
        .collect();
    let unit = |cell: &Cell| {
        cell.text
            .trim_start_matches(|one: char| !one.is_ascii_alphabetic())
            .to_owned()
    };
    let mut units: Vec<String> = { times.iter() }.map(|(cell, _)| unit(cell)).collect();
    units.sort_unstable();
    units.dedup();
    if units.len() < 2 {
        return;
    }
    let longest = { times.iter() }
        .map(|(_, ns)| ns.unsigned_abs())
        .max()
        .unwrap_or(0);
    let (name, digits) = if longest >= 1_000_000 {
        ("ms", 6)
    } else {
        ("us", 3)
    };
    for (cell, ns) in &mut times {
        let scale = 10u64.pow(digits);
        let (whole, rest) = (ns.unsigned_abs() / scale, ns.unsigned_abs() % scale);
        let fraction = format!(".{rest:0width$}", width = digits as usize);
        let sign = if *ns < 0 { "−" } else { "" };
        cell.text = format!(
            "{sign}{whole}{}{name}",
            fraction.trim_end_matches('0').trim_end_matches('.')
        );
    }
}

/// A table that gets one column after the other. A column takes its cells from the rows `R`.
#[derive(Debug)]
pub struct Draft<R> {
    rows: Vec<R>,
    table: Table,
}

impl<R> Draft<R> {
    /// Adds a column of texts.
    #[must_use]
    pub fn text<C: Into<Cell>>(self, names: impl Into<Names>, cell: impl Fn(&R) -> C) -> Draft<R> {
        self.column(names.into(), (false, ""), cell)
    }

    /// Adds a column of numbers.
    #[must_use]
    pub fn number<C: Into<Cell>>(self, names: impl Into<Names>, cell: impl Fn(&R) -> C) -> Draft<R> {
        self.column(names.into(), (true, ""), cell)
    }

    /// Adds a column of times. Their exact values are whole nanoseconds.
    #[must_use]
    pub fn time<C: Into<Cell>>(self, names: impl Into<Names>, cell: impl Fn(&R) -> C) -> Draft<R> {
        self.valued(names, "ns", cell)
    }

    /// Adds a column of numbers with exact values in `unit`.
    #[must_use]
    pub fn valued<C: Into<Cell>>(
        self,
        names: impl Into<Names>,
        unit: &'static str,
        cell: impl Fn(&R) -> C,
    ) -> Draft<R> {
        self.column(names.into(), (true, unit), cell)
    }

    /// Adds a column that only CSV contains.
    #[must_use]
    pub fn exact<C: Into<Cell>>(self, name: &'static str, cell: impl Fn(&R) -> C) -> Draft<R> {
        self.column(Names(None, Some(name)), (false, ""), cell)
    }

    fn column<C: Into<Cell>>(
        mut self,
        Names(title, name): Names,
        (numeric, unit): (bool, &'static str),
        cell: impl Fn(&R) -> C,
    ) -> Draft<R> {
        let cells = { self.rows.iter() }.map(|row| cell(row).into()).collect();
        let column = Column {
            title,
            name,
            numeric,
            unit,
        };
        self.table.add(column, cells);
        self
    }

    /// Unless `shown` is true, omits the last column in text and on a page.
    #[must_use]
    pub fn shown(mut self, shown: bool) -> Draft<R> {
        if let Some(column) = self.table.columns.last_mut().filter(|_| !shown) {
            column.title = None;
        }
        self
    }

    /// Makes the last column the name of the row.
    #[must_use]
    pub fn heading(mut self) -> Draft<R> {
        self.table.head = self.table.columns.len().saturating_sub(1);
        self
    }

    /// Sets the cell of the last column in the last row of the text, which summarizes the other rows.
    #[must_use]
    pub fn foot(mut self, cell: impl Into<Cell>) -> Draft<R> {
        let columns = self.table.columns.len();
        let foot = self.table.foot.get_or_insert_default();
        foot.resize(columns, Cell::default());
        if let Some(last) = foot.last_mut() {
            *last = cell.into();
        }
        self
    }

    /// Adds the `columns` if `wanted` is true.
    #[must_use]
    pub fn when(self, wanted: bool, columns: impl FnOnce(Draft<R>) -> Draft<R>) -> Draft<R> {
        if wanted { columns(self) } else { self }
    }

    /// Adds the columns `column` for each of `items`.
    #[must_use]
    pub fn each<T>(
        self,
        items: impl IntoIterator<Item = T>,
        column: impl Fn(Draft<R>, T) -> Draft<R>,
    ) -> Draft<R> {
        items.into_iter().fold(self, column)
    }

    /// Returns the rows from which the columns take their cells.
    pub fn rows(&self) -> &[R] {
        &self.rows
    }

    /// Returns the complete table.
    pub fn done(self) -> Table {
        self.table
    }
}
