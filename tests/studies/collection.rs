//! The finished chunks of a study: each chunk counts once, and malformed results are refused.

use gpusched::study::{Added, Collection, Content, Tally, Work};

fn cell(schedulable: u64, search_ns: u64) -> Tally {
    Tally::from([schedulable, 10 * schedulable, 3, 4, search_ns, 0])
}

fn tallies(cells: &[Tally]) -> Content {
    Content::Tallies(cells.to_vec())
}

fn rows(rows: &[[&str; 2]]) -> Content {
    Content::Rows(rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect())
}

#[test]
fn chunks_count_once() {
    let work = Work::new(2, 4).unwrap();
    assert_eq!(work.len(), 8);
    let mut collection = Collection::of_tallies(work, 2);
    assert_eq!(collection.add(5, &tallies(&[cell(1, 7), cell(0, 7)])), Added::New);
    assert_eq!(
        collection.add(5, &tallies(&[cell(1, 9), cell(0, 9)])),
        Added::Again
    );
    assert_eq!(
        collection.add(5, &tallies(&[cell(1, 7), cell(1, 7)])),
        Added::Conflict
    );
    assert_eq!(collection.add(4, &tallies(&[cell(1, 1), cell(1, 1)])), Added::New);
    assert_eq!(collection.point(1)[0], Tally::from([2, 20, 6, 8, 8, 0]));
    assert_eq!(collection.point(0), [Tally::default(); 2]);
    assert_eq!((collection.chunks(), collection.units()), (2, 2));
    assert_eq!(collection.missing().collect::<Vec<_>>(), [0, 1, 2, 3, 6, 7]);
}

#[test]
fn malformed_results_are_refused() {
    let mut collection = Collection::of_tallies(Work::new(2, 4).unwrap(), 2);
    assert_eq!(collection.add(8, &tallies(&[cell(1, 0); 2])), Added::Malformed);
    assert_eq!(collection.add(0, &tallies(&[cell(1, 0); 3])), Added::Malformed);
    assert_eq!(collection.add(0, &tallies(&[cell(2, 0); 2])), Added::Malformed);
    assert_eq!(collection.chunks(), 0);
}
#[test]
fn rows_stay_in_the_order_of_their_cases() {
    let mut collection = Collection::of_rows(Work::new(3, 1).unwrap(), 2);
    let (a, b) = (rows(&[["a", "1"], ["a", "2"]]), rows(&[["b", ""]]));
    assert_eq!(collection.add(2, &b), Added::New);
    assert_eq!(collection.add(0, &a), Added::New);
    assert_eq!(collection.add(0, &a), Added::Again);
    assert_eq!(
        collection.add(0, &rows(&[["a", "1"], ["a", "3"]])),
        Added::Conflict
    );
    assert_eq!(
        collection.add(0, &rows(&[["a1", ""], ["a", "2"]])),
        Added::Conflict
    );
    assert_eq!(collection.add(1, &rows(&[])), Added::New);
    assert_eq!(collection.rows(), [["a", "1"], ["a", "2"], ["b", ""]]);
    assert_eq!((collection.chunks(), collection.units()), (3, 3));
    let narrow = Content::Rows(vec![vec!["b".to_owned()]]);
    for bad in [narrow, tallies(&[cell(0, 0); 2])] {
        assert_eq!(collection.add(2, &bad), Added::Malformed);
    }
}
