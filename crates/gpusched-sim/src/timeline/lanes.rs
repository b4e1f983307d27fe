//! Which slices of a track stand beside each other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::recording::Timeline;
use gpusched_model::time::Time;

/// The lanes of all slices: on one lane no two slices overlap. Slices are half-open, so one may start when another ends.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The slices, by track, then start, then the order in which they came.
    pub order: Vec<usize>,
    /// The lane of each slice within its track, from 0, in the order in which slices came.
    pub of: Vec<usize>,
    /// How many lanes each track has; at least one.
    pub count: Vec<usize>,
}

impl Lanes {
    /// Each slice in turn gets the lowest lane that is free.
    pub fn new(timeline: &Timeline) -> Lanes {
        let slices = &timeline.slices;
        let mut order: Vec<usize> = (0..slices.len()).collect();
        let place = |&index: &usize| slices.get(index).map(|slice| (slice.track, slice.start));
        order.sort_by_key(place);

        let mut of = vec![0; slices.len()];
        let mut count = vec![1; timeline.tracks.len()];
        let mut places = Places::default();
        let mut current = None;
        for &index in &order {
            let Some(slice) = slices.get(index) else { continue };
            if current != Some(slice.track) {
                current = Some(slice.track);
                places.clear();
            }
            let lane = places.take(slice.start, slice.end);
            if let Some(place) = of.get_mut(index) {
                *place = lane;
            }
            if let Some(count) = count.get_mut(slice.track) {
                *count = places.opened.max(1);
            }
        }
        Lanes { order, of, count }
    }
}

/// The lanes of one track.
#[derive(Debug, Default)]
struct Places {
    opened: usize,
    free: BinaryHeap<Reverse<usize>>,
    /// Until when a lane is taken, the first to become free on top.
    taken: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Places {
    fn clear(&mut self) {
        self.opened = 0;
        self.free.clear();
        self.taken.clear();
    }

    /// The lowest lane that is free at `start`, taken until `end`.
    fn take(&mut self, start: Time, end: Time) -> usize {
        while let Some(&Reverse((until, lane))) = self.taken.peek() {
            if until > start {
                break;
            }
            self.taken.pop();
            self.free.push(Reverse(lane));
        }
        let lane = match self.free.pop() {
            Some(Reverse(lane)) => lane,
            None => {
                self.opened += 1;
                self.opened - 1
            }
        };
        self.taken.push(Reverse((end, lane)));
        lane
    }
}
