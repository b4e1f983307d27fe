//! Rates of blocks that share the memory bandwidth or slow each other down.

use proptest::prelude::*;

use crate::block_level::scenario::{read, run, spans};
use crate::support::rounds;

/// Returns the rate of block `client`. `demands` contains the bandwidth demand of each block.
fn rate(capacity: u64, demands: &[u64], client: usize) -> f64 {
    // All other blocks run longer, so the demands are constant until the block ends.
    let kernels: Vec<String> = (0..demands.len())
        .map(|index| {
            let time = if index == client { "1ms" } else { "1s" };
            let demand = demands[index];
            format!(
                r#"{{"stream":{index},"blocks":1,"threads":32,"block_time":"{time}","bandwidth":{demand}}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"platform":"xavier","interference":{{"bandwidth":{capacity}}},"kernels":[{}]}}"#,
        kernels.join(",")
    );
    let (start, end) = spans(&run(&read(&text)))[client];
    1e6 / (end - start) as f64
}

#[test]
fn shares_by_hand() {
    let rates = |capacity, demands: &[u64]| -> Vec<f64> {
        let rates = (0..demands.len()).map(|client| rate(capacity, demands, client));
        rates.map(|rate| (rate * 1e3).round() / 1e3).collect()
    };
    assert_eq!(rates(100, &[20, 30]), [1.0, 1.0]);
    assert_eq!(rates(100, &[20, 100, 160]), [1.0, 0.4, 0.25]); // 20, 40, 40
    assert_eq!(rates(100, &[0, 200]), [1.0, 0.5]);
    assert_eq!(rates(90, &[60, 60, 60]), [0.5; 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(256)))]
    /// The reference implementation repeatedly raises all shares by one unit. A share stops at its demand, and all shares
    /// stop when the capacity is used.
    #[test]
    fn max_min_equals_filling(capacity in 1u64..300, demands in prop::collection::vec(0u64..120, 1..7)) {
        // The unit 420 is a multiple of 1 to 7, so equal shares are integers.
        let unit = 420;
        let mut shares = vec![0u64; demands.len()];
        let mut left = capacity * unit;
        loop {
            let wanting: Vec<usize> = (0..demands.len()).filter(|&k| shares[k] < demands[k] * unit).collect();
            if wanting.is_empty() || left < wanting.len() as u64 {
                break;
            }
            for k in wanting {
                shares[k] += 1;
                left -= 1;
            }
        }
        for (k, &demand) in demands.iter().enumerate() {
            let twin = if demand == 0 { 1.0 } else { shares[k] as f64 / (demand * unit) as f64 };
            let found = rate(capacity, &demands, k);
            prop_assert!((found - twin).abs() <= 1e-5, "{found} {twin}");
        }
    }
}

/// Returns the start and end of a block [ns] while copies of `factor` run.
fn with_copies(factor: u32, launch: u64, time: u64, share: f64, copies: &[(u64, u64)]) -> (u64, u64) {
    let copies: Vec<String> = copies
        .iter()
        .map(|(launch, time)| {
            format!(r#"{{"stream":1,"kind":"memset","launch":"{launch}ns","time":"{time}ns"}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"platform":"tx2","interference":{{"factors":{{"memset":{factor}}}}},"copies":[{}],"kernels":[
        {{"stream":0,"blocks":1,"threads":32,"launch":"{launch}ns","block_time":"{time}ns","memory_share":{share}}}]}}"#,
        copies.join(",")
    );
    spans(&run(&read(&text)))[0]
}

#[test]
fn progress_follows_the_rate() {
    // 50 ns of work end at 57, 10 ns at half speed complete 5 ns, and 45 ns of work are left. The second copy starts when
    // the block ends.
    assert_eq!(with_copies(2, 7, 100, 1.0, &[(57, 10), (112, 10)]), (7, 112));
    // A rate of a third is rounded down, and the end is rounded up.
    assert_eq!(with_copies(3, 0, 10, 1.0, &[(0, 1_000)]), (0, 31));
}

#[test]
fn factors_by_hand() {
    let end = |factor, share| with_copies(factor, 0, 1_000, share, &[(0, 1_000_000)]).1;
    assert_eq!(end(8, 1.0), 8_000);
    assert_eq!(end(8, 0.0), 1_000);
    assert_eq!(end(3, 0.5), 2_000);
    assert_eq!(end(1, 1.0), 1_000);
}
