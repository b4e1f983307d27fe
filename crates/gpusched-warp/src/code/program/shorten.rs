//! Shortens long loops of a program. Estimates use the shortened program.

use std::sync::{Arc, OnceLock};

use super::{Code, Flow, WarpStream};
use crate::code::{Effect, Stream};

impl Code {
    /// Returns the long loops. A long loop runs at least `least` rounds, and all threads run an
    /// equal number of rounds. If long loops are nested, the result contains only the outermost
    /// loop. Each loop is a pair of the index of its last instruction and its number of rounds.
    fn long_loops(&self, least: u64) -> Vec<(usize, u64)> {
        let mut found: Vec<(usize, u64)> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            if let Flow::Close { jump, rounds, .. } = &step.flow
                && step.when.is_none()
                && let Some(rounds) = rounds.constant(&self.fixed)
                && let Ok(rounds) = u64::try_from(rounds)
                && rounds >= least
            {
                // An outer loop ends after its inner loops, so it replaces the inner loops in the
                // list.
                found.retain(|&(inner, _)| inner < jump.target as usize);
                found.push((index, rounds));
            }
        }
        found
    }

    /// Returns the smallest number of rounds of all long loops. A long loop runs at least `least`
    /// rounds. Returns `None` if the program has no long loops.
    pub fn long_rounds(&self, least: u64) -> Option<u64> {
        let rounds = self.long_loops(least).into_iter().map(|(_, rounds)| rounds);
        rounds.min()
    }

    /// Returns a copy of the code with shortened long loops. In the copy, the shortest long loop runs `rounds` rounds,
    /// and all other long loops shrink in proportion. Returns `None` if no loop runs at least `least` rounds.
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
            tables: self.tables.clone(),
            missing: OnceLock::new(),
        })
    }

    /// Returns the number of instructions that the warps of `block` issue. The count stops at `most`.
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

    /// Counts the instructions of a block. If the program has long loops, also counts the
    /// instructions after the shortest long loop is cut to `rounds` rounds. The last number of
    /// the result is the original number of rounds of this loop.
    fn cut(body: &str, rounds: u64) -> (u64, Option<(u64, u64)>) {
        let code = code(body);
        let count = |code: &Arc<Code>| code.instructions_of(1, u64::MAX);
        let shortened = code.shortened(16, rounds).map(Arc::new);
        let all = code.long_rounds(16);
        (count(&code), shortened.map(|short| (count(&short), all.unwrap())))
    }

    #[test]
    fn outermost_long_loops_of_known_rounds_are_cut_down() {
        // Each round consists of one instruction and the branch. The block has two warps, and each warp issues one
        // exit.
        let op = r#"{"op":"other"}"#;
        let plain = format!(r#"{{"loop":"n","body":[{op}]}}"#);
        assert_eq!(cut(&plain, 4), (2 * 81, Some((2 * 9, 40))));
        // Long loops are shortened in proportion, and short loops stay unchanged.
        let two = format!(r#"{plain},{{"loop":"5*n","body":[{op}]}},{{"loop":"3","body":[{op}]}}"#);
        assert_eq!(
            cut(&two, 4),
            (2 * (80 + 400 + 6 + 1), Some((2 * (8 + 40 + 6 + 1), 40)))
        );
        // In nested loops, the outer loop is shortened. If the outer loop is short, the inner loop is shortened
        // instead.
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
        // Loops stay unchanged if their number of rounds is small or differs between threads.
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
