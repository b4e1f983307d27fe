//! Comparison of the simplex with another solver, and check of its dual prices by weak duality.

use good_lp::{Expression, ProblemVariables, Solution, SolverModel, default_solver, variable};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use gpusched::model::knapsack::Knapsack;

use crate::support::rounds;

/// Profits, demand of the items in each row, and room in each row.
struct Program {
    prices: Vec<f64>,
    asks: Vec<Vec<f64>>,
    room: Vec<f64>,
}

fn random(rng: &mut ChaCha8Rng) -> Program {
    let (items, rows) = (rng.random_range(1..12), rng.random_range(1..5));
    // The numbers have only a few values, so ties occur.
    let number = |rng: &mut ChaCha8Rng, most: u64| (rng.next_u64() % most) as f64 / 4.0;
    Program {
        prices: (0..items).map(|_| number(rng, 12) - 0.5).collect(),
        asks: (0..items)
            .map(|_| (0..rows).map(|_| number(rng, 8)).collect())
            .collect(),
        room: (0..rows).map(|_| number(rng, 16)).collect(),
    }
}

fn by_another(program: &Program) -> f64 {
    let mut variables = ProblemVariables::new();
    let shares: Vec<_> = (0..program.prices.len())
        .map(|_| variables.add(variable().min(0).max(1)))
        .collect();
    let sum = |factors: Vec<f64>| -> Expression {
        let each = shares.iter().zip(factors);
        each.map(|(&share, factor)| share * factor).sum()
    };
    let worth = sum(program.prices.clone());
    let mut model = variables.maximise(worth.clone()).using(default_solver);
    for (row, &room) in program.room.iter().enumerate() {
        let asks = program.asks.iter().map(|asks| asks[row]).collect();
        model = model.with(sum(asks).leq(room));
    }
    model.solve().unwrap().eval(worth)
}

#[test]
fn the_simplex_finds_the_optimum_and_its_prices() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut parts = 0;
    for round in 0..rounds(3_000) {
        let program = random(rng);
        let mut knapsack = Knapsack::new(program.room.clone());
        for (&price, asks) in program.prices.iter().zip(&program.asks) {
            knapsack.add(price, asks.iter().copied());
        }
        assert!(knapsack.solve(), "round {round}");

        let mut left = program.room.clone();
        let mut worth = 0.0;
        for (item, share) in knapsack.taken() {
            assert!((-1e-7..=1.0 + 1e-7).contains(&share));
            parts += usize::from(share > 0.01 && share < 0.99);
            worth += share * program.prices[item];
            let asks = left.iter_mut().zip(&program.asks[item]);
            asks.for_each(|(left, ask)| *left -= share * ask);
        }
        assert!(left.iter().all(|&left| left > -1e-7), "round {round}");
        let best = by_another(&program);
        assert!((worth - best).abs() < 1e-6, "round {round}: {worth} {best}");

        let prices: Vec<f64> = (0..left.len()).map(|row| knapsack.price(row)).collect();
        assert!(prices.iter().all(|&price| price > -1e-7));
        let room: f64 = prices
            .iter()
            .zip(&program.room)
            .map(|(price, room)| price * room)
            .sum();
        let gains = program.prices.iter().zip(&program.asks).map(|(price, asks)| {
            let asked: f64 = prices.iter().zip(asks).map(|(price, ask)| price * ask).sum();
            (price - asked).max(0.0)
        });
        let bound = room + gains.sum::<f64>();
        assert!((bound - best).abs() < 1e-6, "round {round}: {bound} {best}");
    }
    assert!(parts > rounds(1_000), "{parts}");
}
