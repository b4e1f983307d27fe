//! Step chart of the demand of a partition. It shows demand and supply as functions of the interval length. Both axes
//! show times.
//!
//! The style of the page determines the colors, so the chart is readable on a light and on a dark page. Lines also
//! differ in dashes.

use std::fmt::Write as _;

use gpusched_model::time::Time;
use gpusched_study::plot::gantt::TimeAxis;
use minijinja::HtmlEscape;

/// Data of a step chart. All values are nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// Length of the horizontal axis; positive.
    pub end: u64,
    /// Steps of the demand. Each step is the interval length at which the demand rises, and the demand from this length
    /// on. Lengths are ascending.
    pub demand: Vec<(u64, u128)>,
    /// Interval lengths, each with the demand that the evidence states.
    pub checked: Vec<(u64, u64)>,
    /// Interval length that the demand exceeds, and this demand.
    pub excess: Option<(u64, u64)>,
}

const LEFT: f64 = 64.0;
const TOP: f64 = 12.0;
const WIDTH: f64 = 410.0;
const HEIGHT: f64 = 240.0;
const RIGHT: f64 = 20.0;
const BOTTOM: f64 = 46.0;

/// Room for the labels of an axis [characters].
const CHARACTERS: usize = 50;

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
        let across = TimeAxis::from_zero(Time::from_ns(end), CHARACTERS);
        for &tick in &across.ticks {
            let at = x(tick.ns());
            line(&mut svg, "grid", [(at, TOP), (at, TOP + HEIGHT)]);
            text(&mut svg, (at, TOP + HEIGHT + 16.0), "middle", &across.label(tick));
        }
        let high = u64::try_from(top).unwrap_or(u64::MAX);
        let up = TimeAxis::from_zero(Time::from_ns(high), CHARACTERS);
        for &tick in &up.ticks {
            let at = y(tick.ns().into());
            line(&mut svg, "grid", [(LEFT, at), (LEFT + WIDTH, at)]);
            text(&mut svg, (LEFT - 6.0, at + 4.0), "end", &up.label(tick));
        }
        let middle = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 38.0);
        text(
            &mut svg,
            middle,
            "middle",
            &format!("Length of the interval [{}]", across.unit),
        );
        let (down, left) = (TOP + HEIGHT / 2.0, 14.0);
        let title = format!("Demand [{}]", up.unit);
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{down}\" text-anchor=\"middle\" transform=\"rotate(-90 {left} {down})\">{title}</text>"
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
                HtmlEscape(&words)
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
        HtmlEscape(text)
    );
}
