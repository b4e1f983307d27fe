//! Individual generated values.

use gpusched::generation::{Generator, Recipe, Source};

use crate::generation::{log_uniform, periods, recipe, source, works};

/// Values of another program with its own ChaCha8 and exact RandFixedSum tables, written from the documentation of
/// `generation` only. The values have 17 digits, which define a float exactly. The last bits of powers differ between
/// programs, so the utilizations may differ by 10⁻¹⁴. The task sets are equal.
#[test]
fn reference_sets() {
    let source = Source::new(&Recipe::default(), 4, 1.5, 42).unwrap();
    close(
        source.utilizations(7, 9).unwrap(),
        &[
            0.23131940176301624,
            0.3195357311400825,
            0.8378047612812459,
            0.11134010581565533,
        ],
    );
    assert_eq!(
        serde_json::to_string(&source.draw(7, 9).unwrap()).unwrap(),
        concat!(
            r#"{"name":"p7-s9","tasks":["#,
            r#"{"period":500000000,"deadline":375000000,"kind":"memory","wcet":{"amdahl":{"work":115659701,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":50000000,"deadline":37500000,"kind":"memory","wcet":{"amdahl":{"work":15976787,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":80000000,"deadline":60000000,"kind":"memory","wcet":{"amdahl":{"work":67024381,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":400000000,"deadline":300000000,"kind":"compute","wcet":{"amdahl":{"work":44536042,"serial":0.02,"conflict":1.2}}}"#,
            r#"]}"#
        )
    );
    // The shares are small, so periods are lengthened.
    let set = Source::new(&Recipe::default(), 6, 0.02, 7)
        .unwrap()
        .draw(0, 0)
        .unwrap();
    assert_eq!(
        works(&set),
        [2_199_995, 5_038_281, 16_469_759, 1_024_916, 1_968_490, 1_560_835]
    );
    let ms: Vec<u64> = periods(&set).into_iter().map(|ns| ns / 1_000_000).collect();
    assert_eq!(ms, [4000, 500, 2000, 4000, 4000, 4000]);
}

/// Checks that the utilizations are equal, except for the last digits.
fn close(found: Vec<f64>, expected: &[f64]) {
    let same = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a / b - 1.0).abs() < 1e-14);
    assert!(
        same && found.len() == expected.len(),
        "{found:?}, not {expected:?}"
    );
}

#[test]
fn reference_vectors() {
    let shares = |generator, cap, n, total, set| {
        source(&recipe(generator, Some(cap)), n, total)
            .utilizations(0, set)
            .unwrap()
    };
    close(
        shares(Generator::UunifastDiscard, 0.5, 4, 1.5, 0),
        &[
            0.4961892733047468,
            0.2974326888567934,
            0.21232314404965463,
            0.4940548937888051,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 0.5, 4, 1.5, 0),
        &[
            0.30451383750634303,
            0.4286910550357883,
            0.2743360029651559,
            0.49245910449271274,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 0.5, 4, 1.5, 1),
        &[
            0.46807307595857883,
            0.4350744217757556,
            0.30510362488095305,
            0.29174887738471256,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 1.0, 7, 2.5, 0),
        &[
            0.08716427164027003,
            0.7059759329618165,
            0.010940273278731903,
            0.410202801142976,
            0.26716318531014394,
            0.5806971369957893,
            0.43785639867027254,
        ],
    );
    let set = source(&log_uniform("10ms", "1s"), 4, 1.5).draw(0, 0).unwrap();
    assert_eq!(periods(&set), [45656119, 35730136, 90269392, 30105481]);
}
