//! Best-effort cores that share a budget: comparison with a nanosecond-by-nanosecond division,
//! and runs with a concurrent kernel.

use gpusched::bandwidth::{Sharing, jain};
use gpusched::model::Factor;
use gpusched::simulator::regulation::{AccessPattern, Setting, Simulator};
use rand::{Rng, RngExt};

use crate::bandwidth::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

fn divide(rule: Sharing, budget: u64, demands: &[u64]) -> Vec<u64> {
    let mut shares = vec![7; 3]; // values of an earlier call
    rule.divide(budget, demands, &mut shares);
    shares
}

fn demands(rng: &mut impl Rng, most: u64) -> Vec<u64> {
    let cores = rng.random_range(0..=8);
    let demand = |_| rng.random_range(0..=most) * u64::from(rng.random_bool(0.8));
    (0..cores).map(demand).collect()
}

/// Divides the budget nanosecond by nanosecond. Each nanosecond goes to the core with the
/// smallest share among the cores with remaining demand. Ties go to the first core.
fn water(budget: u64, demands: &[u64]) -> Vec<u64> {
    let mut shares = vec![0; demands.len()];
    for _ in 0..budget {
        let thirsty = (0..demands.len()).filter(|&core| shares[core] < demands[core]);
        let Some(core) = thirsty.min_by_key(|&core| (shares[core], core)) else {
            break;
        };
        shares[core] += 1;
    }
    shares
}

#[test]
fn max_min_is_water_that_is_poured() {
    let mut rng = random::rng(61);
    let mut scarce = 0;
    for _ in 0..rounds(20_000) {
        let demands = demands(&mut rng, 60);
        let budget = rng.random_range(0..200);
        let expected = water(budget, &demands);
        assert_eq!(
            divide(Sharing::MaxMin, budget, &demands),
            expected,
            "{budget} {demands:?}"
        );
        scarce += u32::from(expected != demands);
    }
    assert!(scarce > rounds(5_000), "{scarce}");
}

/// Under every rule, no core gets more than its demand, and all cores together get at most the
/// budget. Under all rules except equal parts, the cores together get the total demand or the
/// budget.
#[test]
fn no_rule_gives_what_there_is_not() {
    let mut rng = random::rng(62);
    for _ in 0..rounds(50_000) {
        let size = random::magnitude(&mut rng, 63);
        let (demands, budget) = (demands(&mut rng, size), random::magnitude(&mut rng, 63));
        for rule in Sharing::ALL {
            let shares = divide(rule, budget, &demands);
            assert_eq!(shares.len(), demands.len());
            assert!(shares.iter().zip(&demands).all(|(share, demand)| share <= demand));
            let sum = |times: &[u64]| times.iter().map(|&time| u128::from(time)).sum::<u128>();
            let most = sum(&demands).min(budget.into());
            match rule {
                Sharing::Equal => assert!(sum(&shares) <= most),
                _ => assert_eq!(sum(&shares), most, "{rule} {budget} {demands:?}"),
            }
        }
    }
    for rule in Sharing::ALL {
        assert!(divide(rule, 5, &[]).is_empty());
        let shares = divide(rule, u64::MAX, &[u64::MAX; 4]);
        assert!(shares.iter().map(|&share| u128::from(share)).sum::<u128>() <= u64::MAX.into());
    }
}

/// Equal parts and proportional shares equal the exact fractions, to a nanosecond.
#[test]
fn parts_are_the_fractions() {
    let mut rng = random::rng(63);
    for _ in 0..rounds(20_000) {
        let demands = demands(&mut rng, 1_000_000);
        let budget = rng.random_range(0..3_000_000u64);
        let total: u64 = demands.iter().sum();
        let equal = divide(Sharing::Equal, budget, &demands);
        let proportional = divide(Sharing::Demand, budget, &demands);
        for ((&demand, equal), proportional) in demands.iter().zip(equal).zip(proportional) {
            let part = (budget as f64 / demands.len() as f64).min(demand as f64);
            assert!((equal as f64 - part).abs() < 1.0, "{budget} {demands:?}");
            let part = demand as f64 * (budget as f64 / total as f64).min(1.0);
            assert!(
                (proportional as f64 - part).abs() < 1.0 + 1e-6,
                "{budget} {demands:?}"
            );
        }
    }
    assert_eq!(divide(Sharing::Equal, 11, &[9, 1, 9]), [4, 1, 3]);
    assert_eq!(divide(Sharing::MaxMin, 11, &[9, 1, 9]), [5, 1, 5]);
    assert_eq!(divide(Sharing::Demand, 19, &[20, 10, 8]), [10, 5, 4]);
}

#[test]
fn fairness_is_jains() {
    assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
    assert_eq!(jain(&[0.0, 5.0, 0.0, 0.0]), Some(0.25));
    assert!((jain(&[1.0, 3.0]).unwrap() - 16.0 / 20.0).abs() < 1e-12);
    assert_eq!([jain(&[]), jain(&[0.0, 0.0])], [None, None]);
}

/// A run depends only on the total demand, so Lemma 1 holds for cores that share a budget. No kernel misses its
/// deadline, and the cores receive the whole best-effort memory time. Under all rules except equal parts, one core with
/// the sum of all demands receives the same memory time.
#[test]
fn kernels_do_not_care_who_interferes() {
    let mut rng = random::rng(64);
    let (mut lost, mut shared) = (0, 0);
    for run in 0..rounds(3_000) {
        let case = Case::new(&mut rng, 64, run, &AccessPattern::ALL);
        let period = case.allocator.period().ns();
        let cores = rng.random_range(1..=5);
        // Demands are whole nanoseconds if the period divides a billion, and rounded down otherwise.
        let demand = |_| Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap();
        let cores: Vec<Factor> = (0..cores).map(demand).collect();
        let sharing = Sharing::ALL[run as usize % 3];
        let setting = Setting {
            cores: cores.clone(),
            sharing,
            ..case.setting.clone()
        };
        let simulator = Simulator::new(&case.kernel, setting, 64).unwrap();
        let mut governor = case.allocator.clone();
        let found = simulator.simulate(&case.execution, case.policy, &mut governor, case.process, false);
        assert!(!found.late, "{sharing} {cores:?} {:?}", case.kernel);
        let sum: f64 = found.cores.iter().sum();
        assert_eq!(found.cores.len(), cores.len());
        assert!(
            (sum - found.requests).abs() <= 1e-9 * (1.0 + sum),
            "{sum} {found:?}"
        );

        let wanted = cores.iter().map(|demand| {
            let (numerator, denominator) = demand.ratio();
            u128::from(period) * u128::from(numerator) / u128::from(denominator)
        });
        let wanted = wanted.sum::<u128>().min(period.into());
        // The demand as a share of the period, to a billionth.
        let together = Factor::from_billionths((wanted * 1_000_000_000 / u128::from(period)) as u64).unwrap();
        let setting = Setting {
            demand: together,
            ..case.setting.clone()
        };
        let simulator = Simulator::new(&case.kernel, setting, 64).unwrap();
        let mut governor = case.allocator.clone();
        let one = simulator.simulate(&case.execution, case.policy, &mut governor, case.process, false);
        match sharing {
            Sharing::Equal => lost += u32::from(found.requests < 0.99 * one.requests),
            // The results differ slightly, because a billionth of a period is less than a nanosecond.
            _ if period <= 1_000_000 && together.as_f64() * period as f64 == wanted as f64 => {
                assert!((found.requests - one.requests).abs() <= 1e-6 * (1.0 + one.requests));
                shared += 1;
            }
            _ => {}
        }
    }
    println!("equal parts lose in {lost} runs of 1,000; {shared} compared");
    assert!(lost > rounds(100) && shared > rounds(100), "{lost} {shared}");
}
