//! The data of a figure: panels, series and points of a table.

use std::collections::BTreeMap;

use gpusched::error::Result;
use gpusched_study::Table;
use gpusched_study::plot::data::{Chart, Point};
use gpusched_study::plot::{AxisScale, FigureKind, Names, Options, Reference};
use proptest::prelude::*;

use crate::support::rounds;

const CSV: &str = "\
study,utilization,tasks,variant,algorithm,rate,ci_low,ci_high,mean_sms
s,4,50,a,SMS,0.5,0.4,0.6,
s,2,50,a,SMS,1,0.9,1,10
s,2,50,a,1G,0.25,0.2,0.3,20
s,2,50,b,1G,0.75,,,30
";

const CASES: &str = "\
study,case,measure,kernel,scheduler,quantity,value,unit,published,deviation
s,pc,m,K1,lrr,time,10,,,
s,pc,m,K2,lrr,time,12,,,
s,pc,m,K1,gto,time,8,,,
s,pc,m,K2,gto,time,15,,,
s,mm,m,K1,lrr,time,100,,,
s,mm,m,K2,lrr,time,110,,,
s,mm,m,K1,gto,time,70,,,
s,mm,m,K2,gto,time,,,,
s,mm,m,K1,rr,time,,,,
";

fn chart(csv: &str, change: impl FnOnce(&mut Options)) -> Result<Chart> {
    let mut options = Options::default();
    change(&mut options);
    Chart::new(&[Table::from_reader("t.csv", csv.as_bytes())?], &options)
}

fn message(csv: &str, change: impl FnOnce(&mut Options)) -> String {
    chart(csv, change).unwrap_err().to_string()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn values(chart: &Chart, panel: usize) -> Vec<Vec<Option<f64>>> {
    let lines = chart.panels[panel].lines.iter();
    lines
        .map(|line| line.iter().map(|point| point.y).collect())
        .collect()
}

#[test]
fn rows_become_points_of_lines_in_panels() {
    let chart = chart(CSV, |_| {}).unwrap();
    assert_eq!(
        (chart.kind, chart.title.as_deref()),
        (FigureKind::Line, Some("s"))
    );
    assert_eq!(chart.series, ["SMS", "1G"]);
    let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["a", "b"]);
    let point = |x, y, band| Point { x, y: Some(y), band };
    let in_order = [
        point(2.0, 1.0, Some((0.9, 1.0))),
        point(4.0, 0.5, Some((0.4, 0.6))),
    ];
    assert_eq!(chart.panels[0].lines[0], in_order);
    assert_eq!(chart.panels[1].lines, [vec![], vec![point(2.0, 0.75, None)]]);
}

#[test]
fn another_column_has_gaps_and_no_band() {
    let chart = chart(CSV, |options| {
        options.y = some("mean_sms");
        (options.x_title, options.y_title) = (some("load"), some("SMs"));
        options.selection = BTreeMap::from([
            ("algorithm".to_owned(), Names::one("SMS")),
            ("tasks".to_owned(), Names::one("50.0")),
        ]);
    })
    .unwrap();
    assert!(!chart.has_bands());
    let panel = &chart.panels[0];
    assert_eq!((panel.x.title.as_str(), panel.y.title.as_str()), ("load", "SMs"));
    assert_eq!(chart.series, ["SMS"]);
    assert_eq!(values(&chart, 0), [[Some(10.0), None]]);
}

#[test]
fn selections_compare_numbers_as_numbers() {
    let accepts = |value: &str, cell: &str| {
        let found = chart(&format!("x,kind,value\n1,{cell},5\n1,z,6\n"), |options| {
            (options.x, options.y) = (some("x"), some("value"));
            options.selection = BTreeMap::from([("kind".to_owned(), Names::one(value))]);
        });
        found.map(|chart| values(&chart, 0)).ok() == Some(vec![vec![Some(5.0)]])
    };
    assert!(accepts("2", "2.0") && !accepts("2", "20") && !accepts("2", "") && accepts("a", "a"));
}

#[test]
fn several_tables_are_one() {
    let table = |csv: &str| Table::from_reader("t.csv", csv.as_bytes()).unwrap();
    let tables = [
        table("utilization,algorithm,rate\n2,SMS,1\n"),
        table("rate,more,utilization,algorithm\n0.5,x,4,SMS\n"),
    ];
    let chart = Chart::new(&tables, &Options::default()).unwrap();
    assert_eq!((chart.panels.len(), chart.panels[0].lines[0].len()), (1, 2));
    assert_eq!((chart.title, chart.panels[0].title.as_str()), (None, ""));
}

#[test]
fn texts_on_the_horizontal_axis_become_bars_of_all_combinations() {
    let found = chart(CASES, |_| {}).unwrap();
    assert_eq!(found.kind, FigureKind::Bar);
    // The series "K1 rr" has no value, so the figure has no such series.
    assert_eq!(found.series, ["K1 lrr", "K2 lrr", "K1 gto", "K2 gto"]);
    let labels: Vec<&str> = found.panels[0]
        .x
        .ticks
        .iter()
        .map(|tick| tick.label.as_str())
        .collect();
    assert_eq!(labels, ["pc", "mm"]);
    assert_eq!(found.panels[0].y.share(0.0), 0.0);
    let samples = "study,kind,rate\ns,a,1\ns,a,2\ns,b,3\n";
    let boxes = chart(samples, |options| options.x = some("kind")).unwrap();
    assert_eq!(boxes.kind, FigureKind::Box);
}

#[test]
fn the_series_of_a_normalization_is_1_everywhere() {
    let chart = chart(CASES, |options| options.normalize = some("K1 lrr")).unwrap();
    let expected = [
        vec![Some(1.0), Some(1.0)],
        vec![Some(1.2), Some(1.1)],
        vec![Some(0.8), Some(0.7)],
        vec![Some(1.5), None],
    ];
    assert_eq!(values(&chart, 0), expected);
    assert_eq!(chart.panels[0].y.title, "Value / K1 lrr");
    for (message, expected) in [
        (
            message(CASES, |options| options.normalize = some("lrr")),
            "normalize: found no series \"lrr\", expected one of \"K1 lrr\"",
        ),
        (
            message(CASES, |options| options.normalize = some("K2 gto")),
            "normalize: found no value, expected a value of \"K2 gto\" at mm in the same panel",
        ),
        (
            message(&CASES.replace(",10,", ",0,"), |options| {
                options.normalize = some("K1 lrr");
            }),
            "t.csv:2: at normalize: found 0, expected a positive value",
        ),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn free_scales_show_the_values_of_one_panel() {
    let axes = |scale| {
        let chart = chart(CASES, |options| {
            (options.panel, options.x) = (Some(Names::one("case")), some("scheduler"));
            options.scale = scale;
        })
        .unwrap();
        let panels = chart.panels.iter();
        panels.map(|panel| panel.y.share(15.0)).collect::<Vec<_>>()
    };
    assert!(axes(None).iter().all(|share| *share < 0.2));
    let free = axes(Some(AxisScale::Free));
    assert!(free[0] > 0.9 && free[1] < 0.2, "{free:?}");
}

#[test]
fn numbers_on_an_axis_of_categories_are_in_order() {
    let csv = "size,model,value\n10,a,1\n2,a,2\n2.0,b,3\n";
    let chart = chart(csv, |options| options.kind = Some(FigureKind::Bar)).unwrap();
    let labels: Vec<&str> = chart.panels[0]
        .x
        .ticks
        .iter()
        .map(|tick| tick.label.as_str())
        .collect();
    assert_eq!(labels, ["2", "10"]);
    let x = |series: usize| chart.panels[0].lines[series].iter().map(|point| point.x);
    assert_eq!(
        (x(0).collect::<Vec<_>>(), x(1).collect::<Vec<_>>()),
        (vec![0.0, 1.0], vec![0.0])
    );
}

#[test]
fn bad_input_is_named() {
    for (message, expected) in [
        (
            message(CSV, |options| options.y = some("speed")),
            "t.csv: found no column `speed`",
        ),
        (
            message(CSV, |options| options.x = some("mean_sms")),
            "t.csv:2: at mean_sms: found an empty cell",
        ),
        (
            message(CSV, |options| options.panel = Some(Names::one("speed"))),
            "no column `speed`",
        ),
        (
            message(CSV, |options| options.panel = Some(Names::one("study"))),
            "rate: found two values, at t.csv:4 and t.csv:5, expected one value for algorithm = 1G, utilization = 2, s",
        ),
        (
            message(CSV, |options| {
                options.selection.insert("variant".to_owned(), Names::one("c"));
            }),
            "variant: found no row with variant = c, expected one of \"a\", \"b\"",
        ),
        (
            message(CSV, |options| {
                let selection = &mut options.selection;
                selection.insert("variant".to_owned(), Names::one("b"));
                selection.insert("algorithm".to_owned(), Names::one("SMS"));
            }),
            "found no rows, expected values to draw",
        ),
        (
            message("utilization,algorithm,rate\n", |_| {}),
            "found no rows, expected values to draw",
        ),
        (
            message("utilization,algorithm,rate\n2,A,\n", |_| {}),
            "rate: found only empty cells",
        ),
        (
            message("utilization,algorithm,rate\n2,A,1e300\n", |_| {}),
            "t.csv:2: at rate: found 1",
        ),
        (
            message("utilization,algorithm,rate\n2,A,0\n", |options| {
                options.log_y = true;
            }),
            "t.csv:2: at rate: found 0, expected a positive number, because the vertical axis",
        ),
        (
            message("utilization,algorithm,rate\n0,A,1\n", |options| {
                options.log_x = true;
            }),
            "t.csv:2: at utilization: found 0, expected a positive number, because the horizontal axis",
        ),
        (
            message(CASES, |options| options.log_x = true),
            "log_x: found categories on the horizontal axis of a figure of kind `bar`",
        ),
        (
            message(CSV, |options| {
                (options.log_y, options.y_range) = (true, "0..1".parse().ok());
            }),
            "y_range: found 0..1, expected a range above 0",
        ),
        (
            message(CSV, |options| {
                options.reference = vec![Reference {
                    value: f64::NAN,
                    label: String::new(),
                }];
            }),
            "reference: found NaN",
        ),
    ] {
        assert!(message.contains(expected), "{message}");
    }
    let many: String = (0..25).map(|index| format!("2,A{index},1\n")).collect();
    let message = message(&format!("utilization,algorithm,rate\n{many}"), |_| {});
    assert!(message.contains("found more than 24 series"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2560)))]

    /// The steps of a distribution rise from 1/n to 1, at the values in ascending order.
    #[test]
    fn a_distribution_is_monotone_and_ends_in_1(values in prop::collection::vec(-1e9_f64..1e9, 1..50)) {
        let rows: String = values.iter().map(|value| format!("a,{value}\n")).collect();
        let found = chart(&format!("algorithm,rate\n{rows}"), |options| {
            options.kind = Some(FigureKind::Cdf);
        });
        let chart = found.unwrap();
        let points = &chart.panels[0].lines[0];
        prop_assert_eq!(points.len(), values.len());
        prop_assert!(points.windows(2).all(|pair| pair[0].x <= pair[1].x && pair[0].y < pair[1].y));
        prop_assert_eq!(points.last().and_then(|point| point.y), Some(1.0));
        prop_assert_eq!(points[0].y, Some(1.0 / values.len() as f64));
        for point in points {
            let share = values.iter().filter(|&&value| value <= point.x).count() as f64 / values.len() as f64;
            prop_assert!(point.y <= Some(share));
        }
    }

    /// Every value of the table is in exactly one panel, unchanged, and inside the axes.
    #[test]
    fn every_value_is_drawn_once(values in prop::collection::vec(-1e6_f64..1e6, 1..40), free in any::<bool>()) {
        let row = |(index, value): (usize, &f64)| format!("{},{},{},{value}\n", index / 6, index % 2, index % 3);
        let rows: String = values.iter().enumerate().map(row).collect();
        let chart = chart(&format!("x,panel,series,value\n{rows}"), |options| {
            (options.x, options.y) = (some("x"), some("value"));
            (options.panel, options.series) = (Some(Names::one("panel")), Some(Names::one("series")));
            options.kind = Some(FigureKind::Bar);
            options.scale = Some(if free { AxisScale::Free } else { AxisScale::Shared });
        }).unwrap();
        let mut drawn = Vec::new();
        for panel in &chart.panels {
            for point in panel.lines.iter().flatten() {
                let y = point.y.unwrap();
                prop_assert!((0.0..=1.0).contains(&panel.y.share(y)));
                prop_assert!((0.0..=1.0).contains(&panel.x.share(point.x)));
                drawn.push(y);
            }
        }
        let mut expected = values.clone();
        expected.sort_by(f64::total_cmp);
        drawn.sort_by(f64::total_cmp);
        prop_assert_eq!(drawn, expected);
    }
}
