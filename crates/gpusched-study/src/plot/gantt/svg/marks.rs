//! Marks of instants, drawn as in papers on scheduling. The arrow of a release points up, and the arrow of a deadline
//! points down.

use crate::plot::svg::Document;
use gpusched_sim::timeline::Mark;

/// Height that marks need above their track [pixels].
pub const ABOVE: f64 = 7.0;

const WIDTH: f64 = 1.2;
const HEAD: f64 = 3.0;
const MISS: &str = "#c00000";

/// Draws a mark at position `x` on the track between `top` and `bottom`.
pub fn draw(document: &mut Document, mark: Mark, x: f64, top: f64, bottom: f64) {
    let tip = top - ABOVE + 1.0;
    match mark {
        Mark::Release => {
            document.line((x, bottom), (x, tip), "#000", WIDTH);
            document.path(
                &[(x - HEAD, tip + HEAD), (x, tip), (x + HEAD, tip + HEAD)],
                "#000",
                WIDTH,
            );
        }
        Mark::Deadline => {
            document.line((x, tip), (x, bottom), "#000", WIDTH);
            let neck = bottom - HEAD;
            document.path(&[(x - HEAD, neck), (x, bottom), (x + HEAD, neck)], "#000", WIDTH);
        }
        Mark::Completion => document.circle((x, tip + HEAD), HEAD - 0.5, "#000"),
        Mark::Miss | Mark::Violation => {
            let (middle, arm) = ((top + bottom) / 2.0, HEAD + 1.5);
            for (colour, width) in [("#fff", 4.0), (MISS, 2.0)] {
                document.line((x - arm, middle - arm), (x + arm, middle + arm), colour, width);
                document.line((x - arm, middle + arm), (x + arm, middle - arm), colour, width);
            }
        }
    }
}
