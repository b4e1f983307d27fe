//! Shapes and texts of drawn figures: markers, confidence bands, and harmless texts.

use gpusched_study::Table;
use gpusched_study::plot::{Options, svg};

use crate::plot::{lines, texts};

type At = (f64, f64);

/// Draws the table in `csv`.
fn drawn(csv: &str) -> String {
    let table = Table::from_reader("t.csv", csv.as_bytes()).unwrap();
    svg(&[table], &Options::default()).unwrap()
}

/// Returns the corners of all polygons with `mark` in their elements.
fn polygons(svg: &str, mark: &str) -> Vec<Vec<At>> {
    let found = svg
        .lines()
        .filter(|line| line.starts_with("<polygon") && line.contains(mark));
    let lines: Vec<String> = found
        .map(|line| line.replace("<polygon", "<polyline stroke-width=\"1.6\""))
        .collect();
    lines.iter().flat_map(|line| self::lines(line)).collect()
}

/// Returns the attribute `name` of an element.
fn number(element: &str, name: &str) -> f64 {
    let (_, value) = element.split_once(&format!(" {name}=\"")).unwrap();
    value.split_once('"').unwrap().0.parse().unwrap()
}

/// Returns the markers of the first line.
fn disks(svg: &str) -> Vec<At> {
    let disks = svg
        .lines()
        .filter(|line| line.starts_with("<circle") && line.contains(" r=\"3.4\""));
    disks
        .map(|disk| (number(disk, "cx"), number(disk, "cy")))
        .collect()
}

fn distance(one: At, other: At) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

/// Returns a table of one line for each of the `names`.
fn equal_lines(names: &[&str], values: &[u32]) -> String {
    let rows = names.iter().flat_map(|name| {
        let values = values.iter().enumerate();
        values.map(move |(index, value)| format!("{index},{name},{value}\n"))
    });
    format!("utilization,algorithm,value\n{}", rows.collect::<String>())
}

/// A short line has a marker at each point. On a long line, the distance between two markers is at least 70 pixels. Lines that
/// coincide have their markers at different places.
#[test]
fn markers_follow_the_length_of_the_line() {
    let zigzag: Vec<u32> = (0..30).map(|index| index % 2).collect();
    for values in [&[5; 12][..], &zigzag] {
        let figure = drawn(&equal_lines(&[""], values));
        assert_eq!(disks(&figure), lines(&figure)[0], "{values:?}");
    }
    let figure = drawn(&equal_lines(&["A", "B"], &[5; 40]));
    let points = &lines(&figure)[0];
    let step = distance(points[0], points[1]);
    assert!(step < 35.0, "{step}");
    let markers = |all: Vec<At>| -> Vec<At> {
        let near = |marker: &At| points.iter().any(|point| distance(*point, *marker) < 0.1);
        all.into_iter().filter(near).collect()
    };
    let squares = polygons(&figure, "fill=\"#fff\" stroke=\"#d55e00\"").into_iter();
    let centers = squares.map(|corners| {
        (
            (corners[0].0 + corners[2].0) / 2.0,
            (corners[0].1 + corners[2].1) / 2.0,
        )
    });
    let (first, second) = (markers(disks(&figure)), markers(centers.collect()));
    assert_eq!(first[0], points[0]);
    let begin = distance(points[0], second[0]);
    assert!((34.9..35.1 + step).contains(&begin), "{begin}");
    for pair in first.windows(2).chain(second.windows(2)) {
        let between = distance(pair[0], pair[1]);
        assert!((69.9..70.1 + step).contains(&between), "{between}");
    }
    assert!(first.len() > 3 && second.len() > 3);
}

const HEAD: &str = "utilization,algorithm,rate,ci_low,ci_high\n";

#[test]
fn bands_that_coincide_are_drawn_once() {
    let figure = drawn(&format!(
        "{HEAD}0,A,0.95,0.9,1\n1,A,0.95,0.9,1\n2,A,0.95,0.9,1\n3,A,0.95,,\n4,A,0.95,0.9,1\n5,A,0.95,0.9,1\n\
         0,B,0.95,0.8,1\n1,B,0.95,0.9,1\n2,B,0.95,0.9,1\n3,B,0.95,0.9,1\n"
    ));
    let x: Vec<f64> = lines(&figure)[0].iter().map(|point| point.0).collect();
    let bands = |color: &str| polygons(&figure, &format!("fill=\"{color}\" fill-opacity"));
    let places = |bands: &[Vec<At>]| -> Vec<Vec<f64>> {
        let bands = bands.iter();
        bands
            .map(|band| band.iter().map(|corner| corner.0).collect())
            .collect()
    };
    let (first, second) = (bands("#0072b2"), bands("#d55e00"));
    let around = |places: &[usize]| -> Vec<f64> {
        let both = places.iter().chain(places.iter().rev());
        both.map(|&place| x[place]).collect()
    };
    assert_eq!(places(&first), [around(&[0, 1, 2]), around(&[4, 5])]);
    assert_eq!(places(&second), [around(&[0, 1]), around(&[2, 3])]);
    // The ends of the first interval are 0.8 and 1, and the ends of the second interval are 0.9 and 1.
    let [left, right, right_low, left_low] = second[0][..] else {
        panic!("{second:?}")
    };
    assert_eq!(left.1, right.1);
    assert!(((left_low.1 - left.1) - 2.0 * (right_low.1 - right.1)).abs() < 0.05);
}

/// A figure shows no bands where all sets or no sets are schedulable, unless the sets are few.
#[test]
fn bands_are_absent_at_the_ends_of_a_share() {
    for (low, from) in [(0.98, 1), (0.84, 0)] {
        let figure = drawn(&format!(
            "{HEAD}0,A,1,{low},1\n1,A,1,{low},1\n2,A,0.95,0.8,1\n3,A,0.95,0.3,1\n"
        ));
        let x: Vec<f64> = lines(&figure)[0].iter().map(|point| point.0).collect();
        let bands = polygons(&figure, "fill-opacity");
        assert_eq!(bands.len(), 1);
        let places: Vec<f64> = bands[0].iter().map(|corner| corner.0).collect();
        let (there, back) = (x[from..].iter(), x[from..].iter().rev());
        assert_eq!(places, there.chain(back).copied().collect::<Vec<_>>(), "{low}");
    }
}

/// A line under another line is wider, and its markers are larger. A line that only meets others stays as it is.
#[test]
fn lines_under_lines_are_visible() {
    let widths = |values: [[f64; 5]; 4]| {
        let rows = ["A", "B", "C", "D"]
            .into_iter()
            .zip(values)
            .flat_map(|(name, values)| {
                let values = values.into_iter().enumerate();
                values.map(move |(x, value)| format!("{x},{name},{value}\n"))
            });
        let figure = drawn(&format!(
            "utilization,algorithm,rate\n{}",
            rows.collect::<String>()
        ));
        let lines = figure
            .lines()
            .filter(|line| line.starts_with("<polyline") && line.matches(',').count() == 5);
        let widths = lines
            .map(|line| number(line, "stroke-width"))
            .collect::<Vec<f64>>();
        let radius = figure
            .lines()
            .find(|line| line.starts_with("<circle"))
            .map(|disk| number(disk, "r"));
        (widths, radius.unwrap())
    };
    let (falling, other) = ([1.0, 0.9, 0.5, 0.1, 0.0], [1.0, 0.8, 0.4, 0.2, 0.0]);
    assert_eq!(
        widths([falling, falling, other, [1.0; 5]]),
        (vec![4.4, 1.6, 1.6, 1.6], 4.8)
    );
    assert_eq!(
        widths([other, falling, falling, falling]),
        (vec![1.6, 7.2, 4.4, 1.6], 3.4)
    );
    // More lines do not make a line wider.
    assert_eq!(widths([falling; 4]).0, [7.2, 7.2, 4.4, 1.6]);
    // Level lines meet often.
    assert_eq!(widths([[1.0; 5], [1.0; 5], [0.0; 5], falling]).0, [1.6; 4]);
    // Three of four slopes in common are enough, two are not.
    let (three, two) = ([1.0, 0.9, 0.5, 0.1, 0.05], [1.0, 0.9, 0.5, 0.2, 0.0]);
    assert_eq!(widths([falling, three, [1.0; 5], [0.0; 5]]).0[0], 4.4);
    assert_eq!(widths([falling, two, [1.0; 5], [0.0; 5]]).0[0], 1.6);
}

#[test]
fn texts_are_legal_in_xml_and_short() {
    let long = "x".repeat(500);
    let figure = drawn(&format!(
        "utilization,algorithm,rate\n1,\"a\nb\u{1}c\",1\n1,{long},0\n"
    ));
    let texts = texts(&figure);
    assert!(texts.contains(&"a b\u{fffd}c"), "{texts:?}");
    let clipped = texts.iter().filter(|text| text.contains("xxx"));
    assert_eq!(
        clipped.map(|text| text.chars().count()).collect::<Vec<_>>(),
        [120]
    );
}

#[test]
fn names_in_the_legend_have_room() {
    let figure = drawn("utilization,algorithm,rate\n1,SMS-INA,1\n1,B,0\n");
    let place = |name: &str| {
        let text = figure
            .lines()
            .find(|line| line.ends_with(&format!(">{name}</text>")));
        (number(text.unwrap(), "x"), number(text.unwrap(), "y"))
    };
    let (first, second) = (place("SMS-INA"), place("B"));
    assert_eq!(first.1, second.1);
    // The sample of the second line takes 47 pixels, and the first name more than 50 pixels.
    assert!(second.0 - first.0 > 97.0, "{first:?} {second:?}");
}
