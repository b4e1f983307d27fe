//! The figure is well-formed, and shows one rectangle per visible slice at the correct position, in every size.

use gpusched::simulator::timeline::{Slice, Timeline};
use gpusched::study::plot::gantt::{self, MAX_SLICES, Options};

use crate::support::rounds;
use crate::support::xml::check_xml;
use crate::timeline::{example, ns, random};

/// Returns the rectangles of the slices: x, y, width, height.
fn rectangles(svg: &str) -> Vec<[f64; 4]> {
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<rect class=\"slice\""));
    let attribute = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    lines
        .map(|line| ["x", "y", "width", "height"].map(|name| attribute(line, name)))
        .collect()
}

fn window(from: u64, to: u64) -> Options {
    Options {
        title: Some("A <title> & more".to_owned()),
        from: Some(ns(from)),
        to: Some(ns(to)),
    }
}

#[test]
fn one_rectangle_per_visible_slice_and_none_overlaps() {
    let (mut partial, mut drawn) = (0, 0);
    for seed in (0..rounds(800)).filter(|seed| seed % 4 != 0) {
        let (timeline, events) = random(seed);
        for (from, to) in [(0, 80), (20, 40), (59, 60)] {
            let visible = events
                .slices
                .iter()
                .filter(|(_, _, start, end)| match start == end {
                    true => (from..=to).contains(start),
                    false => *start < to && *end > from,
                });
            let visible = visible.count();
            let svg = match gantt::svg(&timeline, &window(from, to)) {
                Ok(svg) => svg,
                Err(error) => {
                    assert_eq!(visible, 0, "seed {seed}: {error}");
                    assert!(error.to_string().contains("no event from"), "{error}");
                    continue;
                }
            };
            check_xml(&svg);
            let found = rectangles(&svg);
            assert_eq!(found.len(), visible, "seed {seed}, {from} to {to}");
            drawn += found.len();
            partial += usize::from(visible > 0 && visible < events.slices.len());
            // Slices with a duration, compared with a small tolerance for rounding.
            let long: Vec<_> = found.iter().filter(|place| place[2] > 0.5).collect();
            for (i, [x, y, width, height]) in long.iter().enumerate() {
                for [x2, y2, width2, height2] in &long[..i] {
                    let beside = x + width <= x2 + 0.02 || x2 + width2 <= x + 0.02;
                    let above = y + height <= y2 + 0.02 || y2 + height2 <= y + 0.02;
                    assert!(beside || above, "seed {seed}");
                }
            }
        }
    }
    assert!(
        partial > rounds(100) && drawn > rounds(1_000),
        "{partial} {drawn}"
    );
}

#[test]
fn rectangles_stand_where_their_times_say() {
    // 10 µs in 760 px; slices are ordered by track.
    let svg = gantt::svg(&example(), &window(5_000, 15_000)).unwrap();
    let found = rectangles(&svg);
    let expected = [
        (5_000, 8_000),
        (5_000, 9_000),
        (9_000, 15_000),
        (5_000, 8_500),
        (8_500, 15_000),
        (8_500, 12_000),
        (10_000, 14_000),
        (5_000, 10_000),
        (14_000, 15_000),
    ];
    assert_eq!(found.len(), expected.len());
    let left = found[0][0];
    for ([x, _, width, _], (start, end)) in found.into_iter().zip(expected) {
        let place = |at: u32| f64::from(at - 5_000) * 0.076;
        assert!((x - left - place(start)).abs() < 0.011, "{x} {start}");
        assert!(
            (width - place(end) + place(start)).abs() < 0.011,
            "{width} {start} {end}"
        );
    }
    for text in [
        "A &lt;title&gt; &amp; more",
        ">SM 1<",
        ">Time [µs]<",
        ">51.2 GB/s<",
        ">conv<",
        ">deadline miss<",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(
        !svg.contains("http://") || svg.matches("http").count() == 1,
        "only the namespace is a link"
    );
    assert!(!svg.contains("<script") && !svg.contains("@font-face"));
}

/// Returns a timeline of `sms` SMs with four concurrent blocks each.
fn gpu(sms: usize) -> Timeline {
    let mut timeline = Timeline::new();
    let gpu = timeline.process("H100").unwrap();
    for sm in 0..sms {
        let track = timeline.track(gpu, &format!("SM {sm}")).unwrap();
        for block in 0..16_u64 {
            let start = (block / 4) * 1_000 + 37 * sm as u64 % 400 + 10 * (block % 4);
            let name = format!("block {block}");
            timeline
                .slice(
                    track,
                    Slice::new(&name, ["conv", "gemm"][sm % 2], ns(start), ns(start + 900)),
                )
                .unwrap();
        }
    }
    timeline
}

#[test]
fn two_tracks_and_132_fit_on_a_page() {
    let mut heights = Vec::new();
    for sms in [2, 20, 132] {
        let svg = gantt::svg(&gpu(sms), &Options::default()).unwrap();
        check_xml(&svg);
        assert_eq!(rectangles(&svg).len(), 16 * sms);
        let (_, size) = svg.split_once("viewBox=\"0 0 ").unwrap();
        let (width, height) = size.split_once('"').unwrap().0.split_once(' ').unwrap();
        let (width, height): (f64, f64) = (width.parse().unwrap(), height.parse().unwrap());
        assert!((760.0..1_100.0).contains(&width), "{width}");
        heights.push(height);
        for [x, y, w, h] in rectangles(&svg) {
            assert!(x >= 0.0 && y >= 0.0 && x + w <= width && y + h <= height);
        }
        // Names of tracks never overlap.
        let labels = svg
            .lines()
            .filter(|line| line.contains("text-anchor=\"end\"") && line.contains(">SM "));
        let places: Vec<(f64, f64)> = labels
            .map(|line| {
                let number = |name: &str| {
                    line.split_once(name)
                        .unwrap()
                        .1
                        .split('"')
                        .next()
                        .unwrap()
                        .parse()
                        .unwrap()
                };
                (number(" y=\""), number("font-size=\""))
            })
            .collect();
        assert!(places.len() > 1 && places.windows(2).all(|pair| pair[1].0 - pair[0].0 >= pair[0].1));
    }
    assert!(heights[0] < 400.0 && heights[2] < 2_000.0, "{heights:?}");
}

#[test]
fn figures_of_more_categories_than_looks_are_well_formed() {
    let mut timeline = Timeline::new();
    let process = timeline.process("").unwrap();
    let track = timeline.track(process, &"a very long name ".repeat(20)).unwrap();
    for index in 0..100 {
        let name = format!("kernel {index}");
        timeline
            .slice(track, Slice::new("b", &name, ns(index), ns(index + 1)))
            .unwrap();
    }
    let svg = gantt::svg(&timeline, &Options::default()).unwrap();
    check_xml(&svg);
    assert!(svg.contains(">and 36 more<") && svg.contains(">kernel 63<"));
    let ids: Vec<&str> = svg
        .split(" id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len());
    for used in svg
        .split("url(#")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
    {
        assert!(ids.contains(&used), "{used}");
    }
}

#[test]
fn a_colour_is_the_same_in_every_window() {
    let colour = |from, to| {
        let svg = gantt::svg(&example(), &window(from, to)).unwrap();
        let line = svg
            .lines()
            .find(|line| line.contains("<title>gemm: "))
            .unwrap()
            .to_owned();
        line.split_once("fill=\"")
            .unwrap()
            .1
            .split_once('"')
            .unwrap()
            .0
            .to_owned()
    };
    assert_eq!(colour(0, 20_000), colour(18_000, 20_000));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let refusal =
        |timeline: &Timeline, options: &Options| gantt::svg(timeline, options).unwrap_err().to_string();
    let empty = refusal(&Timeline::new(), &Options::default());
    assert_eq!(empty, "timeline: found no event, expected at least one event");
    let late = refusal(&example(), &window(20_001, 20_002));
    assert_eq!(
        late,
        "window: found no event from 20.001us to 20.002us, expected a window that overlaps the timeline from 0ns to 20us"
    );
    for (from, to) in [(7, 7), (8, 7)] {
        let message = refusal(&example(), &window(from, to));
        assert!(
            message.contains("expected an end of the window after its start"),
            "{message}"
        );
    }
    let mut timeline = Timeline::new();
    let process = timeline.process("").unwrap();
    let track = timeline.track(process, "t").unwrap();
    for index in 0..=MAX_SLICES as u64 {
        timeline
            .slice(track, Slice::new("b", "c", ns(index), ns(index + 1)))
            .unwrap();
    }
    let message = refusal(&timeline, &Options::default());
    assert!(
        message.contains("found 50001 slices from 0ns to 50.001us, expected at most 50000"),
        "{message}"
    );
    assert_eq!(
        rectangles(&gantt::svg(&timeline, &window(1, 50_001)).unwrap()).len(),
        MAX_SLICES
    );
}

#[test]
fn one_instant_is_a_picture() {
    let mut timeline = Timeline::new();
    let process = timeline.process("p").unwrap();
    let track = timeline.track(process, "t").unwrap();
    timeline
        .slice(track, Slice::new("nothing", "c", ns(u64::MAX), ns(u64::MAX)))
        .unwrap();
    let refused = gantt::svg(&timeline, &Options::default())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("expected an end of the window after its start"),
        "no time is left: {refused}"
    );
    timeline
        .slice(track, Slice::new("nothing", "c", ns(5), ns(5)))
        .unwrap();
    assert_eq!(
        rectangles(&gantt::svg(&timeline, &window(5, 6)).unwrap()).len(),
        1
    );
    check_xml(&gantt::svg(&timeline, &Options::default()).unwrap());
}
