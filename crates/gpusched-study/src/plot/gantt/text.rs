//! Drawing of a Gantt chart as text.
//!
//! ```text
//! SM 0 . 0 |A----A---B---|      a letter at the start of a slice, a line until its end,
//! SM 0 . 1 |  A-----     |      # for several starts within one column
//! busy     |367777776421 |      maximum within a column, in ninths of the largest value
//!          +-----+-----+-+
//!          0     5    10  ms
//! ```

use super::axis::TimeAxis;
use super::options::{Options, Terminal};
use super::scene::{Row, Scene, Steps, Window};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::timeline::{Mark, Point, Timeline};

/// Minimum and maximum number of characters per line.
const COLUMNS: (usize, usize) = (40, 1_000);

/// Letters that mark the starts of slices, one letter per category. All further categories share one letter.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ANOTHER: char = '*';

/// The characters that a chart uses on one kind of terminal.
struct Signs {
    going_on: char,
    several: char,
    wall: char,
    floor: char,
    tick: char,
    corners: (char, char),
    cut: char,
    dot: char,
    /// Characters for the levels above 0, in ascending order.
    levels: &'static [char],
    marks: [char; Mark::ALL.len()],
}

const ASCII: Signs = Signs {
    going_on: '-',
    several: '#',
    wall: '|',
    floor: '-',
    tick: '+',
    corners: ('+', '+'),
    cut: '~',
    dot: '.',
    levels: &['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    marks: ['^', 'v', 'o', '!', 'X'],
};

const UNICODE: Signs = Signs {
    going_on: '━',
    several: '▒',
    wall: '│',
    floor: '─',
    tick: '┴',
    corners: ('└', '┘'),
    cut: '…',
    dot: '·',
    levels: &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    marks: ['↑', '↓', '○', '✗', '✘'],
};

/// Draws the window as lines of text. Lines have no blanks at their ends.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if the window shows no part of the timeline, or if it ends before
/// it starts.
pub fn text(timeline: &Timeline, options: &Options, terminal: &Terminal) -> Result<String> {
    let scene = Scene::new(timeline, options)?;
    let columns = terminal.columns.clamp(COLUMNS.0, COLUMNS.1);
    let signs = if terminal.unicode { &UNICODE } else { &ASCII };
    let labels = scene.groups.iter().flat_map(|group| {
        let rows = group
            .rows
            .iter()
            .flat_map(|row| (0..row.lanes).map(|lane| row.track.lane_name(lane)));
        rows.chain(group.counters.iter().map(counter_name))
    });
    let labels = labels.map(|name| name.chars().count()).max().unwrap_or_default();
    let labels = labels.min(columns / 3);
    let page = Page {
        signs,
        unicode: terminal.unicode,
        labels,
        // A blank and a wall are to the left of the time columns, and a wall is to their right.
        cells: columns - labels - 3,
        window: scene.window,
        lines: Vec::new(),
    };
    Ok(page.draw(&scene, options.title.as_deref()))
}

struct Page {
    signs: &'static Signs,
    unicode: bool,
    /// Number of characters for the names of tracks.
    labels: usize,
    /// Number of columns for time.
    cells: usize,
    window: Window,
    lines: Vec<String>,
}

impl Page {
    fn draw(mut self, scene: &Scene<'_>, title: Option<&str>) -> String {
        if let Some(title) = title {
            self.line(title.to_owned());
        }
        let mut several = false;
        for group in &scene.groups {
            if !group.name.is_empty() {
                self.line(group.name.to_owned());
            }
            for row in &group.rows {
                several |= self.row(row);
            }
            for counter in &group.counters {
                let cells = self.levels(counter);
                self.track(&counter_name(counter), &cells);
            }
        }
        self.axis();
        self.legend(scene, several);
        self.lines.join("\n") + "\n"
    }

    /// Draws the track `row`. Returns whether several slices start in the same column.
    fn row(&mut self, row: &Row<'_>) -> bool {
        let mut several = false;
        if !row.track.instants.is_empty() {
            let cells = self.marks(&row.track.instants);
            self.track("", &cells);
        }
        for lane in 0..row.lanes {
            let mut cells = vec![' '; self.cells];
            let mut last_start = None;
            for bar in row.bars.iter().filter(|bar| bar.lane == lane) {
                let (first, last) = (self.cell(bar.start), self.last_cell(bar.start, bar.end));
                let again = last_start == Some(first);
                several |= again;
                last_start = Some(first);
                for (cell, place) in cells.iter_mut().enumerate().take(last + 1).skip(first) {
                    *place = match cell == first {
                        true if again => self.signs.several,
                        true => letter(bar.colour),
                        false => self.signs.going_on,
                    };
                }
            }
            self.track(&row.track.lane_name(lane), &cells);
        }
        several
    }

    /// Returns the most important instant in each column. Violations and deadline misses are the most important instants.
    fn marks(&self, instants: &[Point<'_>]) -> Vec<char> {
        let mut found: Vec<Option<Mark>> = vec![None; self.cells];
        for point in instants {
            let importance = |mark| match mark {
                Mark::Completion => 0,
                Mark::Deadline => 1,
                Mark::Release => 2,
                Mark::Miss => 3,
                Mark::Violation => 4,
            };
            if let Some(place) = found.get_mut(self.cell(point.at))
                && place.is_none_or(|other| importance(other) < importance(point.mark))
            {
                *place = Some(point.mark);
            }
        }
        let sign = |mark: Option<Mark>| mark.map_or(' ', |mark| self.mark(mark));
        found.into_iter().map(sign).collect()
    }

    fn mark(&self, mark: Mark) -> char {
        let pairs = Mark::ALL.into_iter().zip(self.signs.marks);
        pairs
            .into_iter()
            .find(|&(other, _)| other == mark)
            .map_or(' ', |(_, sign)| sign)
    }

    fn levels(&self, counter: &Steps<'_>) -> Vec<char> {
        let mut largest: Vec<f64> = vec![0.0; self.cells];
        let ends = counter
            .values
            .iter()
            .skip(1)
            .map(|&(at, _)| at)
            .chain([self.window.to]);
        for (&(start, value), end) in counter.values.iter().zip(ends) {
            let (first, last) = (self.cell(start), self.last_cell(start, end));
            for place in largest.iter_mut().take(last + 1).skip(first) {
                *place = place.max(value);
            }
        }
        let levels = self.signs.levels;
        let sign = |value: f64| match value > 0.0 {
            true => {
                let level = libm::ceil(value / counter.max * levels.len() as f64) as usize;
                levels
                    .get(level.clamp(1, levels.len()) - 1)
                    .copied()
                    .unwrap_or(' ')
            }
            false => ' ',
        };
        largest.into_iter().map(sign).collect()
    }

    fn axis(&mut self) {
        let axis = TimeAxis::new(self.window, self.cells, 2);
        let mut floor = vec![self.signs.floor; self.cells];
        let mut labels = vec![' '; self.labels + 2 + self.cells];
        for &tick in &axis.ticks {
            let cell = self.cell(tick);
            if let Some(place) = floor.get_mut(cell) {
                *place = self.signs.tick;
            }
            let label = axis.label(tick);
            let start = (self.labels + 2 + cell).saturating_sub(label.chars().count() / 2);
            let start = start.min(labels.len().saturating_sub(label.chars().count()));
            for (place, character) in labels.iter_mut().skip(start).zip(label.chars()) {
                *place = character;
            }
        }
        let floor: String = floor.into_iter().collect();
        let (left, right) = self.signs.corners;
        self.line(format!("{:w$} {left}{floor}{right}", "", w = self.labels));
        let labels: String = labels.into_iter().collect();
        self.line(format!("{} {}", labels.trim_end(), axis.unit));
    }

    fn legend(&mut self, scene: &Scene<'_>, several: bool) {
        let mut entries: Vec<String> = Vec::new();
        for &(colour, name) in &scene.categories {
            entries.push(format!("{} {name}", letter(colour)));
        }
        if several {
            entries.push(format!("{} several start here", self.signs.several));
        }
        for &mark in &scene.marks {
            entries.push(format!("{} {}", self.mark(mark), mark.word()));
        }
        let width = self.labels + 2 + self.cells;
        let mut line = String::new();
        for entry in entries {
            if !line.is_empty() && line.chars().count() + 3 + entry.chars().count() > width {
                self.line(std::mem::take(&mut line));
            }
            line += if line.is_empty() { "" } else { "   " };
            line += &entry;
        }
        if !line.is_empty() {
            self.line(line);
        }
    }

    fn track(&mut self, name: &str, cells: &[char]) {
        let mut label: String = name.chars().take(self.labels).collect();
        if name.chars().count() > self.labels {
            label.pop();
            label.push(self.signs.cut);
        }
        let cells: String = cells.iter().collect();
        self.line(format!(
            "{label:w$} {wall}{cells}{wall}",
            w = self.labels,
            wall = self.signs.wall
        ));
    }

    /// Ends a line. Characters that the terminal does not support are replaced.
    fn line(&mut self, line: String) {
        let known = |c: char| match c {
            c if self.unicode || c.is_ascii() => c,
            '·' => self.signs.dot,
            'µ' => 'u',
            _ => '?',
        };
        let line: String = line.chars().map(known).collect();
        self.lines.push(line.trim_end().to_owned());
    }

    /// Returns the column that contains the time `at`. The last column contains the end of the window.
    fn cell(&self, at: Time) -> usize {
        let since = at.ns().saturating_sub(self.window.from.ns());
        let cell = u128::from(since) * self.cells as u128 / u128::from(self.window.length());
        (cell as usize).min(self.cells - 1)
    }

    /// Returns the last column of a slice that ends at `end`.
    fn last_cell(&self, start: Time, end: Time) -> usize {
        let since = end.ns().saturating_sub(self.window.from.ns());
        let until = (u128::from(since) * self.cells as u128).div_ceil(self.window.length().into());
        (until as usize)
            .saturating_sub(1)
            .clamp(self.cell(start), self.cells - 1)
    }
}

fn letter(category: usize) -> char {
    LETTERS.chars().nth(category).unwrap_or(ANOTHER)
}

fn counter_name(counter: &Steps<'_>) -> String {
    format!("{} (max {} {})", counter.name, counter.max, counter.unit)
}
