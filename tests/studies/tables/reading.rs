//! Tables: cells, and errors with their lines.

use gpusched::error::Result;
use gpusched_study::Table;

fn table(text: &str) -> Result<Table> {
    Table::from_reader("t.csv", text.as_bytes())
}

fn message(text: &[u8]) -> String {
    Table::from_reader("t.csv", text).unwrap_err().to_string()
}

#[test]
fn cells_are_text_or_numbers_on_demand() {
    let table = table("a,b,c\n1,x,\n2.5e3,y,4\n1,1,\n").unwrap();
    assert_eq!((table.len(), table.columns().len()), (3, 3));
    let a = table.column("a").unwrap();
    assert_eq!((a.text(1), a.number(1).unwrap()), ("2.5e3", Some(2500.0)));
    assert_eq!((a.distinct(), a.is_numeric()), (vec!["1", "2.5e3"], true));
    let b = table.column("b").unwrap();
    assert!(!b.is_numeric());
    assert_eq!(
        b.number(1).unwrap_err().to_string(),
        "t.csv:3: at b: found \"y\", expected a finite number"
    );
    let c = table.column("c").unwrap();
    assert_eq!((c.number(0).unwrap(), c.is_numeric()), (None, true));
    assert_eq!(
        table.column("d").unwrap_err().to_string(),
        "t.csv: found no column `d`, expected one of a, b, c"
    );
}

#[test]
fn not_a_number_and_infinity_are_not_numbers() {
    let table = table("a\nNaN\ninf\n-1e999\n").unwrap();
    let a = table.column("a").unwrap();
    assert!((0..3).all(|row| a.number(row).is_err()));
}

#[test]
fn bad_files_are_named_with_their_line() {
    assert_eq!(
        message(b""),
        "t.csv: found an empty file, expected CSV with a header line"
    );
    assert_eq!(message(b"a,b,a\n1,2,3\n"), "t.csv:1: two columns are called `a`");
    assert_eq!(message(b"a,,b\n1,2,3\n"), "t.csv:1: column 2 has no name");
    let ragged = "t.csv:3: found 1 fields, expected 2 as in the header";
    assert_eq!(message(b"a,b\n1,2\n3\n"), ragged);
    assert_eq!(message(b"a,b\r\n1,2\r\n3\r\n"), ragged);
    assert_eq!(message(b"a,b\n\n3\n"), ragged);
    assert_eq!(
        message(b"a\n1\n\xff\n"),
        "t.csv:3: found bytes that are not UTF-8, expected UTF-8 text"
    );
    assert_eq!(
        message(b"\xff\n1\n"),
        "t.csv:1: found bytes that are not UTF-8, expected UTF-8 text"
    );
    let missing = Table::read("no/such.csv").unwrap_err().to_string();
    assert!(missing.starts_with("no/such.csv: cannot read: "), "{missing}");
}

#[test]
fn lines_count_quoted_line_ends() {
    let table = table("a,b\n\"1\n2\",x\n3,y\n").unwrap();
    let lines: Vec<_> = (0..2).map(|row| table.line(row)).collect();
    assert_eq!(lines, [Some(2), Some(4)]);
}
