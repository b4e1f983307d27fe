//! A table as text and as CSV.

use anstyle::Style;
use gpusched::time::Time;
use gpusched_report::view::{Cell, Table, clip, wrap};

#[test]
fn columns_are_aligned() {
    let rows = [
        (12_u64, wrap(["a".into(), "bb".into(), "ccc".into()], 6)),
        (3, "é".to_owned()),
    ];
    let table = Table::of(&rows)
        .number("n", |row| row.0)
        .text("tasks", |row| &row.1);
    assert_eq!(
        table.done().render(Style::new()),
        "   n  tasks\n  12  a, bb,\n      ccc\n   3  é\n"
    );
}

#[test]
fn names_are_clipped_and_cleaned() {
    assert_eq!(clip("abcdef", 4), "abc…");
    assert_eq!(clip("a\u{1b}b", 4), "a\u{fffd}b");
}

#[test]
fn text_and_csv_show_their_columns() {
    let rows = [("a, b", Some(Time::from_ns(1_500))), ("c", None)];
    let table = Table::of(&rows)
        .exact("set", |_| 0_u32)
        .text(("task", "name"), |(name, _)| *name)
        .foot("all")
        .time(("C(m)", "wcet_ns"), |(_, time)| Cell::or(*time, "-"))
        .number("rank", |(name, _)| name.len())
        .when(false, |table| table.text("none", |_| ""));
    let table = table.done();
    assert_eq!(table.csv_header(), "set,name,wcet_ns\n");
    assert_eq!(table.csv_rows().unwrap(), "0,\"a, b\",1500\n0,c,\n");
    let text = "  task   C(m)  rank\n  a, b  1.5us     4\n  c         -     1\n  all\n";
    assert_eq!(table.render(Style::new()), text);
}
