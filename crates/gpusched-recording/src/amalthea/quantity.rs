//! Times, frequencies and numbers of ticks: exact values, and the rounding that is safe for the analysis.

use std::fmt;

use gpusched_model::Refusal;
use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};

use super::model::{Model, Node, child, children, kind};

/// Lower and upper bound on a clock frequency above 0, in units of 0.001 Hz.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Frequency {
    millihertz: u64,
    /// The frequency, rounded up.
    above: u64,
}

/// Units of frequencies, each with its exponent: the unit is 10^exponent mHz.
const HERTZ: [(&str, u32); 4] = [("GHz", 12), ("MHz", 9), ("kHz", 6), ("Hz", 3)];

impl Frequency {
    /// Reads `node`, a frequency with `value` and `unit`.
    pub fn read(model: &Model<'_>, node: Node<'_>) -> Result<Frequency, Refusal> {
        let (value, unit) = (
            node.attribute("value").unwrap_or("0"),
            node.attribute("unit").unwrap_or_default(),
        );
        Frequency::parse(value, unit).ok_or_else(|| {
            let field = node.tag_name().name();
            model.refuse(
                node,
                field,
                format!("{value} {unit}").trim_end(),
                "a frequency above 0 Hz with its unit",
            )
        })
    }

    /// Returns the frequency with `value` in `unit`, or `None` for an invalid value or unit.
    pub fn parse(value: &str, unit: &str) -> Option<Frequency> {
        let (_, exponent) = HERTZ.iter().find(|(name, _)| *name == unit)?;
        let millihertz = nanoseconds(value.as_bytes(), *exponent, Rounding::Down)?;
        let above = nanoseconds(value.as_bytes(), *exponent, Rounding::Up)?;
        (millihertz > 0).then_some(Frequency { millihertz, above })
    }

    /// Returns the duration of `ticks` clock cycles, rounded down to a whole nanosecond. The result is a safe minimum.
    /// If a duration is too long for the format, returns 0, which is also safe.
    pub fn shortest(self, ticks: u128) -> Time {
        let scaled = ticks.checked_mul(1_000_000_000_000).unwrap_or(0);
        let ns = u64::try_from(scaled / u128::from(self.above)).unwrap_or(0);
        Time::from_ns(ns)
    }

    /// Returns the duration of `ticks` clock cycles, rounded up to a whole nanosecond. Returns `None` above
    /// [`Time::LIMIT`].
    pub fn duration(self, ticks: u128) -> Option<Time> {
        let scaled = ticks.checked_mul(1_000_000_000_000)?;
        let ns = u64::try_from(scaled.div_ceil(self.millihertz.into())).ok()?;
        Some(Time::from_ns(ns)).filter(|&time| time <= Time::LIMIT)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest = HERTZ
            .iter()
            .find(|(_, exponent)| self.millihertz >= 10u64.pow(*exponent));
        let (unit, exponent) = largest.copied().unwrap_or(("Hz", 3));
        let one = 10u64.pow(exponent);
        let digits = exponent as usize;
        let fraction = format!("{:0digits$}", self.millihertz % one);
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{} {unit}", self.millihertz / one),
            fraction => write!(f, "{}.{fraction} {unit}", self.millihertz / one),
        }
    }
}

/// Units of times, each with its length [ps].
const SECONDS: [(&str, i128); 5] = [
    ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("ns", 1_000),
    ("ps", 1),
];

/// Reads `node`, a time with `value` and `unit`. Returns picoseconds.
pub fn picoseconds(model: &Model<'_>, node: Node<'_>) -> Result<i128, Refusal> {
    // The format omits a value of 0.
    let value = node.attribute("value").unwrap_or("0");
    let unit = node.attribute("unit").unwrap_or_default();
    let number = value.parse::<i64>().ok();
    let length = SECONDS.iter().find(|(name, _)| *name == unit);
    match (number, length) {
        (Some(0), _) => Ok(0),
        (Some(number), Some((_, length))) => Ok(i128::from(number) * length),
        _ => {
            let field = node.tag_name().name();
            let expected = "a whole number with a unit (s, ms, us, ns or ps)";
            Err(model.refuse(node, field, format!("{value} {unit}").trim_end(), expected))
        }
    }
}

/// Returns `picoseconds` in nanoseconds, rounded down. A shorter period or deadline is safe. Returns `None` if the
/// result is not from 1 ns to [`Time::LIMIT`].
pub fn rounded_down(picoseconds: i128) -> Option<Time> {
    let ns = u64::try_from(picoseconds.div_euclid(1_000)).ok()?;
    Some(Time::from_ns(ns)).filter(|&time| time > Time::ZERO && time <= Time::LIMIT)
}

/// Returns `picoseconds` in nanoseconds, rounded up. A longer jitter is safe. Returns `None` for negative times and
/// above [`Time::LIMIT`].
pub fn rounded_up(picoseconds: i128) -> Option<Time> {
    let ns = u64::try_from(picoseconds).ok()?.div_ceil(1_000);
    Some(Time::from_ns(ns)).filter(|&time| time <= Time::LIMIT)
}

/// Reads `node`, a constant or a distribution of a number of ticks. Returns the maximum.
pub fn most_ticks(model: &Model<'_>, node: Node<'_>) -> Result<u64, Refusal> {
    let number = |node: Node<'_>, field: &'static str| {
        let found = node.attribute(field).unwrap_or("nothing");
        let number = found
            .parse()
            .ok()
            .filter(|&ticks: &u64| i64::try_from(ticks).is_ok());
        number.ok_or_else(|| model.refuse(node, field, found, "a whole number of ticks from 0 to 2^63 - 1"))
    };
    let upper = |node: Node<'_>| {
        let upper = number(node, "upperBound")?;
        let lower = node.attribute("lowerBound").map(|_| number(node, "lowerBound"));
        match lower.transpose()? {
            Some(lower) if lower > upper => Err(model.refuse(
                node,
                "upperBound",
                upper,
                format!("at least the lower bound {lower}"),
            )),
            _ => Ok(upper),
        }
    };
    match kind(node) {
        "DiscreteValueConstant" => number(node, "value"),
        "DiscreteValueHistogram" => {
            let entries = children(node, "entries").map(upper);
            let most = entries.collect::<Result<Vec<u64>, Refusal>>()?.into_iter().max();
            most.ok_or_else(|| model.refuse(node, "entries", "no entry", "at least one entry"))
        }
        _ => upper(node),
    }
}

/// Reads `node`, a constant or a distribution of a number of ticks. Returns the minimum. A missing minimum is 0, which
/// is safe.
pub fn least_ticks(model: &Model<'_>, node: Node<'_>) -> Result<u64, Refusal> {
    let lower = |node: Node<'_>| match node.attribute("lowerBound") {
        None => Ok(0),
        Some(found) => found.parse::<u64>().map_err(|_| {
            model.refuse(
                node,
                "lowerBound",
                found,
                "a whole number of ticks from 0 to 2^63 - 1",
            )
        }),
    };
    match kind(node) {
        "DiscreteValueConstant" => most_ticks(model, node),
        "DiscreteValueHistogram" => {
            let entries = children(node, "entries").map(lower);
            let least = entries.collect::<Result<Vec<u64>, Refusal>>()?.into_iter().min();
            Ok(least.unwrap_or(0))
        }
        _ => lower(node),
    }
}

/// Reads `node`, a constant or a distribution of a number of ticks. Returns the average, rounded up.
pub fn average_ticks(model: &Model<'_>, node: Node<'_>) -> Result<u64, Refusal> {
    let (least, most) = (least_ticks(model, node)?, most_ticks(model, node)?);
    if kind(node) == "DiscreteValueConstant" {
        return Ok(most);
    }
    let found = node.attribute("average").unwrap_or("no average");
    let average = nanoseconds(found.as_bytes(), 0, Rounding::Up);
    let average = average.filter(|average| (least..=most).contains(average));
    let expected = format!("an average number of ticks from {least} to {most}");
    average.ok_or_else(|| model.refuse(node, "average", found, expected))
}

/// Units of amounts of data, each with its size [bits].
const DATA: [(&str, u128); 20] = [
    ("bit", 1),
    ("kbit", 1_000),
    ("Mbit", 1_000_000),
    ("Gbit", 1_000_000_000),
    ("Tbit", 1_000_000_000_000),
    ("kibit", 1 << 10),
    ("Kibit", 1 << 10),
    ("Mibit", 1 << 20),
    ("Gibit", 1 << 30),
    ("Tibit", 1 << 40),
    ("B", 8),
    ("kB", 8_000),
    ("MB", 8_000_000),
    ("GB", 8_000_000_000),
    ("TB", 8_000_000_000_000),
    ("kiB", 1 << 13),
    ("KiB", 1 << 13),
    ("MiB", 1 << 23),
    ("GiB", 1 << 33),
    ("TiB", 1 << 43),
];

/// Reads `node`, which has `value` and `unit`. It is an amount of data, or a data rate if the unit ends with
/// `per_second`. Returns bits, or bits per second.
pub fn bits(model: &Model<'_>, node: Node<'_>, per_second: &str) -> Result<u128, Refusal> {
    // The format omits a value of 0.
    let value = node.attribute("value").unwrap_or("0");
    let unit = node.attribute("unit").unwrap_or_default();
    let number = value.parse::<u64>().ok();
    let plain = unit.strip_suffix(per_second);
    let length = DATA.iter().find(|(name, _)| Some(*name) == plain);
    match (number, length) {
        (Some(0), _) => Ok(0),
        (Some(number), Some((_, length))) => Ok(u128::from(number) * length),
        _ => {
            let expected = format!("a whole number with a unit, such as B{per_second} or MB{per_second}");
            let found = format!("{value} {unit}");
            Err(model.refuse(node, node.tag_name().name(), found.trim_end(), expected))
        }
    }
}

/// Reads `node`, a constant or a distribution of a time. Returns the minimum and the maximum [ps].
pub fn time_bounds(model: &Model<'_>, node: Node<'_>) -> Result<(i128, i128), Refusal> {
    let time = |node: Node<'_>, tag: &'static str| {
        let time = child(node, tag);
        let time = time.ok_or_else(|| model.refuse(node, tag, "no time", "a time with its unit"));
        picoseconds(model, time?)
    };
    let both = |node: Node<'_>| Ok((time(node, "lowerBound")?, time(node, "upperBound")?));
    match kind(node) {
        "TimeConstant" => time(node, "value").map(|time| (time, time)),
        "TimeHistogram" => {
            let entries = children(node, "entries").map(both);
            let entries = entries.collect::<Result<Vec<(i128, i128)>, Refusal>>()?;
            let least = entries.iter().map(|&(lower, _)| lower).min();
            let most = entries.iter().map(|&(_, upper)| upper).max();
            let bounds = least.zip(most);
            bounds.ok_or_else(|| model.refuse(node, "entries", "no entry", "at least one entry"))
        }
        _ => both(node),
    }
}
