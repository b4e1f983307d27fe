//! Step chart of the demand of a partition: demand and supply over the length of an interval, both in time.
//!
//! The style of the page determines the colors, so the chart is readable on a light and on a dark page. Lines differ in dashes, too.

use std::fmt::Write as _;

use gpusched_model::time::Time;

use crate::figure::escaped;

/// Data of a step chart. All values are nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// Length of the horizontal axis; positive.
    pub end: u64,
    /// Steps of the demand: the interval from which on the demand has a value, and this value. Intervals are ascending.
    pub demand: Vec<(u64, u128)>,
    /// Intervals with the demand that the evidence states.
    pub checked: Vec<(u64, u64)>,
    /// Interval whose demand exceeds its length.
    pub excess: Option<(u64, u64)>,
}

const LEFT: f64 = 64.0;
const TOP: f64 = 12.0;
const WIDTH: f64 = 410.0;
const HEIGHT: f64 = 240.0;
const RIGHT: f64 = 20.0;
const BOTTOM: f64 = 46.0;

impl Steps {
    /// Returns the chart as SVG text.
    pub fn svg(&self) -> String {
        let end = self.end.max(1);
        let most = self.demand.iter().map(|&(_, demand)| demand).max().unwrap_or(0);
        let stated = self.checked.iter().chain(&self.excess);
        let stated = stated
            .filter(|&&(at, _)| at <= end)
            .map(|&(_, demand)| u128::from(demand));
        let top = stated.max().unwrap_or(0).max(most).max(u128::from(end));
        let x = |at: u64| LEFT + WIDTH * (at as f64 / end as f64);
        let y = |value: u128| TOP + HEIGHT * (1.0 - value as f64 / top as f64);
        let mut svg = format!(
            "<svg class=\"steps\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\">\n",
            LEFT + WIDTH + RIGHT,
            TOP + HEIGHT + BOTTOM
        );
        let unit = Unit::of(end);
        for tick in ticks(end, 7) {
            let at = x(tick);
            line(&mut svg, "grid", [(at, TOP), (at, TOP + HEIGHT)]);
            let label = unit.label(tick);
            text(&mut svg, (at, TOP + HEIGHT + 16.0), "middle", &label);
        }
        let high = u64::try_from(top).unwrap_or(u64::MAX);
        let demand_unit = Unit::of(high);
        for tick in ticks(high, 6) {
            let at = y(tick.into());
            line(&mut svg, "grid", [(LEFT, at), (LEFT + WIDTH, at)]);
            text(&mut svg, (LEFT - 6.0, at + 4.0), "end", &demand_unit.label(tick));
        }
        let middle = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 38.0);
        text(
            &mut svg,
            middle,
            "middle",
            &format!("Length of the interval [{}]", unit.name),
        );
        let (down, across) = (TOP + HEIGHT / 2.0, 14.0);
        let title = format!("Demand [{}]", demand_unit.name);
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{across}\" y=\"{down}\" text-anchor=\"middle\" transform=\"rotate(-90 {across} {down})\">{title}</text>"
        );
        line(&mut svg, "supply", [(LEFT, y(0)), (x(end), y(end.into()))]);
        let mut path = format!("M{LEFT:.1} {:.1}", y(0));
        for &(at, demand) in self.demand.iter().take_while(|&&(at, _)| at <= end) {
            let _ = write!(path, "H{:.1}V{:.1}", x(at), y(demand));
        }
        let _ = writeln!(svg, "<path class=\"demand\" d=\"{path}H{:.1}\"/>", x(end));
        for &(at, demand) in self.checked.iter().filter(|&&(at, _)| at <= end) {
            let words = format!("interval {}, demand {}", Time::from_ns(at), Time::from_ns(demand));
            let _ = writeln!(
                svg,
                "<circle class=\"checked\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"><title>{}</title></circle>",
                x(at),
                y(demand.into()),
                escaped(&words)
            );
        }
        if let Some((at, demand)) = self.excess.filter(|&(at, _)| at <= end) {
            let (x, y) = (x(at), y(demand.into()));
            for (dx, dy) in [(6.0, 6.0), (6.0, -6.0)] {
                line(&mut svg, "excess", [(x - dx, y - dy), (x + dx, y + dy)]);
            }
        }
        let _ = writeln!(
            svg,
            "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n</svg>"
        );
        svg
    }
}

fn line(svg: &mut String, class: &str, [(x1, y1), (x2, y2)]: [(f64, f64); 2]) {
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    );
}

/// Unit of the labels of an axis.
struct Unit {
    name: &'static str,
    /// Length of one unit [ns].
    length: u64,
}

impl Unit {
    fn of(end: u64) -> Unit {
        let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
        let found = units.into_iter().find(|&(_, length)| end / length >= 2);
        let (name, length) = found.unwrap_or(("ns", 1));
        Unit { name, length }
    }

    /// The number of units in `ns`, exact.
    fn label(&self, ns: u64) -> String {
        let digits = self.length.ilog10() as usize;
        match ns % self.length {
            0 => (ns / self.length).to_string(),
            rest => {
                let fraction = format!("{rest:0digits$}");
                format!("{}.{}", ns / self.length, fraction.trim_end_matches('0'))
            }
        }
    }
}

/// Returns at most `count` + 1 multiples of 1, 2 or 5 times a power of ten, from 0 to `end`.
fn ticks(end: u64, count: u64) -> Vec<u64> {
    let mut step = 1u64;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut base = 1u64;
    while end / step > count {
        let Some(factor) = factors.next() else { break };
        let Some(next) = base.checked_mul(factor) else {
            break;
        };
        step = next;
        if factor == 10 {
            base = next;
        }
    }
    (0..=end / step).map(|tick| tick * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(10, 5), [0, 2, 4, 6, 8, 10]);
        assert_eq!(ticks(99, 8), [0, 20, 40, 60, 80]);
        assert_eq!(ticks(0, 8), [0]);
        for end in [1, 7, 12_345, u64::MAX] {
            let ticks = ticks(end, 8);
            assert!((2..=9).contains(&ticks.len()), "{end}: {ticks:?}");
        }
    }

    #[test]
    fn labels_are_exact() {
        let unit = Unit::of(60_000_000);
        assert_eq!((unit.name, unit.label(12_500_000).as_str()), ("ms", "12.5"));
        assert_eq!(Unit::of(5).label(5), "5");
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
        let y = |value: f64| format!("{:.1}", TOP + HEIGHT * (1.0 - value / 120.0));
        let middle = format!("H{:.1}V{}H", LEFT + WIDTH / 2.0, y(25.0));
        assert!(svg.contains(&middle), "{svg}");
        assert!(svg.contains("<title>interval 50ns, demand 25ns</title>"));
        assert_eq!(svg.matches("class=\"excess\"").count(), 2);
    }
}
