//! Transfers between the SMs and the memory side: requests to the slices of L2, and replies to
//! the SMs.

use crate::gpu::Gpu;
use crate::gpu::pace::clocks::Domain;

impl Gpu<'_> {
    /// Moves replies to the ports of the clusters, and delivers replies to SMs that have not yet
    /// simulated this cycle.
    pub(in crate::gpu) fn take_responses(&mut self) {
        let waiting = self.responding.with(self.below.replies.filled());
        for cluster in waiting.iter() {
            self.take_response(cluster);
        }
        self.pass_replies(waiting);
        for cluster in waiting.iter() {
            self.responding.set(cluster, !self.ports[cluster].is_empty());
        }
    }

    /// Delivers the first reply at port `cluster` to its SM if the SM accepts the reply and has
    /// not yet simulated this cycle.
    fn take_response(&mut self, cluster: usize) {
        let port = &mut self.ports[cluster];
        port.move_up(self.now, &mut self.below.replies);
        let Some(&response) = port.first() else { return };
        let sm = response.sm as usize;
        if self.ahead[sm].until <= self.now && self.sms[sm].accepts() {
            port.pop(self.now);
            self.sms[sm].answer(response);
            (self.sm_wakes[sm], self.ahead[sm].wake) = (self.now, self.now);
        }
    }

    /// Moves one request into slice `index` of L2 if a request waits and the slice accepts it.
    fn arrive(&mut self, index: usize, edge: u64) {
        if self.below.slices[index].accepts(edge)
            && let Some(request) = self.requests.pop(index)
        {
            self.below.push(index, request, self.now);
        }
    }

    /// Moves requests into the slices. The simulation calls this function if the memory side has
    /// already simulated this cycle.
    pub(in crate::gpu) fn arrivals(&mut self) {
        let edge = self.edges.count(Domain::L2);
        for index in self.requests.filled().iter() {
            self.arrive(index, edge);
        }
    }

    /// Moves requests into the slices, and simulates one L2 cycle of the slices.
    pub(in crate::gpu) fn l2_cycle(&mut self) {
        let edge = self.edges.count(Domain::L2);
        let arriving = self.requests.filled();
        let due = self.below.slice_wakes.due(self.now);
        for index in arriving.with(due).iter() {
            if arriving.contains(index) {
                self.arrive(index, edge);
            }
            self.below.slice_cycle(index, edge);
        }
    }
}
