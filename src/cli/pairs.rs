//! Two streams whose documents belong together, such as plans and the task sets they are for.

use crate::error::{Error, Result};
use crate::model::reader::{Document, Documents};

/// The documents of both streams, pair by pair; an error where one ends before the other.
pub fn pairs<A: Document, B: Document>(
    mut left: Documents<A>,
    mut right: Documents<B>,
) -> impl Iterator<Item = Result<(A, B)>> {
    let mut read = 0u64;
    std::iter::from_fn(move || {
        let pair = match (left.next().transpose(), right.next().transpose()) {
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(None), Ok(None)) => return None,
            (Ok(Some((_, left))), Ok(Some((_, right)))) => Ok((left, right)),
            (Ok(found), Ok(_)) => {
                let (longer, shorter) = match found {
                    Some(_) => (left.file(), right.file()),
                    None => (right.file(), left.file()),
                };
                Err(Error::Usage(format!(
                    "{shorter}: found {read} entries, expected as many as in {longer}, where there are more"
                )))
            }
        };
        read += 1;
        Some(pair)
    })
}
