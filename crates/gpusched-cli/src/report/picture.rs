//! Formats of figures. All formats except SVG require the feature `pdf-png`.

use std::ffi::OsStr;
use std::path::Path;

use gpusched_model::error::{Refusal, Result};

/// Format of a figure.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Picture {
    /// Scalable figure for browsers and editors.
    #[default]
    Svg,
    /// Scalable figure for LaTeX. Requires a build with the feature `pdf-png`.
    Pdf,
    /// Raster image with twice the width and height of the SVG figure. Requires a build with the feature `pdf-png`.
    Png,
}

impl Picture {
    /// Returns the format that the ending of `path` states, or SVG.
    pub fn of(path: &Path) -> Picture {
        match path.extension().map(OsStr::to_ascii_lowercase) {
            Some(ending) if ending == "pdf" => Picture::Pdf,
            Some(ending) if ending == "png" => Picture::Png,
            _ => Picture::Svg,
        }
    }

    /// Checks that this build of gpusched can write the format. `option` is the name of the option that states `found`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) without the feature `pdf-png`.
    pub fn check(self, option: &str, found: impl ToString) -> Result<()> {
        if self == Picture::Svg || cfg!(feature = "pdf-png") {
            return Ok(());
        }
        let expected = "an SVG figure, because this gpusched was built without the feature `pdf-png`";
        let refusal = Refusal::new(option, found, expected);
        Err(refusal.hint("build gpusched with `--features pdf-png`").into())
    }

    /// Returns the bytes of a figure in this format.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if the figure cannot be converted.
    pub fn encode(self, svg: String) -> Result<Vec<u8>> {
        match self {
            Picture::Svg => Ok(svg.into_bytes()),
            #[cfg(feature = "pdf-png")]
            Picture::Pdf => conversion::pdf(&svg),
            #[cfg(feature = "pdf-png")]
            Picture::Png => conversion::png(&svg),
            #[cfg(not(feature = "pdf-png"))]
            Picture::Pdf | Picture::Png => self.check("format", self).map(|()| svg.into_bytes()),
        }
    }
}

#[cfg(feature = "pdf-png")]
mod conversion {
    use std::sync::Arc;

    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, fontdb::Database};
    use svg2pdf::{ConversionOptions, PageOptions};

    use gpusched_model::error::{Error, Result};

    /// Pixels of a PNG for each pixel of the SVG figure, in width and in height.
    const SCALE: f64 = 2.0;

    /// Maximum number of pixels of a PNG. For larger figures, the scale is smaller.
    const MOST_PIXELS: f64 = 64e6;

    /// Pixels of an SVG figure per inch.
    const PER_INCH: f32 = 96.0;

    fn fail(cause: impl ToString) -> Error {
        Error::Internal(format!("the figure cannot be converted: {}", cause.to_string()))
    }

    /// Parses the figure. The texts use a font that gpusched contains, so the result does not depend on the fonts of
    /// the machine.
    fn parsed(svg: &str) -> Result<Tree> {
        let mut fonts = Database::new();
        fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
        fonts.set_sans_serif_family("Ubuntu");
        let options = Options {
            fontdb: Arc::new(fonts),
            ..Options::default()
        };
        Tree::from_str(svg, &options).map_err(fail)
    }

    pub fn pdf(svg: &str) -> Result<Vec<u8>> {
        let page = PageOptions { dpi: PER_INCH };
        let pdf = svg2pdf::to_pdf(&parsed(svg)?, ConversionOptions::default(), page);
        pdf.map(|pdf| in_order(&pdf)).map_err(fail)
    }

    /// Sorts adjacent references to objects, such as `/gs0 8 0 R`. Without sorting, their order is random. The order of
    /// the entries of a PDF dictionary has no meaning, and all positions of objects stay the same.
    fn in_order(pdf: &[u8]) -> Vec<u8> {
        let is_reference = |line: &[u8]| {
            let line = line.trim_ascii();
            let is_text = line.iter().all(|byte| (b' '..=b'~').contains(byte));
            is_text && line.starts_with(b"/") && line.ends_with(b" 0 R")
        };
        let mut lines: Vec<&[u8]> = pdf.split(|&byte| byte == b'\n').collect();
        for run in lines.chunk_by_mut(|a, b| is_reference(a) && is_reference(b)) {
            if run.len() > 1 {
                run.sort_unstable();
            }
        }
        lines.join(&b'\n')
    }

    pub fn png(svg: &str) -> Result<Vec<u8>> {
        let tree = parsed(svg)?;
        let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
        let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
        let pixels = |side: f64| (side * scale).ceil() as u32;
        let image = Pixmap::new(pixels(width), pixels(height));
        let mut image = image.ok_or_else(|| fail("it has no pixels"))?;
        let transform = Transform::from_scale(scale as f32, scale as f32);
        resvg::render(&tree, transform, &mut image.as_mut());
        image.encode_png().map_err(fail)
    }
}
