//! Draws the figures of a study.

use gpusched_model::error::Result;
use gpusched_study::Study;

/// Draws the figures that `study` defines, from its results.
pub fn draw(study: &Study) -> Result<()> {
    let mut outputs = study.spec.outputs();
    for figure in study.figures()? {
        outputs.write(&figure.path, figure.svg()?)?;
    }
    outputs.commit()
}
