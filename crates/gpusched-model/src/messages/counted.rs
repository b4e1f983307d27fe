//! Numbers with nouns, for messages.

/// Returns `count` followed by `noun` in the singular or plural form: "1 SM", "2 SMs", "3 entries".
pub fn counted<N: TryInto<u64> + std::fmt::Display + Copy>(count: N, noun: &str) -> String {
    if count.try_into().is_ok_and(|count: u64| count == 1) {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None if noun.ends_with("ch") => format!("{count} {noun}es"),
        None => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_one() {
        assert_eq!(counted(0u8, "SM"), "0 SMs");
        assert_eq!(counted(1u32, "SM"), "1 SM");
        assert_eq!(counted(2usize, "task set"), "2 task sets");
        assert_eq!(counted(1u128, "entry"), "1 entry");
        assert_eq!(counted(u128::MAX, "entry"), format!("{} entries", u128::MAX));
    }
}
