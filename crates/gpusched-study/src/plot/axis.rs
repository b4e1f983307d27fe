//! Axes of a figure, with ranges, ticks and labels.

use super::values::Span;

/// Maximum number of steps between the first and the last tick.
const STEPS: f64 = 8.0;

/// Maximum number of decades on an axis with a tick at every decade.
const DECADES: i32 = 8;

/// Maximum number of decades on an axis with ticks at 1, 2 and 5 in every decade.
const FEW_DECADES: f64 = 2.0;

/// Space between an end of the axis and its nearest tick, as a share of the distance between the first and the last
/// tick.
const PADDING: f64 = 0.025;

/// Converts values to coordinates. The ticks of an axis are at round values or at categories.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// Title of the axis, with the unit.
    pub title: String,
    /// Smallest coordinate on the axis.
    pub low: f64,
    /// Largest coordinate on the axis.
    pub high: f64,
    /// Ticks in ascending order of their coordinates.
    pub ticks: Vec<Tick>,
    scale: Scale,
}

/// A mark on an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Coordinate of the mark.
    pub at: f64,
    /// Text of the mark.
    pub label: String,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Scale {
    /// The coordinate is value / unit.
    Linear { unit: f64 },
    /// The coordinate is log10(value / unit).
    Logarithmic { unit: f64 },
    /// The coordinate is the index of the category.
    Categories,
}

/// The requirements on an axis of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Name of the column, which determines the default title and the unit.
    pub column: &'a str,
    /// Title; `None` for the default title.
    pub title: Option<&'a str>,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
    /// Ends of the axis; `None` for ends that suit the values.
    pub range: Option<Span>,
    /// Whether the axis starts at 0. Bars require such an axis.
    pub from_zero: bool,
}

impl Axis {
    /// Creates an axis for `values`. There must be at least one value, and all values must be finite. On a logarithmic axis,
    /// all values must be positive.
    pub fn new(wanted: Wanted<'_>, values: &[f64]) -> Axis {
        let (words, unit) = words(wanted.column, values);
        let title = wanted.title.map_or(words, str::to_owned);
        let ends = match wanted.range {
            Some(Span { low, high }) => (low / unit, high / unit),
            None => (least(values) / unit, largest(values) / unit),
        };
        let (scale, ticks) = match wanted.logarithmic {
            true => (Scale::Logarithmic { unit }, decades(ends)),
            false => {
                let ends = match wanted.range {
                    Some(_) => ends,
                    None => widened(wanted, ends),
                };
                (Scale::Linear { unit }, round_numbers(ends))
            }
        };
        let mut axis = Axis::with(title, ticks, scale);
        if let Some(Span { low, high }) = wanted.range {
            (axis.low, axis.high) = (axis.unlimited(low), axis.unlimited(high));
        } else if wanted.from_zero && !wanted.logarithmic {
            // Bars stand on the end of the axis.
            match ends {
                (0.0.., _) => axis.low = 0.0,
                (_, ..=0.0) => axis.high = 0.0,
                _ => {}
            }
        }
        let room = 1e-9 * (axis.high - axis.low);
        let inside = axis.low - room..=axis.high + room;
        axis.ticks.retain(|tick| inside.contains(&tick.at));
        axis
    }

    /// Creates an axis of categories with the `names`.
    pub fn categories(title: String, names: &[String]) -> Axis {
        let ticks = names.iter().enumerate();
        let ticks = ticks.map(|(index, name)| Tick {
            at: index as f64,
            label: name.clone(),
        });
        Axis {
            title,
            low: -0.5,
            high: names.len() as f64 - 0.5,
            ticks: ticks.collect(),
            scale: Scale::Categories,
        }
    }

    fn with(title: String, ticks: Vec<Tick>, scale: Scale) -> Axis {
        let coordinates: Vec<f64> = ticks.iter().map(|tick| tick.at).collect();
        let (first, last) = (least(&coordinates), largest(&coordinates));
        let room = PADDING * (last - first);
        Axis {
            title,
            low: first - room,
            high: last + room,
            ticks,
            scale,
        }
    }

    /// Returns whether the axis shows categories.
    pub fn has_categories(&self) -> bool {
        self.scale == Scale::Categories
    }

    /// Returns the position of a value. The position is 0 at the lower end of the axis, and 1 at the upper end. The
    /// position of a value beyond the ends is below 0 or above 1.
    pub fn share(&self, value: f64) -> f64 {
        (self.unlimited(value) - self.low) / (self.high - self.low)
    }

    /// Returns the position of a coordinate. See [`Axis::share`].
    pub fn share_of_coordinate(&self, coordinate: f64) -> f64 {
        (coordinate - self.low) / (self.high - self.low)
    }

    fn unlimited(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear { unit } => value / unit,
            Scale::Logarithmic { unit } if value > 0.0 => libm::log10(value / unit),
            Scale::Logarithmic { .. } => self.low,
            Scale::Categories => value,
        }
    }

    /// Returns a value as a text, in the unit of the axis.
    pub fn text(&self, value: f64) -> String {
        match self.scale {
            Scale::Linear { unit } | Scale::Logarithmic { unit } => brief(value / unit),
            Scale::Categories => brief(value),
        }
    }
}

impl Axis {
    /// Returns a value with half of its confidence interval as a text, in the unit of the axis. The order of magnitude of `error`
    /// determines the last decimal.
    pub fn rounded(&self, value: f64, error: f64) -> String {
        let unit = match self.scale {
            Scale::Linear { unit } | Scale::Logarithmic { unit } => unit,
            Scale::Categories => 1.0,
        };
        if error <= 0.0 {
            return self.text(value);
        }
        let digits = (-libm::floor(libm::log10(error / unit))).clamp(0.0, 9.0) as usize;
        let rounded: f64 = format!("{:.digits$}", value / unit)
            .parse()
            .unwrap_or(value / unit);
        brief(rounded)
    }
}

/// Returns the ends of a linear axis for values from `min` to `max`.
fn widened(wanted: Wanted<'_>, (mut min, mut max): (f64, f64)) -> (f64, f64) {
    if wanted.column == "rate" && min >= 0.0 && max <= 1.0 {
        return (0.0, 1.0); // The axis of a share is always from 0 to 1.
    }
    if wanted.from_zero {
        (min, max) = (min.min(0.0), max.max(0.0));
    } else if min >= 0.0 && min < 0.3 * max {
        min = 0.0;
    }
    if max - min <= 1e-9 * max.abs().max(min.abs()).max(1e-3) {
        let room = (0.1 * max.abs()).max(1.0);
        (min, max) = (min - room, max + room);
    }
    (min, max)
}

/// Returns ticks at round numbers. The ticks enclose the range from `min` to `max`.
fn round_numbers((min, max): (f64, f64)) -> Vec<Tick> {
    // Chooses the smallest step among 1, 2 and 5 · 10^exponent for which the axis has at most STEPS steps.
    let rough = (max - min) / STEPS;
    let exponent = libm::floor(libm::log10(rough) + 1e-9);
    let power = libm::pow(10.0, exponent);
    let digit = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|digit| digit * power >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0);
    let step = digit * power;
    let (first, last) = (libm::floor(min / step + 1e-9), libm::ceil(max / step - 1e-9));
    let count = (last - first) as usize + 1;
    let decimals = (-exponent - if digit == 10.0 { 1.0 } else { 0.0 }).max(0.0) as usize;
    let tick = |index: usize| {
        let at = (first + index as f64) * step;
        let label = format!("{at:.decimals$}");
        // Prevents the label "-0.0".
        let label = match label.strip_prefix('-') {
            Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
            _ => label,
        };
        Tick { at, label }
    };
    (0..count).map(tick).collect()
}

/// Returns the ticks of a logarithmic axis. The ticks enclose the range from `min` to `max`.
fn decades((min, max): (f64, f64)) -> Vec<Tick> {
    let (low, high) = (libm::log10(min), libm::log10(max));
    let first = libm::floor(low + 1e-9) as i32;
    let last = (libm::ceil(high - 1e-9) as i32).max(first + 1);
    if high - low <= FEW_DECADES {
        let digits = [(1.0, 0.0), (2.0, libm::log10(2.0)), (5.0, libm::log10(5.0))];
        let all = (first..=last).flat_map(|exponent| {
            digits.map(|(digit, part)| Tick {
                at: f64::from(exponent) + part,
                label: power(digit, exponent),
            })
        });
        let mut ticks: Vec<Tick> = all.collect();
        let from = ticks.iter().rposition(|tick| tick.at <= low + 1e-9).unwrap_or(0);
        let to = ticks.iter().position(|tick| tick.at >= high - 1e-9);
        let to = to.unwrap_or(ticks.len() - 1).max(from + 1);
        ticks.truncate(to + 1);
        ticks.drain(..from);
        return ticks;
    }
    let every = (last - first + DECADES - 1) / DECADES;
    let count = (last - first + every - 1) / every;
    let tick = |index: i32| {
        let exponent = first + index * every;
        Tick {
            at: f64::from(exponent),
            label: power(1.0, exponent),
        }
    };
    (0..=count).map(tick).collect()
}

/// Returns the text of digit · 10^exponent.
fn power(digit: f64, exponent: i32) -> String {
    match exponent {
        0..=5 => format!("{}", digit * libm::pow(10.0, exponent.into())),
        -4..0 => {
            let decimals = exponent.unsigned_abs() as usize;
            format!("{:.decimals$}", digit * libm::pow(10.0, exponent.into()))
        }
        _ if digit == 1.0 => format!("10{}", superscript(exponent)),
        _ => format!("{digit}·10{}", superscript(exponent)),
    }
}

/// Returns a number with about four digits.
fn brief(value: f64) -> String {
    let digits = match value.abs() {
        0.0 => 0,
        size => (3.0 - libm::floor(libm::log10(size))).clamp(0.0, 9.0) as usize,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn superscript(exponent: i32) -> String {
    let raise = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit
            .to_digit(10)
            .and_then(|digit| char::from_u32('⁰' as u32 + digit))
            .unwrap_or(digit),
    };
    exponent.to_string().chars().map(raise).collect()
}

/// Returns the default title for the values of `column`.
pub(super) fn title(column: &str) -> String {
    words(column, &[]).0
}

/// Returns the title of an axis and the divisor of its values. If the name of `column` ends in `_ns`, the unit depends on
/// the largest value.
fn words(column: &str, values: &[f64]) -> (String, f64) {
    let (name, time) = match column.strip_suffix("_ns") {
        Some(name) => (name, true),
        None => (column, false),
    };
    let title = match name {
        "utilization" => "Utilization U".to_owned(),
        "rate" => "Share of sets schedulable".to_owned(),
        "tasks" => "Number of tasks".to_owned(),
        "sms" => "SMs".to_owned(),
        "speed_up" => "Speed-up".to_owned(),
        "wcet" => "C(m)".to_owned(),
        "weighted" => "Weighted schedulability".to_owned(),
        "mean_sms" => "SMs used (mean)".to_owned(),
        "mean_merges" => "Merges tested (mean)".to_owned(),
        "mean_prefill_merges" => "Merges in the pre-fill (mean)".to_owned(),
        "mean_search" => "Search time (mean)".to_owned(),
        "mean_prefill" => "Pre-fill time (mean)".to_owned(),
        name => {
            let mut letters = name.chars();
            let first = letters
                .next()
                .map(|c| c.to_uppercase().to_string())
                .unwrap_or_default();
            format!("{first}{}", letters.as_str().replace('_', " "))
        }
    };
    if !time {
        return (title, 1.0);
    }
    let (symbol, unit) = match largest(values) {
        value if value >= 1e9 => ("s", 1e9),
        value if value >= 1e6 => ("ms", 1e6),
        value if value >= 1e3 => ("µs", 1e3),
        _ => ("ns", 1.0),
    };
    (format!("{title} [{symbol}]"), unit)
}
