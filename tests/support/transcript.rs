//! Messages of many cases as one text for `insta::assert_snapshot!`. The file in `snapshots/` pins the wording.

use std::fmt;
use std::path::Path;

use super::{ADAS, Answer, is_one_complaint, run};

/// One block per case: a line with the input, then the messages.
#[derive(Default)]
pub struct Transcript {
    text: String,
    folder: Option<String>,
}

impl Transcript {
    /// Returns a transcript of cases that name files in the temporary `folder`. In the
    /// transcript, `[DIR]` replaces the path of `folder`.
    pub fn in_folder(folder: &Path) -> Transcript {
        Transcript {
            text: String::new(),
            folder: Some(folder.display().to_string()),
        }
    }

    /// Adds a case and its message.
    pub fn case(&mut self, given: impl fmt::Display, message: impl fmt::Display) {
        let (given, message) = (self.stable(given), self.stable(message));
        self.text += &format!("> {}\n{}\n\n", shown(&given), message.trim_end());
    }

    /// `text` without parts that change from run to run or from version to version.
    fn stable(&self, text: impl fmt::Display) -> String {
        let version = concat!("gpusched ", env!("CARGO_PKG_VERSION"));
        let text = text.to_string().replace(version, "gpusched [VERSION]");
        match &self.folder {
            Some(folder) => text.replace(folder, "[DIR]"),
            None => text,
        }
    }

    /// Adds a refused command: exit code 2, no output, one error message that fits the screen.
    pub fn refusal(&mut self, given: impl fmt::Display, answer: &Answer) {
        let message = &answer.stderr;
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{given}: {answer:?}"
        );
        assert!(message.starts_with("error: "), "{given}: {message}");
        assert!(!message.contains("panicked"), "{given}: {message}");
        let usage = message.contains("For more information, try '--help'");
        assert!(usage || is_one_complaint(message), "{given}: {message}");
        let lines = message
            .lines()
            .map(|line| line.chars().count().div_ceil(100).max(1));
        assert!(lines.sum::<usize>() <= 20, "{given}: {message}");
        self.case(given, message);
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// `text` on one line, with escaped control characters, cut after 300 characters.
fn shown(text: &str) -> String {
    let escaped = text.chars().take(300).flat_map(|c| match c.is_control() {
        true => c.escape_debug().collect(),
        false => vec![c],
    });
    escaped.chain(text.chars().nth(300).map(|_| '…')).collect()
}

/// Returns the error messages of the command lines `lines`. `SET` stands for a task set.
pub fn refusals<'a>(lines: impl IntoIterator<Item = &'a str>) -> Transcript {
    let mut told = Transcript::default();
    for line in lines {
        told.refusal(line, &run(&line.replace("SET", ADAS)));
    }
    told
}

/// Messages for each line `old → new` of `table`: the first `old` in `original` is replaced by `new`. `\n` is a line break.
pub fn variants(original: &str, table: &str) -> Vec<(String, String)> {
    let variant = |line: &str| {
        let (old, new) = line.split_once(" →").expect(line);
        let [old, new] = [old, new.strip_prefix(' ').unwrap_or(new)].map(|text| text.replace("\\n", "\n"));
        let text = original.replacen(&old, &new, 1);
        assert_ne!(text, original, "{line}");
        (line.to_owned(), text)
    };
    table
        .lines()
        .filter(|line| !line.is_empty())
        .map(variant)
        .collect()
}
