//! The grid of measured times on which blocks are compared.

use gpusched::kernel_wcet::clustering::{CELLS, Grid};

use crate::block_traces::scenario::trace_of;

#[test]
fn few_values_have_a_cell_each() {
    let grid = Grid::new(&trace_of(&[vec![5, 3, 5, 9]]).isolated);
    assert_eq!((grid.cells(), grid.is_exact(), grid.blocks()), (3, true, 4));
    let cells = [0, 1, 2, 3].map(|block| grid.block(block).to_vec());
    assert_eq!(cells, [[1], [0], [1], [2]]);
}

#[test]
fn many_values_share_cells_evenly() {
    let values: Vec<u64> = (1..=200_000u64).map(|value| value * value).collect();
    let grid = Grid::new(&trace_of(std::slice::from_ref(&values)).isolated);
    assert_eq!((grid.cells(), grid.is_exact()), (CELLS, false));
    let cells: Vec<u16> = (0..values.len())
        .flat_map(|block| grid.block(block))
        .copied()
        .collect();
    assert!(cells.is_sorted(), "larger values have higher cells");
    let mut counts = vec![0; CELLS];
    cells.iter().for_each(|&cell| counts[usize::from(cell)] += 1);
    assert!(counts.iter().all(|&count| (3..=4).contains(&count)));
}
