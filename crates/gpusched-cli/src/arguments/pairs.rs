//! Reads two streams and pairs their documents, such as each plan with its task set.

use std::path::Path;

use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::{Document, Documents};

/// Checks that the files `left` and `right` contain the same number of documents. Call this
/// function before any other work on the files. If one of the files is a pipe, the function checks nothing.
///
/// # Errors
/// Fails with [`Error::Refused`] if the numbers of documents differ. Also fails if a file cannot be read.
pub fn check_as_many<A: Document, B: Document>(left: &Path, right: &Path) -> Result<()> {
    if !left.is_file() || !right.is_file() {
        return Ok(());
    }
    let (first, second) = (length::<A>(left)?, length::<B>(right)?);
    if first != second {
        // A file of another kind has any number of lines. So an error about its first document is more helpful.
        Documents::<A>::open(left)?.next().transpose()?;
        Documents::<B>::open(right)?.next().transpose()?;
    }
    match first.cmp(&second) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(ends_early(
            first,
            &left.to_string_lossy(),
            &right.to_string_lossy(),
        )),
        std::cmp::Ordering::Greater => Err(ends_early(
            second,
            &right.to_string_lossy(),
            &left.to_string_lossy(),
        )),
    }
}

/// Returns the number of documents in the file at `path`.
fn length<T: Document>(path: &Path) -> Result<u64> {
    let mut documents = Documents::<T>::open(path)?;
    let mut length = 0;
    loop {
        match documents.batch(BATCH)?.len() {
            0 => return Ok(length),
            more => length += more as u64,
        }
    }
}

/// Number of documents that [`length`] reads at a time.
const BATCH: usize = 64;

fn ends_early(read: u64, shorter: &str, longer: &str) -> Error {
    let found = counted(read, "entry");
    Error::file(
        shorter,
        found,
        format!("the same number of entries as in {longer}, which has more entries"),
    )
}

/// Returns pairs. Each pair has one document of `left` and one document of `right`. If one stream is longer, the last
/// item is an error.
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
                Err(ends_early(read, shorter, longer))
            }
        };
        read += 1;
        Some(pair)
    })
}
