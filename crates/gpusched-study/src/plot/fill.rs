//! Appearance of categories. In black and white, lightness and hatching distinguish categories. In colour, hue
//! distinguishes them.

/// Colours of Okabe & Ito, alternately dark and light. Yellow is hard to see on white. It is included because every
/// area has an outline.
const COLOURS: [[u8; 3]; 8] = [
    [0, 114, 178],   // blue
    [230, 159, 0],   // orange
    [213, 94, 0],    // vermillion
    [86, 180, 233],  // sky blue
    [0, 158, 115],   // bluish green
    [240, 228, 66],  // yellow
    [60, 60, 60],    // nearly black
    [204, 121, 167], // reddish purple
];

/// Hatching of the area of a slice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Hatch {
    /// A plain area.
    None,
    /// Upright lines.
    Upright,
    /// Dots.
    Dots,
    /// Level lines.
    Level,
}

const HATCHES: [Hatch; 4] = [Hatch::None, Hatch::Upright, Hatch::Dots, Hatch::Level];

/// Number of categories that look different.
pub const DIFFERENT: usize = COLOURS.len() * HATCHES.len();

/// Appearance of one category.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Fill {
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Hatching.
    pub hatch: Hatch,
}

/// Returns the appearance of the category with number `category`.
pub fn fill(category: usize) -> Fill {
    let (round, place) = (category / COLOURS.len(), category % COLOURS.len());
    Fill {
        colour: COLOURS[place],
        hatch: HATCHES[(place / 2 + round) % HATCHES.len()],
    }
}

impl Fill {
    /// Returns whether text and hatching on this colour must be white.
    pub fn is_dark(self) -> bool {
        self.luminance() < 0.28
    }

    /// Returns the relative luminance according to WCAG 2, from 0 to 1. A printer without colour shows this luminance.
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            match share <= 0.04045 {
                true => share / 12.92,
                false => libm::pow((share + 0.055) / 1.055, 2.4),
            }
        };
        let [red, green, blue] = self.colour.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Returns the colour in hexadecimal SVG notation.
    pub fn hex(self) -> String {
        let [red, green, blue] = self.colour;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}
