//! The language of claims and its evaluation, with a small table.

mod checks;
mod evaluation;
mod syntax;

use gpusched::error::Result;
use gpusched_study::Table;
use gpusched_study::claim::{Evaluation, Expression};

/// A table with two analysis variants, three utilizations and two algorithms. In variant `literal`, SMS exceeds BF by 0.1,
/// 0.2 and 0.3. In variant `other`, SMS equals BF.
const RESULTS: &str = "\
point,utilization,tasks,variant,algorithm,rate,mean_sms,note
0,10,50,literal,SMS,1.0,20,
0,10,50,literal,BF,0.9,30,x
1,20,50,literal,SMS,0.75,,
1,20,50,literal,BF,0.55,,y
2,30,50,literal,SMS,0.3,60,
2,30,50,literal,BF,0,,
0,10,50,other,SMS,1,20,
0,10,50,other,BF,1,20,
1,20,50,other,SMS,1,40,
1,20,50,other,BF,1,40,
";

fn results() -> Table {
    Table::from_reader("r.csv", RESULTS.as_bytes()).unwrap()
}

fn evaluate(text: &str, variant: &str) -> Result<Evaluation> {
    text.parse::<Expression>()
        .unwrap()
        .evaluate(&results(), Some(variant))
}
