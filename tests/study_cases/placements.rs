//! Measures on thread blocks and SMs.

use gpusched::study::Table;

use crate::study_support::run;
use crate::{DRAWN, parse, temporary};

/// The values of `quantity` in `case`, in their order.
fn values(table: &Table, case: &str, quantity: &str) -> Vec<String> {
    let column = |name: &str| table.column(name).unwrap();
    let (cases, quantities, values) = (column("case"), column("quantity"), column("value"));
    let rows = (0..table.len()).filter(|&row| cases.text(row) == case && quantities.text(row) == quantity);
    rows.map(|row| values.text(row).to_owned()).collect()
}

#[test]
fn numbers_are_those_of_small_cases() {
    let folder = temporary();
    run(&parse(DRAWN).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("drawn.csv")).unwrap();
    let of = |case: &str, quantity: &str| values(&table, case, quantity);
    // Pairs x + y up to 25 and 24 warps: 25·24/2 and 24·23/2.
    assert_eq!(of("pairs", "pairs"), ["300", "276"]);
    assert_eq!(of("pairs", "pairs against the equation"), ["0", "0"]);
    let shares = of("round-robin", "misprediction");
    let shares: Vec<f64> = shares.iter().map(|share| share.parse().unwrap()).collect();
    assert!(shares[0] < 0.4 && shares[1] > 0.8, "{shares:?}");
    // 8 blocks of 4 warps; 16 KiB hold three blocks of 4352 bytes.
    assert_eq!(of("room", "blocks per SM"), ["8", "3"]);
    assert_eq!(of("half", "SMs without a block"), ["4"]);
    assert_eq!(of("half", "slowdown"), ["1.000000", "1.000000"]);
}

#[test]
fn bad_parameters_are_refused() {
    for (from, to, expected) in [
        (
            "equation = 3",
            "equation = 5",
            "equation: found 5, expected 2, 3 or 4",
        ),
        (
            "equation = 3",
            "equation = 2",
            "before: found [7, 8], expected none for Eq. 2",
        ),
        ("before = [7, 8]", "before = [8, 7]", "before: found 8 to 7"),
        ("streams = [2, 8]", "streams = [0, 8]", "streams: found [0, 8]"),
        (
            "threads = [1, 1024]",
            "threads = [1, 4096]",
            "threads: found [1, 4096]",
        ),
        (
            "configurations = 50",
            "configurations = 0",
            "configurations: found 0",
        ),
        (
            "published = [0.19, 0.96]",
            "published = [0.19]",
            "published: found [0.19], expected 2 numbers",
        ),
        ("threads = [128]", "threads = []", "threads: found []"),
        ("sms = 4, threads", "sms = 0, threads", "found 0"),
        ("sanudo20-fig5-right.json", "no-such.json", "scenario"),
    ] {
        let text = DRAWN.replacen(from, to, 1);
        assert_ne!(text, DRAWN, "{from}");
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}
