//! Line styles of a figure. A style has a color, dashes and a marker, because each of these distinguishes only a few lines.

use plotters::style::RGBColor;

/// Appearance of one line. All lengths are in pixels.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct LineStyle {
    pub color: RGBColor,
    /// Index in [`DASHES`], or `None` for a solid line.
    pub dash: Option<usize>,
    pub marker: Marker,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Marker {
    Circle {
        filled: bool,
    },
    Shape {
        corners: &'static [(f64, f64)],
        filled: bool,
    },
}

/// Colors of Okabe & Ito. Gray replaces their yellow, because a yellow line is too pale on white.
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),   // blue
    RGBColor(213, 94, 0),    // vermillion
    RGBColor(0, 158, 115),   // bluish green
    RGBColor(0, 0, 0),       // black
    RGBColor(204, 121, 167), // reddish purple
    RGBColor(230, 159, 0),   // orange
    RGBColor(86, 180, 233),  // sky blue
    RGBColor(125, 125, 125), // gray
];

/// Lengths of the stroke and of the gap, for each dash pattern.
pub(super) const DASHES: [(f64, f64); 3] = [(8.0, 3.0), (1.8, 2.2), (4.5, 2.5)];

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
pub(super) fn line_style(index: usize) -> LineStyle {
    LineStyle {
        color: COLORS[index % COLORS.len()],
        dash: ((index + index / COLORS.len()) % (DASHES.len() + 1)).checked_sub(1),
        marker: MARKERS[index % MARKERS.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_lines_look_alike() {
        for a in 0..32 {
            for b in 0..a {
                let (a, b) = (line_style(a), line_style(b));
                assert!((a.dash, a.color) != (b.dash, b.color));
            }
        }
        // Any two of the first 18 lines can also be distinguished in black and white.
        for a in 0..18 {
            for b in 0..a {
                let (a, b) = (line_style(a), line_style(b));
                assert!((a.dash, a.marker) != (b.dash, b.marker));
            }
        }
    }
}
