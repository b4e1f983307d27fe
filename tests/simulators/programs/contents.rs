//! Kernels whose addresses, conditions and loops depend on the contents of buffers. The streams of the imported
//! programs equal the interpreter, which loads the contents byte by byte.

use gpusched::gpu::code::Code;
use gpusched::gpu::import::ptx::{Argument, Module, import};
use gpusched::gpu::program::{Contents, Values};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::programs::twins::{arguments, compare, options};

fn text() -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/ptx/data.ptx");
    std::fs::read_to_string(file).unwrap()
}

/// Returns the contents of the buffer `name`.
fn contents(name: &str, element: u8, values: Vec<i64>) -> (String, Contents) {
    let values = Values::Numbers(values.into());
    (name.to_owned(), Contents { values, element })
}

/// Imports `kernel` with `contents`, and compares all warps with the interpreter. Only `bfs`
/// writes to a buffer whose contents it reads.
fn same(kernel: &str, grid: u64, block: u64, given: &[Argument], contents: Vec<(String, Contents)>) {
    let text = text();
    let mut options = options(&grid.to_string(), &block.to_string(), given.to_vec());
    options.contents = contents;
    let program = import(&Module::read(&text).unwrap(), kernel, &options).unwrap();
    let changed: &[&str] = if kernel == "bfs" { &["mask"] } else { &[] };
    assert_eq!(program.changed_contents(), changed);
    compare(&text, &program, kernel, given, grid);
}

/// Runs `test` with random values of `strategy`.
fn with<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    };
    let run = TestRunner::new(config).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn gathers_read_where_the_indices_point() {
    let indices = prop::collection::vec(prop_oneof![0..200_i64, -9..9_i64], 1..150);
    with(200, (indices, 1..100_u64), |(indices, block)| {
        let n = indices.len() as u64;
        let given = arguments(&format!("idx:{} a:800 c:{} n={n}", 4 * n, 4 * n));
        same(
            "gather",
            n.div_ceil(block),
            block,
            &given,
            vec![contents("idx", 4, indices)],
        );
    });
}

#[test]
fn histograms_count_the_data() {
    let data = prop::collection::vec(0..256_i64, 1..300);
    with(100, (data, 1..100_u64, 1..4_u64), |(data, block, grid)| {
        let n = data.len();
        let given = arguments(&format!("data:{n} h:1024 n={n}"));
        same(
            "histogram_global",
            grid,
            block,
            &given,
            vec![contents("data", 1, data)],
        );
    });
    // A block of 256 threads makes `n` updates per thread. The kernel uses the lowest 8 bits of the values.
    let data = prop::collection::vec(any::<i32>().prop_map(i64::from), 256 * 6);
    with(20, (data, 1..3_u64), |(data, grid)| {
        let n = 6 / grid;
        let given = arguments(&format!("data:{} h:1024 n={n}", 4 * data.len()));
        same(
            "histogram_shared",
            grid,
            256,
            &given,
            vec![contents("data", 4, data)],
        );
    });
}

#[test]
fn searches_follow_the_edges() {
    let graph = (1..60_usize).prop_flat_map(|vertices| {
        let neighbors = prop::collection::vec(0..vertices as i64, 0..6);
        (
            prop::collection::vec(neighbors, vertices),
            prop::collection::vec(0..2_i64, vertices),
            prop::collection::vec(prop_oneof![Just(0), Just(1), Just(-1), Just(200)], vertices),
        )
    });
    with(200, (graph, 1..70_u64), |((neighbors, mask, visited), block)| {
        let n = neighbors.len() as u64;
        let mut row = vec![0];
        for edges in &neighbors {
            row.push(row[row.len() - 1] + edges.len() as i64);
        }
        let col = neighbors.concat();
        let given = arguments(&format!(
            "row:{} col:{} mask:{n} visited:{n} cost:{} next:{n} n={n}",
            4 * row.len(),
            4 * col.len().max(1),
            4 * n,
        ));
        let contents = vec![
            contents("row", 4, row),
            contents("col", 4, col),
            contents("mask", 1, mask),
            contents("visited", 1, visited),
        ];
        same("bfs", n.div_ceil(block), block, &given, contents);
    });
}

/// In a nested loop, the bounds of the inner loop depend on the round of the outer loop.
#[test]
fn sparse_rows_have_their_columns() {
    let rows = prop::collection::vec(prop::collection::vec(0..40_i64, 0..5), 1..60);
    with(200, (rows, 1..40_u64, 1..3_u64), |(rows, block, grid)| {
        let n = rows.len();
        let mut row = vec![0];
        for columns in &rows {
            row.push(row[row.len() - 1] + columns.len() as i64);
        }
        let col = rows.concat();
        let entries = 4 * col.len().max(1);
        let given = arguments(&format!(
            "row:{} col:{entries} values:{entries} x:160 y:{} n={n}",
            4 * row.len(),
            4 * n
        ));
        let contents = vec![contents("row", 4, row), contents("col", 4, col)];
        same("spmv", grid, block, &given, contents);
    });
}

/// Without contents, the import fails, and the error says which line loads the value.
#[test]
fn contents_are_required() {
    let module = Module::read(&text()).unwrap();
    for (kernel, given, known, expected) in [
        (
            "gather",
            "idx:400 a:400 c:400 n=100",
            vec![],
            "line 38: the address depends on the value loaded in line 34, which programs cannot express",
        ),
        (
            "gather",
            "idx:400 a:400 c:400 n=100",
            vec![contents("idx", 2, vec![0; 100])],
            "line 38: the address depends on the value loaded in line 34, which is of type u32, but the values of buffer \
             `idx` are whole numbers of 2 bytes, which programs cannot express",
        ),
        (
            "gather",
            "idx:400 a:400 c:400 n=100",
            vec![contents("b", 4, vec![])],
            "line 8: found values of \"b\", expected the name of a parameter that is a buffer",
        ),
        (
            "gather",
            "idx:400 a:400 c:400 n=100",
            vec![contents("idx", 4, vec![1 << 32])],
            "line 8: buffers.idx.values[0]: found 4294967296, expected a number from -2147483648 to 4294967295",
        ),
        (
            "bfs",
            "row:400 col:400 mask:100 visited:100 cost:400 next:100 n=100",
            vec![],
            "line 182: the guard depends on the value loaded in line 180, which programs cannot express",
        ),
    ] {
        let mut options = options("1", "100", arguments(given));
        options.contents = known;
        let error = import(&module, kernel, &options).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.needs_contents, expected.contains("loaded"));
    }
}

/// An index beyond the values of a buffer is an error of the run, if a lane executes the access.
#[test]
fn missing_values_are_reported() {
    let program = |index: &str, when: &str| {
        let text = format!(
            r#"{{"name":"k","grid":1,"block":40,"buffers":{{"a":4096,"idx":{{"bytes":64,"values":[5,3,4]}}}},
               "body":[{{"op":"load","address":"a + 4*value(idx, {index})","bytes":4,"when":"{when}"}}]}}"#
        );
        std::sync::Arc::new(Code::new(&serde_json::from_str(&text).unwrap()).unwrap())
    };
    for (index, when, missing) in [
        ("thread.x", "thread.x < 3", None),
        ("thread.x", "thread.x < 4", Some("index 3")),
        ("thread.x - 1", "thread.x < 3", Some("index -1")),
        ("7", "1", Some("index 7")),
        ("thread.x < 3 ? thread.x : 0", "1", None),
        ("thread.x", "thread.x < 3 && value(idx, thread.x) > 3", None),
        ("value(idx, 1) - 3", "1", None),
        ("value(idx, 1)", "1", Some("index 3")),
        ("0", "thread.x > 2 || value(idx, thread.x)", None),
        ("0", "value(idx, thread.x) || thread.x > 2", Some("index 3")),
    ] {
        let code = program(index, when);
        assert_eq!(code.missing(), None);
        code.instructions_of(0, u64::MAX);
        match missing {
            None => assert_eq!(code.missing(), None, "{index} {when}"),
            Some(missing) => assert_eq!(
                code.missing().unwrap(),
                format!(
                    "`load` at pc 0x0: found {missing} of the buffer `idx`, expected an index below 3, the number of its values"
                ),
                "{index} {when}"
            ),
        }
    }
}
