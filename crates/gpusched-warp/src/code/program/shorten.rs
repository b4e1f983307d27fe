//! A program whose long loops run fewer rounds, for estimates.

use std::sync::{Arc, OnceLock};

use super::{Code, Flow, WarpStream};
use crate::code::{Effect, Stream};

impl Code {
    /// Loops of the same number of rounds in all threads, `least` or more, that are in no other such loop; by their last
    /// instruction, with their rounds.
    fn long_loops(&self, least: u64) -> Vec<(usize, u64)> {
        let mut found: Vec<(usize, u64)> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            if let Flow::Close { jump, rounds, .. } = &step.flow
                && step.when.is_none()
                && let Some(rounds) = rounds.constant(&self.fixed)
                && let Ok(rounds) = u64::try_from(rounds)
                && rounds >= least
            {
                // Loops close after those in them.
                found.retain(|&(inner, _)| inner < jump.target as usize);
                found.push((index, rounds));
            }
        }
        found
    }

    /// The fewest rounds of its long loops, which run `least` rounds or more; none if there is no such loop.
    pub fn long_rounds(&self, least: u64) -> Option<u64> {
        let rounds = self.long_loops(least).into_iter().map(|(_, rounds)| rounds);
        rounds.min()
    }

    /// The same program, but that the shortest of its long loops runs `rounds` rounds, and the others in proportion.
    pub fn shortened(&self, least: u64, rounds: u64) -> Option<Code> {
        let shortest = self.long_rounds(least)?;
        let mut steps = self.steps.clone();
        for (index, all) in self.long_loops(least) {
            let share = u128::from(all) * u128::from(rounds) / u128::from(shortest);
            if let Some(step) = steps.get_mut(index)
                && let Flow::Close { rounds, .. } = &mut step.flow
            {
                *rounds = rounds.replaced(i64::try_from(share.max(1)).unwrap_or(i64::MAX));
            }
        }
        Some(Code {
            instructions: self.instructions.clone(),
            texts: self.texts.clone(),
            steps,
            grid: self.grid,
            block: self.block,
            threads: self.threads.clone(),
            depth: self.depth,
            fixed: self.fixed.clone(),
            parts_of_block: OnceLock::new(),
        })
    }

    /// What the warps of `block` issue, counted up to `most` or a little more.
    pub fn instructions_of(self: &Arc<Code>, block: u64, most: u64) -> u64 {
        let mut effect = Effect::default();
        let mut count = 0;
        for warp in 0..self.warps() {
            let mut stream: WarpStream = self.stream(block, warp);
            while count < most && stream.next().is_some() {
                stream.issue(&mut effect);
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> Arc<Code> {
        let text = format!(r#"{{"name":"k","grid":4,"block":64,"parameters":{{"n":40}},"body":[{body}]}}"#);
        Arc::new(Code::new(&serde_json::from_str(&text).unwrap()).unwrap())
    }

    /// Instructions of a block, in full and cut down to `rounds` rounds, and the rounds of the shortest loop that is.
    fn cut(body: &str, rounds: u64) -> (u64, Option<(u64, u64)>) {
        let code = code(body);
        let count = |code: &Arc<Code>| code.instructions_of(1, u64::MAX);
        let shortened = code.shortened(16, rounds).map(Arc::new);
        let all = code.long_rounds(16);
        (count(&code), shortened.map(|short| (count(&short), all.unwrap())))
    }

    #[test]
    fn outermost_long_loops_of_known_rounds_are_cut_down() {
        // A round is an instruction and the branch; two warps, and the exit.
        let op = r#"{"op":"other"}"#;
        let plain = format!(r#"{{"loop":"n","body":[{op}]}}"#);
        assert_eq!(cut(&plain, 4), (2 * 81, Some((2 * 9, 40))));
        // Others in proportion; short ones stay.
        let two = format!(r#"{plain},{{"loop":"5*n","body":[{op}]}},{{"loop":"3","body":[{op}]}}"#);
        assert_eq!(
            cut(&two, 4),
            (2 * (80 + 400 + 6 + 1), Some((2 * (8 + 40 + 6 + 1), 40)))
        );
        // Of nested ones the outer one is cut; if it is short, the inner one.
        let nest = |outer: &str, inner: &str| {
            format!(r#"{{"loop":"{outer}","body":[{{"loop":"{inner}","body":[{op}]}}]}}"#)
        };
        assert_eq!(
            cut(&nest("20", "30"), 2),
            (2 * (20 * 61 + 1), Some((2 * (2 * 61 + 1), 20)))
        );
        assert_eq!(
            cut(&nest("2", "30"), 3),
            (2 * (2 * 61 + 1), Some((2 * (2 * 7 + 1), 30)))
        );
        // Rounds that differ, or are few.
        for rounds in ["n + block", "16 + lane", "15"] {
            assert_eq!(cut(&format!(r#"{{"loop":"{rounds}","body":[{op}]}}"#), 4).1, None);
        }
    }

    #[test]
    fn counting_ends() {
        let code = code(r#"{"loop":"1000000000","body":[{"op":"other"}]}"#);
        assert_eq!(code.instructions_of(0, 5000), 5000);
    }
}
