//! Tables for spreadsheets: a cell is never a formula.

use gpusched_model::spreadsheet::{may_have_formula, original, shielded};

#[test]
fn formulas_have_an_apostrophe_and_numbers_have_none() {
    for (cell, written) in [
        ("=1+1", "'=1+1"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-cmd", "'-cmd"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("'=x", "''=x"),
        ("-", "-"),
        ("'-", "''-"),
        ("--", "'--"),
        ("-inf", "'-inf"),
        ("-1", "-1"),
        ("+1.5e3", "+1.5e3"),
        ("", ""),
        ("'x", "'x"),
        ("a=b", "a=b"),
    ] {
        assert_eq!(shielded(cell), written);
        assert_eq!(original(written), cell);
        let row = format!("1,{cell}\n");
        assert!(may_have_formula(row.as_bytes()) || written == cell, "{cell:?}");
    }
    // A number after an apostrophe is a text that gpusched did not write.
    assert_eq!(original("'-1"), "'-1");
}
