//! The SVG elements of figures and Gantt charts. Coordinates have two decimals.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::fill::{DIFFERENT, Fill, Hatch, fill};
use super::layout::shown;

/// The elements of a figure, in the order of painting.
#[derive(Debug, Default)]
pub struct Document {
    body: String,
}

/// The part of a text that is at the stated position.
#[derive(Copy, Clone, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

impl Document {
    /// Adds a text whose vertical centre is at `y`.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, colour: &str, text: &str) {
        let anchor = anchor.word();
        // The baseline is computed here, because some programs do not support `dominant-baseline`.
        self.push(format_args!(
            "<text x=\"{x:.2}\" y=\"{:.2}\" font-size=\"{size:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
            y + 0.35 * size,
            escaped(text)
        ));
    }

    /// Adds a text with a white outline, which keeps the text visible on other elements. The outline is a separate
    /// text, because some programs do not support `paint-order`.
    pub fn remark(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, colour: &str, text: &str) {
        self.push(format_args!(
            "<text x=\"{x:.2}\" y=\"{:.2}\" font-size=\"{size:.1}\" text-anchor=\"{}\" fill=\"none\" stroke=\"#fff\" \
             stroke-width=\"3\" stroke-linejoin=\"round\" aria-hidden=\"true\">{}</text>",
            y + 0.35 * size,
            anchor.word(),
            escaped(text)
        ));
        self.text(x, y, size, anchor, colour, text);
    }

    /// Adds a text that rises by `degrees` towards its end. The end or the centre of the text is at (x, y).
    pub fn slanted(&mut self, (x, y): (f64, f64), degrees: f64, size: f64, anchor: Anchor, text: &str) {
        let anchor = anchor.word();
        self.push(format_args!(
            "<text transform=\"translate({x:.2} {y:.2}) rotate({:.0})\" y=\"{:.2}\" font-size=\"{size:.1}\" \
             text-anchor=\"{anchor}\">{}</text>",
            -degrees,
            0.35 * size,
            escaped(text)
        ));
    }

    /// Adds a text in bold type.
    pub fn heading(&mut self, x: f64, y: f64, size: f64, text: &str) {
        self.push(format_args!(
            "<text x=\"{x:.2}\" y=\"{:.2}\" font-size=\"{size:.1}\" font-weight=\"bold\">{}</text>",
            y + 0.35 * size,
            escaped(text)
        ));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.path(&[from, to], colour, width);
    }

    /// Adds an open line through all points.
    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points = list(points);
        self.push(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:.1}\"/>"
        ));
    }

    /// Adds an open line of strokes and gaps with the lengths `dash`.
    pub fn dashed(&mut self, points: &[(f64, f64)], colour: &str, width: f64, dash: (f64, f64)) {
        let (points, (stroke, gap)) = (list(points), dash);
        self.push(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:.1}\" \
             stroke-dasharray=\"{stroke} {gap}\"/>"
        ));
    }

    /// Adds a closed shape with an outline.
    pub fn shape(&mut self, points: &[(f64, f64)], colour: &str, outline: &str, width: f64) {
        let points = list(points);
        self.push(format_args!(
            "<polygon points=\"{points}\" fill=\"{colour}\" stroke=\"{outline}\" stroke-width=\"{width:.1}\"/>"
        ));
    }

    /// Adds a transparent area whose corners are the points.
    pub fn shade(&mut self, points: &[(f64, f64)], colour: &str, opacity: f64) {
        let points = list(points);
        self.push(format_args!(
            "<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
        ));
    }

    /// Adds a circle that is filled with `colour`.
    pub fn disk(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, outline: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.1}\" fill=\"{colour}\" stroke=\"{outline}\" \
             stroke-width=\"1.2\"/>"
        ));
    }

    /// Adds a rectangle in one colour. Browsers show `words` as a tooltip of the rectangle.
    pub fn cell(&mut self, (x, y): (f64, f64), size: (f64, f64), colour: &str, words: &str) {
        self.push(format_args!(
            "<rect class=\"cell\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\"><title>{}</title></rect>",
            size.0,
            size.1,
            escaped(words)
        ));
    }

    /// Adds the elements of `content`, but only the parts inside the rectangle.
    pub fn clipped(&mut self, (x, y): (f64, f64), size: (f64, f64), content: Document) {
        let (width, height) = size;
        let place = format!("x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"");
        self.push(format_args!(
            "<svg {place} viewBox=\"{x:.2} {y:.2} {width:.2} {height:.2}\">"
        ));
        self.append(content);
        self.push(format_args!("</svg>"));
    }

    /// Adds a filled area whose corners are the points.
    pub fn area(&mut self, points: &[(f64, f64)], colour: &str) {
        let points = list(points);
        self.push(format_args!("<polygon points=\"{points}\" fill=\"{colour}\"/>"));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, colour: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.1}\" fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"1.2\"/>"
        ));
    }

    pub fn frame(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.push(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" stroke=\"#000\" \
             stroke-width=\"1\"/>"
        ));
    }

    /// Adds a rectangle of a class, such as a slice or a bar. Browsers show `words` as a tooltip of the rectangle.
    pub fn slice(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        size: (f64, f64),
        category: usize,
        outlined: bool,
        words: &str,
    ) {
        let outline = outline(outlined);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\"{outline}><title>{}</title></rect>",
            size.0,
            size.1,
            paint(category),
            escaped(words)
        ));
    }

    /// Adds a sample of the fill of a category, for a legend.
    pub fn swatch(&mut self, (x, y): (f64, f64), size: (f64, f64), category: usize) {
        let outline = outline(true);
        self.push(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\"{outline}/>",
            size.0,
            size.1,
            paint(category)
        ));
    }

    /// Adds all elements of `other` on top of the existing elements.
    pub fn append(&mut self, other: Document) {
        self.body += &other.body;
    }

    /// Returns the figure on a white background.
    pub fn finish(self, width: f64, height: f64, categories: impl Iterator<Item = usize>) -> String {
        let looks: BTreeSet<usize> = categories.map(|category| category % DIFFERENT).collect();
        let patterns: String = looks.into_iter().filter_map(pattern).collect();
        format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n<defs>\n{patterns}</defs>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

fn outline(outlined: bool) -> &'static str {
    match outlined {
        true => " stroke=\"#000\" stroke-width=\"0.5\"",
        false => "",
    }
}

fn list(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    points.join(" ")
}

fn escaped(text: &str) -> String {
    let text = shown(text).replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the value of the attribute `fill` for a category.
fn paint(category: usize) -> String {
    match fill(category) {
        plain @ Fill {
            hatch: Hatch::None, ..
        } => plain.hex(),
        hatched => format!("url(#{})", name(hatched)),
    }
}

/// Returns the name of a hatching pattern. Patterns with equal names are equal, so one page can contain several figures.
fn name(fill: Fill) -> String {
    let hatch = format!("{:?}", fill.hatch).to_lowercase();
    format!("{hatch}-{}", fill.hex().trim_start_matches('#'))
}

/// Returns the definition of the hatching of a category, or `None` if the category has no hatching.
fn pattern(category: usize) -> Option<String> {
    let fill = fill(category);
    let (stroke, opacity) = if fill.is_dark() {
        ("#fff", 0.45)
    } else {
        ("#000", 0.35)
    };
    let drawing = match fill.hatch {
        Hatch::None => return None,
        Hatch::Dots => {
            format!("<circle cx=\"3\" cy=\"3\" r=\"1.1\" fill=\"{stroke}\" fill-opacity=\"{opacity}\"/>")
        }
        slanted => {
            let path = match slanted {
                Hatch::Rising => "M-1 1L1 -1M0 6L6 0M5 7L7 5",
                _ => "M-1 5L1 7M0 0L6 6M5 -1L7 1",
            };
            format!(
                "<path d=\"{path}\" stroke=\"{stroke}\" stroke-opacity=\"{opacity}\" stroke-width=\"1\"/>"
            )
        }
    };
    Some(format!(
        "<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" \
         fill=\"{}\"/>{drawing}</pattern>\n",
        name(fill),
        fill.hex()
    ))
}
