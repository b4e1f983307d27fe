//! Sentences in Markdown, in comments, and in the strings of the source.

/// A text without line breaks, and where it starts.
#[derive(Debug, PartialEq)]
pub struct Passage {
    /// From 1.
    pub line: usize,
    /// Code spans are `…`, links are their text.
    pub text: String,
}

/// The paragraphs, list items, headings and table cells of a Markdown text without its fenced blocks.
pub fn of_markdown(text: &str) -> Vec<Passage> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    of_lines(lines)
}

/// The comments of a Rust source.
pub fn of_comments(text: &str) -> Vec<Passage> {
    let comment = |line: &'_ str| -> Option<String> {
        let rest = line.trim_start().strip_prefix("//")?;
        let rest = rest.strip_prefix(['/', '!']).unwrap_or(rest);
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
    };
    let lines: Vec<String> = text
        .lines()
        .map(|line| comment(line).unwrap_or_default())
        .collect();
    of_lines(
        lines
            .iter()
            .enumerate()
            .map(|(index, line)| (index + 1, line.as_str())),
    )
}

/// The strings of a Rust source that have at least four words.
pub fn of_strings(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut line = 1;
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => line += 1,
            '/' if text[at..].starts_with("//") => while chars.next_if(|&(_, c)| c != '\n').is_some() {},
            '\'' if text[at..].starts_with("'\"'") => {
                chars.next();
            }
            '"' => {
                let start = line;
                let mut literal = String::new();
                while let Some((_, c)) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some((_, '\n')) => {
                                line += 1;
                                while let Some((_, c)) = chars.next_if(|(_, c)| c.is_whitespace()) {
                                    line += usize::from(c == '\n');
                                }
                            }
                            Some((_, 'n')) => literal.push('\n'),
                            Some((_, c)) => literal.push(c),
                            None => {}
                        },
                        c => {
                            line += usize::from(c == '\n');
                            literal.push(c);
                        }
                    }
                }
                for text in literal.split('\n').filter(|text| words(text) >= 4) {
                    passages.push(Passage {
                        line: start,
                        text: plain(text),
                    });
                }
            }
            _ => {}
        }
    }
    passages
}

fn of_lines<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let (mut fenced, mut open) = (false, false);
    for (number, line) in lines {
        let text = line.trim_start();
        if text.starts_with("```") {
            (fenced, open) = (!fenced, false);
            continue;
        }
        if fenced || text.is_empty() || text.starts_with("<!--") {
            open = false;
            continue;
        }
        if text.starts_with('|') {
            open = false;
            let cells = plain(text);
            for cell in cells.split('|').map(str::trim).filter(|cell| words(cell) > 0) {
                passages.push(Passage {
                    line: number,
                    text: cell.to_owned(),
                });
            }
            continue;
        }
        let item = text.strip_prefix("* ").or_else(|| text.strip_prefix("- "));
        let heading = text.starts_with('#');
        match passages.last_mut() {
            Some(last) if open && item.is_none() && !heading => {
                last.text.push(' ');
                last.text += text;
            }
            _ => passages.push(Passage {
                line: number,
                text: item.unwrap_or(text).to_owned(),
            }),
        }
        open = !heading;
    }
    for passage in &mut passages {
        passage.text = plain(&passage.text);
    }
    passages
}

/// `text` with `…` for each code span, and the texts of links for the links.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => plain += part,
            _ => plain += "`…`",
        }
    }
    while let Some(at) = plain.find("](") {
        let Some(end) = plain[at..].find(')') else { break };
        plain.replace_range(at..=at + end, "]");
    }
    plain
}

/// The sentences of a passage.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let rest = rest.trim_start_matches(['*', ')', '"', '_']);
        let rest = rest.strip_prefix(' ').unwrap_or_default().trim_start();
        let begins = rest.starts_with("gpusched ")
            || rest.starts_with(|c: char| c.is_uppercase() || "`*[(\"".contains(c) || !c.is_ascii());
        if ".?!".contains(c) && begins && !abbreviation(&text[start..at]) {
            sentences.push(&text[start..=at]);
            start = at + 1;
        }
    }
    sentences.push(&text[start..]);
    sentences
}

/// Whether `text` ends in an abbreviation, so that a point after it ends no sentence.
fn abbreviation(text: &str) -> bool {
    let last = text.rsplit([' ', '(']).next().unwrap_or(text);
    [
        "e.g", "i.e", "Fig", "Figs", "Eq", "Eqs", "vs", "cf", "al", "No", "§",
    ]
    .contains(&last)
        || last.chars().count() == 1 && last.chars().all(|c| c.is_uppercase())
}

/// Number of words in `text`. A word contains a letter or a digit, or is a code span.
pub fn words(text: &str) -> usize {
    let word = |part: &&str| part.chars().any(|c| c.is_alphanumeric() || c == '`');
    text.split_whitespace().filter(word).count()
}

/// Where `phrase` stands in `text` as whole words, in any case.
pub fn contains(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    text.match_indices(phrase).any(|(at, found)| {
        edge(text[..at].chars().next_back()) && edge(text[at + found.len()..].chars().next())
    })
}
