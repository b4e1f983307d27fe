//! Line styles of a figure. A style has a color, dashes and a marker. Each of these alone distinguishes only a few
//! lines.

/// Appearance of one line. All lengths are in pixels.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct LineStyle {
    /// Color in SVG notation.
    pub color: &'static str,
    /// Lengths of the stroke and of the gap, or `None` for a solid line.
    pub dash: Option<(f64, f64)>,
    /// Marker at the points of the line.
    pub marker: Marker,
}

/// Marker of the points of a line.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Marker {
    /// A circle.
    Circle {
        /// Whether the circle has the color of the line.
        filled: bool,
    },
    /// A polygon.
    Shape {
        /// Corners relative to the point.
        corners: &'static [(f64, f64)],
        /// Whether the polygon has the color of the line.
        filled: bool,
    },
}

/// Colors of Okabe & Ito. Gray replaces yellow, because a yellow line is too pale on white.
const COLORS: [&str; 8] = [
    "#0072b2", // blue
    "#d55e00", // vermillion
    "#009e73", // bluish green
    "#000000", // black
    "#cc79a7", // reddish purple
    "#e69f00", // orange
    "#56b4e9", // sky blue
    "#7d7d7d", // gray
];

/// Lengths of the stroke and of the gap, for each dash pattern.
const DASHES: [(f64, f64); 3] = [(8.0, 3.0), (1.8, 2.2), (4.5, 2.5)];

const SQUARE: [(f64, f64); 4] = [(-3.1, -3.1), (3.1, -3.1), (3.1, 3.1), (-3.1, 3.1)];
const DIAMOND: [(f64, f64); 4] = [(0.0, -4.4), (4.4, 0.0), (0.0, 4.4), (-4.4, 0.0)];
const UP: [(f64, f64); 3] = [(0.0, -4.4), (4.0, 2.8), (-4.0, 2.8)];
const DOWN: [(f64, f64); 3] = [(0.0, 4.4), (4.0, -2.8), (-4.0, -2.8)];

const MARKERS: [Marker; 9] = [
    Marker::Circle { filled: true },
    Marker::Shape {
        corners: &SQUARE,
        filled: false,
    },
    Marker::Shape {
        corners: &UP,
        filled: true,
    },
    Marker::Shape {
        corners: &DIAMOND,
        filled: false,
    },
    Marker::Shape {
        corners: &SQUARE,
        filled: true,
    },
    Marker::Shape {
        corners: &DOWN,
        filled: false,
    },
    Marker::Shape {
        corners: &DIAMOND,
        filled: true,
    },
    Marker::Circle { filled: false },
    Marker::Shape {
        corners: &DOWN,
        filled: true,
    },
];

/// Returns the style of the line with number `index`. Among the first 18 lines, any two differ in dashes or markers. Among
/// the first 32 lines, any two differ in dashes or colors.
pub fn line_style(index: usize) -> LineStyle {
    LineStyle {
        color: COLORS[index % COLORS.len()],
        dash: ((index + index / COLORS.len()) % (DASHES.len() + 1))
            .checked_sub(1)
            .and_then(|dash| DASHES.get(dash).copied()),
        marker: MARKERS[index % MARKERS.len()],
    }
}

/// Colors of a heat map from the lowest to the highest value. Their lightness rises evenly, so that the order of the
/// colors is visible in black and white (viridis).
const HEAT: [[f64; 3]; 6] = [
    [68.0, 1.0, 84.0],
    [65.0, 68.0, 135.0],
    [42.0, 120.0, 142.0],
    [34.0, 168.0, 132.0],
    [122.0, 209.0, 81.0],
    [253.0, 231.0, 37.0],
];

/// Returns the color of a heat map at `share` of its scale, from 0 to 1. Also returns whether text on this color must
/// be white.
pub fn heat(share: f64) -> (String, bool) {
    let position = share.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let below = (position as usize).min(HEAT.len() - 2);
    let part = position - below as f64;
    let channel = |index: usize| {
        let (low, high) = (HEAT[below][index], HEAT[below + 1][index]);
        libm::round(low + (high - low) * part) as u8
    };
    let [red, green, blue] = [0, 1, 2].map(channel);
    (format!("#{red:02x}{green:02x}{blue:02x}"), share < 0.55)
}
