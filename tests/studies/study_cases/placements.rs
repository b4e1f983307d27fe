//! Metrics of thread blocks and SMs.

use gpusched::study::Table;
use insta::assert_snapshot;

use crate::study_cases::{DRAWN, parse, refused, temporary};
use crate::study_support::run;

/// Returns the values of `quantity` in `case`, in their order.
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
    // The pairs x + y up to 25 and up to 24 warps: 25·24/2 and 24·23/2.
    assert_eq!(of("pairs", "pairs"), ["300", "276"]);
    assert_eq!(of("pairs", "pairs against the equation"), ["0", "0"]);
    let shares = of("round-robin", "misprediction");
    let shares: Vec<f64> = shares.iter().map(|share| share.parse().unwrap()).collect();
    assert!(shares[0] < 0.4 && shares[1] > 0.8, "{shares:?}");
    // 16 KiB hold five blocks of 3 KiB, although the ranking of SMs ignores 3 KiB, and three blocks of 4352 bytes.
    assert_eq!(of("room", "blocks per SM"), ["5", "3"]);
    assert_eq!(of("half", "SMs without a block"), ["4"]);
    assert_eq!(of("half", "slowdown"), ["1.000000", "1.000000"]);
    // K1 and K2 of [Singh22] Fig. 3, with K2 launched in cycle 1. LRR and GTO ignore the four budgets.
    let responses = of("warps", "response time");
    assert_eq!(responses[..8], ["35", "36"].repeat(4));
    assert_eq!(responses[8..16], ["20", "37"].repeat(4));
    assert_eq!(responses[20..], ["38", "27", "38", "23"]);
    assert_eq!(of("warps", "mean response time")[4], "28.500000");
    assert_eq!(of("warps", "last finish")[..5], ["37", "37", "37", "37", "38"]);
    shared_sms(&of);
}

/// pc and vadd with two budgets per scheduler. LRR and GTO have no budgets, so their results occur twice.
fn shared_sms(of: &dyn Fn(&str, &str) -> Vec<String>) {
    let numbers = |quantity: &str| -> Vec<f64> {
        let texts = of("shared", quantity);
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let (alone, responses) = (numbers("time alone"), numbers("response time"));
    assert_eq!((alone.len(), responses.len()), (2, 12));
    assert_eq!(responses[..2], responses[2..4]);
    assert_eq!(responses[4..6], responses[6..8]);
    for (slowdown, (response, alone)) in numbers("slowdown")
        .iter()
        .zip(responses.iter().zip(alone.iter().cycle()))
    {
        assert!(
            (slowdown - response / alone).abs() < 1e-6 && *slowdown >= 0.99,
            "{slowdown}"
        );
    }
    let means = numbers("mean response time");
    assert_eq!(means[0], (responses[0] + responses[1]) / 2.0);
    let best = numbers("best response time");
    let least = responses[9].min(responses[11]);
    assert_eq!((best[0], best[1], best[7]), (responses[0], responses[1], least));
    // The gains of K1, K2 and the mean under QAWS against LRR, then against GTO.
    let gains = numbers("gain");
    assert_eq!(gains.len(), 6);
    assert!(
        (gains[1] - (1.0 - least / responses[1])).abs() < 1e-6,
        "{gains:?}"
    );
    assert!(
        (gains[4] - (1.0 - least / responses[5])).abs() < 1e-6,
        "{gains:?}"
    );
    let most = responses[9].max(responses[11]);
    assert!((numbers("spread")[0] - (most / least - 1.0)).abs() < 1e-6);
}

#[test]
fn bad_parameters_are_refused() {
    let told = refused(
        DRAWN,
        r#"
equation = 3 → equation = 5
equation = 3 → equation = 2
before = [7, 8] → before = [8, 7]
streams = [2, 8] → streams = [0, 8]
threads = [1, 1024] → threads = [1, 4096]
configurations = 50 → configurations = 0
published = [0.19, 0.96] → published = [0.19]
threads = [128] → threads = []
sms = 4, threads → sms = 0, threads
sanudo20-fig5-right.json → no-such.json
kernel = "K2" → kernel = "K3"
step = 2 } → step = 0.5 }
from = 0, to = 6, step = 2 → from = 0, to = 9999, step = 1
["lrr", "gto", "qaws"] → []
"lrr",  → "rr", 
singh22-fig3-qaws-1-4.json → singh22-fig3-gto.json
machine = "rtx2060" → machine = "rtx"
, "tasksets/kernels/programs/vadd.json"] → ]
programs/vadd.json → programs/no.json
blocks = 30\ngap → blocks = 0\ngap
budgets = [1, 4] → budgets = [0.5]
"#,
    );
    assert_snapshot!(told);
}
