//! Numbers with nouns, for messages.

/// Returns `count` followed by `noun` in the singular or plural form: "1 SM", "2 SMs", "3 entries".
pub fn counted<N: TryInto<u64> + std::fmt::Display + Copy>(count: N, noun: &str) -> String {
    if count.try_into().is_ok_and(|count: u64| count == 1) {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None if noun.ends_with("ch") || noun.ends_with("ss") => format!("{count} {noun}es"),
        None => format!("{count} {noun}s"),
    }
}
