//! Systems with known bounds.

use gpusched::end_to_end::{Baseline, analyze, baseline};
use gpusched::model::end_to_end::Bounds;
use gpusched::verification::verify_system;

use crate::end_to_end::system;

fn ends(bounds: &Bounds, task: usize) -> Vec<u64> {
    let ends = bounds.0[task].ends_ns.iter();
    ends.map(|end| end.map_or(0, |end| end.ns())).collect()
}

/// In the window of its whole job, the task `lo` sees two jobs of the task `hi`. With a window for each kernel, it sees one job for
/// each kernel.
#[test]
fn a_job_with_three_kernels_has_one_window() {
    let system = system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],"partitions":[{"name":"p","sms":4,"policy":"fp"}],"tasks":[
        {"name":"hi","period":40,"priority":1,"wait":"suspend","segments":[{"on":"c0","wcet":2},{"on":"p","wcet":6},{"on":"c0","wcet":1}]},
        {"name":"lo","period":120,"priority":2,"wait":"suspend","segments":[{"on":"c0","wcet":3},{"on":"p","wcet":8},{"on":"c0","wcet":2},
        {"on":"p","wcet":8},{"on":"c0","wcet":2},{"on":"p","wcet":8},{"on":"c0","wcet":2}]}]}"#,
    );
    let answer = analyze(&system);
    assert_eq!(verify_system(&answer, &system).err(), None);
    let found = answer.evidence.bounds;
    assert_eq!(ends(&found, 0), [2, 8, 9]);
    assert_eq!(ends(&found, 1), [6, 20, 22, 30, 32, 44, 49]);
    let single = baseline(&system, Baseline::SingleWindows);
    assert_eq!(single.response_time(1).map(|time| time.ns()), Some(57));
}
