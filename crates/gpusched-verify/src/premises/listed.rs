//! Check of the assumptions that a plan, a bound or a verdict lists.

use gpusched_model::assumptions::Assumption;

use crate::fault::Fault;

/// Checks that `listed` equals `needed`, the assumptions of the verdicts, in order. An assumption without a text is valid,
/// because results for several task sets omit the texts.
pub(crate) fn compare(listed: &[Assumption], needed: &[Assumption]) -> Result<(), Fault> {
    let lacks = |list: &[Assumption], wanted: &Assumption| !list.iter().any(|one| one.id == wanted.id);
    if let Some(missing) = needed.iter().find(|wanted| lacks(listed, wanted)) {
        let message = format!(
            "found a list without `{}`, expected this assumption: {missing}",
            missing.id
        );
        return Err(Fault::new("assumptions", message));
    }
    for (index, stated) in listed.iter().enumerate() {
        let fault =
            |field: &str, message: String| Err(Fault::new(format!("assumptions[{index}].{field}"), message));
        if lacks(needed, stated) {
            let message = format!("found `{}`, which no result in the file assumes", stated.id);
            return fault("id", message);
        }
        let Some(expected) = needed.get(index).filter(|expected| expected.id == stated.id) else {
            let expected = needed
                .get(index)
                .map_or("the end of the list".to_owned(), |one| format!("`{}`", one.id));
            return fault("id", format!("found `{}`, expected {expected}", stated.id));
        };
        if stated.if_violated != expected.if_violated {
            let (found, expected) = (stated.if_violated, expected.if_violated);
            let message = format!("found {found}, expected {expected} for `{}`", stated.id);
            return fault("if_violated", message);
        }
        if stated.text.is_some() && stated.text != expected.text {
            let text = |one: &Assumption| one.text.clone().unwrap_or_default(); // only for the message
            let (found, expected) = (text(stated), text(expected));
            // The same sentence with other numbers is about other tasks.
            let cause = match words(&found).eq(words(&expected)) {
                true => "the plan is for another task set",
                false => "the plan is for another task set, or another version of gpusched wrote it",
            };
            let message =
                format!("found {found:?}, expected {expected:?}; {cause}, so compute the plan again");
            return fault("text", message);
        }
    }
    Ok(())
}

/// Returns the words of `text` without numbers and names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let word = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '`');
    text.split_whitespace().filter(word)
}
