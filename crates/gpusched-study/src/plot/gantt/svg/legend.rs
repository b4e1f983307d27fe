//! The legend of a Gantt chart, with its colours and marks.

use super::marks;
use crate::plot::fill::DIFFERENT;
use crate::plot::gantt::scene::Scene;
use crate::plot::layout::{TICK_SIZE, text_width};
use crate::plot::svg::{Anchor, Document};
use gpusched_sim::timeline::Mark;

const LINE: f64 = 20.0;
const SWATCH: (f64, f64) = (24.0, 12.0);
const GAP: f64 = 6.0;
const COLUMN_GAP: f64 = 20.0;

/// Maximum number of categories that the legend lists. For further categories, the legend states only their number.
const MOST: usize = 2 * DIFFERENT;

enum Entry<'a> {
    Category(usize, &'a str),
    Planned(usize, &'a str),
    Mark(Mark),
    Remark(String),
}

impl Entry<'_> {
    fn words(&self) -> &str {
        match self {
            Entry::Category(_, name) | Entry::Planned(_, name) => name,
            Entry::Mark(mark) => mark.word(),
            Entry::Remark(words) => words,
        }
    }

    fn sample(&self) -> f64 {
        match self {
            Entry::Category(..) | Entry::Planned(..) => SWATCH.0 + GAP,
            Entry::Mark(_) => SWATCH.1 + GAP,
            Entry::Remark(_) => 0.0,
        }
    }
}

/// Draws the legend, with its upper end at `top` and, if possible, within `width`. Returns the position of the lower
/// end of the legend.
pub fn draw(document: &mut Document, scene: &Scene<'_>, left: f64, width: f64, top: f64) -> f64 {
    let listed = scene.categories.iter().take(MOST);
    let mut entries: Vec<Entry<'_>> = listed
        .map(|&(colour, name)| match scene.planned.contains(&colour) {
            true => Entry::Planned(colour, name),
            false => Entry::Category(colour, name),
        })
        .collect();
    if let more @ 1.. = scene.categories.len().saturating_sub(MOST) {
        entries.push(Entry::Remark(format!("and {more} more")));
    }
    if scene.categories.len() > DIFFERENT {
        entries.push(Entry::Remark(format!("(appearances repeat after {DIFFERENT})")));
    }
    entries.extend(scene.marks.iter().map(|&mark| Entry::Mark(mark)));
    let (mut x, mut y) = (left, top);
    for entry in &entries {
        let wide = entry.sample() + text_width(entry.words(), TICK_SIZE);
        if x > left && x + wide > left + width {
            (x, y) = (left, y + LINE);
        }
        let middle = y + LINE / 2.0;
        match entry {
            Entry::Category(colour, _) => document.swatch((x, middle - SWATCH.1 / 2.0), SWATCH, *colour),
            Entry::Planned(colour, _) => {
                document.outline("planned", (x, middle - SWATCH.1 / 2.0), SWATCH, *colour, "");
            }
            Entry::Mark(mark) => {
                let (up, down) = (middle - SWATCH.1 / 2.0, middle + SWATCH.1 / 2.0);
                let top = if matches!(mark, Mark::Miss | Mark::Violation) {
                    up
                } else {
                    up + marks::ABOVE
                };
                marks::draw(document, *mark, x + SWATCH.1 / 2.0, top, down);
            }
            Entry::Remark(_) => {}
        }
        let colour = "#000";
        document.text(
            x + entry.sample(),
            middle,
            TICK_SIZE,
            Anchor::Start,
            colour,
            entry.words(),
        );
        x += wide + COLUMN_GAP;
    }
    if entries.is_empty() { top } else { y + LINE }
}
