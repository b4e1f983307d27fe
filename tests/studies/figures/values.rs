//! Values of options of figures: names, ranges, sizes and references.

use gpusched_study::plot::{Names, Reference, Selection, Size, Span};

#[test]
fn selections_have_a_column_and_a_value() {
    let name: Selection = "algorithm=a=b".parse().unwrap();
    assert_eq!((name.column.as_str(), name.value.as_str()), ("algorithm", "a=b"));
    assert!("algorithm".parse::<Selection>().is_err());
    assert!("=2".parse::<Selection>().is_err());
}

#[test]
fn words_become_values_or_are_refused() {
    assert_eq!("a,b c".parse::<Names>().unwrap().0, ["a", "b c"]);
    assert!("".parse::<Names>().unwrap().0.is_empty());
    let span: Span = "-1..2.5".parse().unwrap();
    assert_eq!(format!("{span:?}"), "Span { low: -1.0, high: 2.5 }");
    let size: Size = "800x300".parse().unwrap();
    assert_eq!(format!("{size:?}"), "Size { width: 800, height: 300 }");
    let label: Reference = "1=in isolation".parse().unwrap();
    assert_eq!((label.value, label.label.as_str()), (1.0, "in isolation"));
    for span in ["1..1", "2..1", "nan..1", "0..inf", "1", "a..b", "0..1e16", ""] {
        assert!(span.parse::<Span>().is_err(), "{span}");
    }
    for size in ["10x10", "99999x300", "800", "-1x300", "axb", ""] {
        assert!(size.parse::<Size>().is_err(), "{size}");
    }
    for reference in ["", "=label", "inf", "x=1"] {
        assert!(reference.parse::<Reference>().is_err(), "{reference}");
    }
}
