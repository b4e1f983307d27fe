//! The finished chunks of a study: each chunk counts once, and malformed results are refused.

use gpusched::study::{Added, Collection, Content, Tally, Work};

fn cell(schedulable: u64, search_ns: u64) -> Tally {
    Tally::from([schedulable, 10 * schedulable, 3, 4, search_ns, 0])
}

/// Returns a collection of one analysis variant with two algorithms.
fn of_tallies(work: Work) -> Collection {
    Collection::of_tallies(work, 2, vec!["a".to_owned(), "b".to_owned()], 2)
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
    let mut collection = of_tallies(work);
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
    let mut collection = of_tallies(Work::new(2, 4).unwrap());
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

/// An algorithm states partitions for all schedulable task sets or for none, in every chunk and variant.
#[test]
fn kinds_of_answers_do_not_mix() {
    let word = |schedulable: u64| Tally::from([schedulable, 0, 0, 0, 1, 0]);
    let mut collection = of_tallies(Work::new(2, 4).unwrap());
    assert_eq!(collection.add(0, &tallies(&[cell(1, 1), word(0)])), Added::New);
    assert_eq!(collection.add(1, &tallies(&[cell(0, 1), word(1)])), Added::New);
    assert_eq!(collection.add(2, &tallies(&[word(1), word(1)])), Added::Mixed(0));
    assert_eq!(
        collection.add(4, &tallies(&[cell(1, 1), cell(1, 1)])),
        Added::Mixed(1)
    );
    assert!(
        collection
            .mixed(0)
            .to_string()
            .contains("found no partitions, unlike before")
    );
    assert!(
        collection
            .mixed(1)
            .to_string()
            .contains("found partitions, unlike before")
    );
    // A rejected chunk leaves no trace.
    assert_eq!((collection.chunks(), collection.contains(2)), (2, false));
    assert_eq!(collection.add(2, &tallies(&[cell(1, 1), word(1)])), Added::New);
    // Two variants share the algorithm, and further tallies have other meanings.
    let mut collection = Collection::of_tallies(Work::new(2, 4).unwrap(), 3, vec!["a".to_owned()], 2);
    assert_eq!(
        collection.add(0, &tallies(&[cell(1, 1), word(1), word(1)])),
        Added::Mixed(0)
    );
    assert_eq!(
        collection.add(0, &tallies(&[cell(1, 1), cell(1, 1), word(1)])),
        Added::New
    );
}
