//! Packets in queues that share their room, so that a packet goes from one queue to another without being copied.

/// The packets of several queues.
#[derive(Debug)]
pub struct Packets<T> {
    nodes: Vec<Node<T>>,
    /// The first node without a packet; the others follow.
    free: u32,
}

#[derive(Debug)]
struct Node<T> {
    packet: T,
    /// The one behind it in its queue.
    next: u32,
}

/// A queue of packets.
#[derive(Debug, Clone)]
pub struct Queue {
    first: u32,
    last: u32,
    len: usize,
}

const NONE: u32 = u32::MAX;

impl Queue {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            first: NONE,
            last: NONE,
            len: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: Copy> Packets<T> {
    /// None.
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
        }
    }

    /// The packet that is first in `queue`.
    pub fn first(&self, queue: &Queue) -> Option<&T> {
        self.nodes.get(queue.first as usize).map(|node| &node.packet)
    }

    /// A packet comes to the end of `queue`.
    pub fn push(&mut self, queue: &mut Queue, packet: T) {
        let node = Node { packet, next: NONE };
        let at = self.free;
        match self.nodes.get_mut(at as usize) {
            Some(place) => {
                self.free = place.next;
                *place = node;
                self.append(queue, at);
            }
            None => {
                self.nodes.push(node);
                self.append(queue, (self.nodes.len() - 1) as u32);
            }
        }
    }

    /// The first packet of `queue`, taken out.
    pub fn pop(&mut self, queue: &mut Queue) -> Option<T> {
        let at = self.take_first(queue)?;
        let node = &mut self.nodes[at as usize];
        node.next = self.free;
        self.free = at;
        Some(node.packet)
    }

    /// The first packet of `from` comes to the end of `to`.
    pub fn transfer(&mut self, from: &mut Queue, to: &mut Queue) {
        if let Some(at) = self.take_first(from) {
            self.nodes[at as usize].next = NONE;
            self.append(to, at);
        }
    }

    fn append(&mut self, queue: &mut Queue, at: u32) {
        match queue.last {
            NONE => queue.first = at,
            last => self.nodes[last as usize].next = at,
        }
        queue.last = at;
        queue.len += 1;
    }

    fn take_first(&mut self, queue: &mut Queue) -> Option<u32> {
        let at = queue.first;
        let next = self.nodes.get(at as usize)?.next;
        queue.first = next;
        if next == NONE {
            queue.last = NONE;
        }
        queue.len -= 1;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn queues_that_share_room_are_queues() {
        let mut state = 29_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut packets = Packets::new();
        let mut queues = [const {
            Queue {
                first: NONE,
                last: NONE,
                len: 0,
            }
        }; 5];
        let mut twins: [VecDeque<usize>; 5] = Default::default();
        for packet in 0..5_000 {
            let which = random(5);
            let other = (which + 1 + random(4)) % 5;
            match random(5) {
                0 | 1 => {
                    packets.push(&mut queues[which], packet);
                    twins[which].push_back(packet);
                }
                2 | 3 => assert_eq!(packets.pop(&mut queues[which]), twins[which].pop_front()),
                _ => {
                    let [from, to] = queues.get_disjoint_mut([which, other]).unwrap();
                    packets.transfer(from, to);
                    let moved = twins[which].pop_front();
                    twins[other].extend(moved);
                }
            }
            for (queue, twin) in queues.iter().zip(&twins) {
                assert_eq!(queue.len(), twin.len());
                assert_eq!(queue.is_empty(), twin.is_empty());
                assert_eq!(packets.first(queue), twin.front());
            }
        }
    }
}
