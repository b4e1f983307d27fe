//! Figures of a page: an SVG image, a caption and a text alternative.

use minijinja::HtmlEscape;
use serde::Serialize;

/// A figure. gpusched itself writes `svg`, so the template does not escape this text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Figure {
    /// Id of the figure on the page.
    pub id: String,
    pub caption: String,
    /// Content of the figure as text, for readers who cannot see the figure.
    pub alternative: String,
    pub svg: String,
    /// Whether the figure has its own white background.
    pub framed: bool,
    /// Whether the reader may zoom.
    pub zoom: bool,
}

impl Figure {
    /// Creates a figure from `svg`. The code that draws `svg` escapes all texts.
    pub fn new(
        id: impl Into<String>,
        caption: impl Into<String>,
        alternative: impl Into<String>,
        svg: &str,
    ) -> Figure {
        let alternative = alternative.into();
        let attributes = format!("<svg role=\"img\" aria-label=\"{}\" ", HtmlEscape(&alternative));
        Figure {
            id: id.into(),
            caption: caption.into(),
            svg: svg.trim_end().replacen("<svg ", &attributes, 1),
            alternative,
            framed: true,
            zoom: true,
        }
    }
}
