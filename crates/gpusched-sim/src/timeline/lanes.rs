//! Assignment of the slices of a track to lanes, so that overlapping slices have different lanes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::recording::Timeline;
use gpusched_model::time::Time;

/// The lane of each slice. Slices on one lane never overlap. Slices are half-open intervals, so a
/// slice can start when another slice on its lane ends.
#[derive(Debug)]
pub(super) struct Lanes {
    /// Indices of all slices, sorted by track, then by start, then by order of addition.
    pub order: Vec<usize>,
    /// Lane of each slice within its track, from 0. The slices are in order of addition.
    pub of: Vec<usize>,
    /// Number of lanes of each track; at least one.
    pub count: Vec<usize>,
}

impl Lanes {
    /// Assigns each slice to the lowest lane that is free. Slices are processed in the order of
    /// their starts.
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

/// The occupied lanes of one track.
#[derive(Debug, Default)]
struct Places {
    opened: usize,
    free: BinaryHeap<Reverse<usize>>,
    /// Times at which the occupied lanes become free. The lane that becomes free first is on top.
    taken: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Places {
    fn clear(&mut self) {
        self.opened = 0;
        self.free.clear();
        self.taken.clear();
    }

    /// Finds the lowest lane that is free at `start`. Occupies this lane until `end`, and returns
    /// it.
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
