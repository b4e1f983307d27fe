//! Line charts of budgets: one line per series over numbers on the horizontal axis.

use gpusched_model::error::Result;
use gpusched_study::Table as Results;
use gpusched_study::plot::{Names, Options, Reference, Span, svg};

use crate::figure::Figure;
use crate::view::Rows;

/// A line chart.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    /// Id of the figure on the page.
    pub id: &'a str,
    pub caption: &'a str,
    /// Content of the figure as text.
    pub alternative: String,
    /// Titles of the horizontal and the vertical axis.
    pub titles: (&'a str, &'a str),
    /// Value with a line across the figure, and its label.
    pub reference: Option<(f64, &'a str)>,
    /// Ends of the horizontal axis. Default: the ends of the lines.
    pub range: Option<[f64; 2]>,
}

impl Lines<'_> {
    /// Draws `points`: the name of the series, the place on the horizontal axis, and the value. A series has at most one value at
    /// a place.
    ///
    /// # Errors
    /// Fails without points, and for values above 10^15.
    pub fn draw<'a>(self, points: impl IntoIterator<Item = (&'a str, f64, f64)>) -> Result<Figure> {
        let mut rows = Rows::default();
        rows.add(("series", "x", "y"))?;
        for (series, x, y) in points {
            rows.add((series, format!("{x:.6}"), format!("{y:.6}")))?;
        }
        let options = Options {
            x: Some("x".to_owned()),
            y: Some("y".to_owned()),
            series: Some(Names::one("series")),
            title: Some(String::new()),
            x_title: Some(self.titles.0.to_owned()),
            y_title: Some(self.titles.1.to_owned()),
            reference: { self.reference.into_iter() }
                .map(|(value, label)| Reference {
                    value,
                    label: label.to_owned(),
                })
                .collect(),
            x_range: self.range.and_then(|range| Span::try_from(range).ok()),
            ..Options::default()
        };
        let table = Results::from_reader(self.id, rows.finish()?.as_bytes())?;
        let drawn = svg(&[table], &options)?;
        Ok(Figure::new(self.id, self.caption, self.alternative, &drawn))
    }
}
