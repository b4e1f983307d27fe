//! Charts of the demand of a partition.

use gpusched::schedulability::Demand;
use gpusched::schedulability::edf::demand_bound;
use gpusched::time::Time;
use gpusched_report::plan::demand_steps;
use gpusched_report::steps::Steps;

#[test]
fn steps_are_at_the_deadlines() {
    let demand = |wcet, period, deadline| {
        let [wcet, period, deadline] = [wcet, period, deadline].map(Time::from_ns);
        Demand::new(wcet, period, deadline)
    };
    let demands = [demand(2, 10, 5), demand(3, 20, 20)];
    let (found, end) = demand_steps(&demands, 40, 100);
    let slow: Vec<(u64, u128)> = (1..=40)
        .filter(|&at| demand_bound(&demands, at) != demand_bound(&demands, at - 1))
        .map(|at| (at, demand_bound(&demands, at)))
        .collect();
    assert_eq!((found, end), (slow.clone(), 40));
    assert_eq!(demand_steps(&demands, 40, 2), (slow[..2].to_vec(), 19));
}

#[test]
fn demand_steps_up_at_its_deadlines() {
    let steps = Steps {
        end: 100,
        demand: vec![(50, 25), (100, 50)],
        checked: vec![(50, 25)],
        excess: Some((100, 120)),
    };
    let svg = steps.svg();
    let y = |value: f64| format!("{:.1}", 12.0 + 240.0 * (1.0 - value / 120.0));
    let middle = format!("H{:.1}V{}H", 64.0 + 410.0 / 2.0, y(25.0));
    assert!(svg.contains(&middle), "{svg}");
    assert!(svg.contains("<title>interval 50ns, demand 25ns</title>"));
    assert_eq!(svg.matches("class=\"excess\"").count(), 2);
}
