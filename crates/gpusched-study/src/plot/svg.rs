//! The SVG elements of figures and Gantt charts. Coordinates have two decimals.

use std::fmt::Write as _;

use super::fill::{Fill, Hatch, fill};
use super::layout::shown;

/// Half of the distance between two lines of a hatching [pixels].
const HALF: f64 = 3.0;

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
        let look = fill(category);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\"{outline}><title>{}</title></rect>",
            size.0,
            size.1,
            look.hex(),
            escaped(words)
        ));
        self.hatching(look, (x, y), size);
    }

    /// Adds the outline of a rectangle of a class, in the color of a category.
    pub fn outline(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        size: (f64, f64),
        category: usize,
        words: &str,
    ) {
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#fff\" fill-opacity=\"0\" \
             stroke=\"{}\" stroke-width=\"1.2\"><title>{}</title></rect>",
            size.0,
            size.1,
            fill(category).hex(),
            escaped(words)
        ));
    }

    /// Adds a sample of the fill of a category, for a legend.
    pub fn swatch(&mut self, (x, y): (f64, f64), size: (f64, f64), category: usize) {
        let (outline, look) = (outline(true), fill(category));
        self.push(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\"{outline}/>",
            size.0,
            size.1,
            look.hex()
        ));
        self.hatching(look, (x, y), size);
    }

    /// Adds the hatching of a rectangle as one dashed line. A PDF has an image of the whole page for each use of an SVG pattern, so
    /// a chart with patterns weighs some 0.2 MB per slice.
    fn hatching(&mut self, look: Fill, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (across, down) = (width - HALF, height - HALF);
        if look.hatch == Hatch::None || across.min(down) <= HALF {
            return;
        }
        let (colour, opacity) = match look.is_dark() {
            true => ("#fff", 0.45),
            false => ("#000", 0.35),
        };
        let (path, stroke) = match look.hatch {
            Hatch::Upright => {
                let path = format!("M{:.2} {:.2}h{across:.2}", x + HALF, y + height / 2.0);
                (
                    path,
                    format!("stroke-width=\"{height:.2}\" stroke-dasharray=\"1 5\""),
                )
            }
            Hatch::Level => {
                let path = format!("M{:.2} {:.2}v{down:.2}", x + width / 2.0, y + HALF);
                (
                    path,
                    format!("stroke-width=\"{width:.2}\" stroke-dasharray=\"1 5\""),
                )
            }
            Hatch::None | Hatch::Dots => {
                let rows = std::iter::successors(Some(y + HALF), |row| Some(row + 2.0 * HALF));
                let rows = rows.take_while(|row| row + 1.0 <= y + height);
                let path: String = rows
                    .map(|row| format!("M{:.2} {row:.2}h{:.2}", x + HALF, across - 1.0))
                    .collect();
                (
                    path,
                    "stroke-width=\"2.2\" stroke-linecap=\"round\" stroke-dasharray=\"0 6\"".to_owned(),
                )
            }
        };
        self.push(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"{opacity}\" {stroke} pointer-events=\"none\"/>"
        ));
    }

    /// Adds all elements of `other` on top of the existing elements.
    pub fn append(&mut self, other: Document) {
        self.body += &other.body;
    }

    /// Returns the figure on a white background.
    pub fn finish(self, width: f64, height: f64) -> String {
        format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n\
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
