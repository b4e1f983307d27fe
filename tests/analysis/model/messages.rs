//! Messages: one line of limited length, with the place, the value and the expected value.

use gpusched_model::error::one_line;
use gpusched_model::{Refusal, counted};

#[test]
fn one_is_one() {
    assert_eq!(counted(0u8, "SM"), "0 SMs");
    assert_eq!(counted(1u32, "SM"), "1 SM");
    assert_eq!(counted(2usize, "task set"), "2 task sets");
    assert_eq!(counted(1u128, "entry"), "1 entry");
    assert_eq!(counted(u128::MAX, "entry"), format!("{} entries", u128::MAX));
}

#[test]
fn messages_are_one_line() {
    let plain = "--seed: found \"a b\", expected a `whole` number";
    assert_eq!(one_line(plain), plain);
    assert_eq!(
        one_line("a\nb\tc\u{1b}[31m\u{202e}d\n"),
        "a b c\u{fffd}[31m\u{fffd}d"
    );
}

/// Checks that a message with a long input still contains the text around this input.
#[test]
fn long_input_loses_its_middle() {
    let long = "x y\\\"".repeat(100_000);
    for found in [
        format!("\"{long}\""),
        format!("`{long}`"),
        "x".repeat(1_000_000),
        "ä".repeat(500),
    ] {
        let refusal = Refusal::new("tasks[0]", &found, "less").at("f.json", 1);
        let message = refusal.to_string();
        assert!(message.chars().count() < 2 * 160, "{message}");
        assert!(message.starts_with("f.json:1: at tasks[0]: found "), "{message}");
        assert!(message.contains('…'), "{message}");
        assert!(message.ends_with(", expected less"), "{message}");
    }
}

/// Checks that `one_line` omits the middle of a long list of short words.
#[test]
fn long_lists_lose_their_middle() {
    let message = one_line(&format!("found {}the end", "K1, ".repeat(100_000)));
    assert_eq!(message.chars().count(), 1000);
    assert!(message.starts_with("found K1, ") && message.ends_with("the end"));
}

/// Checks that a second call of `one_line` does not change the message. A message can be a part of another message,
/// so gpusched may apply `one_line` twice.
#[test]
fn it_changes_nothing_twice() {
    for text in [
        "x".repeat(5000),
        "a b ".repeat(5000),
        format!("`{}`", "a b".repeat(99)),
    ] {
        assert_eq!(one_line(&one_line(&text)), one_line(&text));
    }
}

#[test]
fn parts_are_displayed_in_one_form() {
    let refusal = Refusal::new("sms", 0, "1 to 16");
    assert_eq!(refusal.to_string(), "sms: found 0, expected 1 to 16");
    let inner = refusal.clone().within("kernels[2]").at("a.json", None);
    assert_eq!(
        inner.to_string(),
        "a.json: at kernels[2].sms: found 0, expected 1 to 16"
    );
    let whole = refusal.of_field("").within("kernels[2]").hint("take 1");
    assert_eq!(
        whole.to_string(),
        "kernels[2]: found 0, expected 1 to 16\n\nhint: take 1"
    );
}

#[test]
fn values_are_one_short_line() {
    let long = Refusal::new("a\nb", "x\u{1b}\n".repeat(1000), "less");
    let text = long.to_string();
    assert!(text.chars().count() < 200 && text.lines().count() == 1, "{text}");
    assert!(!text.contains(char::is_control), "{text}");
}
