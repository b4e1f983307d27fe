//! Styles of lines and areas, which also differ in black and white.

use gpusched_study::plot::fill::{DIFFERENT, fill};
use gpusched_study::plot::style::{heat, line_style};

#[test]
fn no_two_of_the_first_look_alike() {
    for a in 0..DIFFERENT {
        for b in 0..a {
            assert_ne!(fill(a), fill(b), "{a} {b}");
        }
    }
    assert_eq!(fill(DIFFERENT), fill(0));
}

#[test]
fn the_first_eight_differ_in_black_and_white() {
    for a in 0..8 {
        for b in 0..a {
            let (a, b) = (fill(a), fill(b));
            let (light, dark) = (a.luminance().max(b.luminance()), a.luminance().min(b.luminance()));
            let contrast = (light + 0.05) / (dark + 0.05);
            assert!(a.hatch != b.hatch || contrast > 1.6, "{a:?} {b:?} {contrast}");
        }
    }
    assert!((0..8).all(|category| fill(category).is_dark() == (category % 2 == 0)));
}

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

#[test]
fn heat_goes_from_dark_to_light() {
    assert_eq!(heat(0.0), ("#440154".to_owned(), true));
    assert_eq!(heat(1.0), ("#fde725".to_owned(), false));
    assert_eq!((heat(-1.0).0, heat(2.0).0), (heat(0.0).0, heat(1.0).0));
}
