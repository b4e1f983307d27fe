//! Comparison of two tables: rows meet by their parameters.

use gpusched_study::Table;
use gpusched_study::table::{Compared, compare};

fn table(text: &str) -> Table {
    Table::from_reader("t.csv", text.as_bytes()).unwrap()
}

const SHARES: &str = "study,point,utilization,algorithm,policy,sms,sets,schedulable,rate\n\
                      a,0,2,x,edf,8,70,56,0.8\na,1,4,x,edf,8,70,0,0\n";

#[test]
fn rows_meet_by_their_parameters() {
    let other = "study,point,utilization,algorithm,policy,sms,sets,schedulable,rate\n\
                 b,7,2,x,np-edf,9,80,48,0.6\nb,8,6,x,np-edf,9,80,80,1\n";
    let found = compare(&table(SHARES), &table(other)).unwrap();
    assert_eq!((found.rows.len(), found.only_before, found.only_after), (1, 1, 1));
    let row = &found.rows[0];
    assert_eq!(
        row.row,
        [("utilization", "2"), ("algorithm", "x")].map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    assert!((row.difference() + 0.2).abs() < 1e-12 && row.is_clear());
}

#[test]
fn rows_meet_by_the_values_on_further_axes() {
    let head = "study,point,utilization,tasks,deadline,variant,algorithm,policy,sms,sets,schedulable,rate\n";
    let before =
        "a,0,2,5,0.5,r,x,edf,8,10,4,0.4\na,1,2,5,0.5,r,x,dm,8,10,3,0.3\na,2,2,5,1,r,x,edf,8,10,9,0.9\n";
    let after =
        "a,0,2,5,1,r,x,edf,9,10,8,0.8\na,1,2,5,0.5,r,x,dm,9,10,1,0.1\na,2,2,5,0.5,r,x,edf,9,10,4,0.4\n";
    let found = compare(
        &table(&format!("{head}{before}")),
        &table(&format!("{head}{after}")),
    )
    .unwrap();
    let differences: Vec<i64> = found
        .rows
        .iter()
        .map(|row| (row.difference() * 10.0).round() as i64)
        .collect();
    assert_eq!(differences, [0, -2, -1]);
    let keys: Vec<&str> = found.rows[1]
        .row
        .iter()
        .map(|(column, _)| column.as_str())
        .collect();
    // The policy distinguishes rows of one table, the number of SMs does not.
    assert_eq!(
        keys,
        [
            "utilization",
            "tasks",
            "deadline",
            "variant",
            "algorithm",
            "policy"
        ]
    );
}

#[test]
fn equal_tables_do_not_differ() {
    let found = compare(&table(SHARES), &table(SHARES)).unwrap();
    assert!(
        found
            .rows
            .iter()
            .all(|row| !row.is_clear() && row.difference() == 0.0)
    );
    // A row without a value, and two rows with equal keys.
    let cases = "study,case,quantity,value,unit\na,c,q,1.5,ns\na,c,r,,ns\na,c,q,3,ns\n";
    let found = compare(&table(cases), &table(&cases.replace("1.5", "1.25"))).unwrap();
    let differences: Vec<f64> = found.rows.iter().map(Compared::difference).collect();
    assert_eq!(differences, [-0.25, 0.0]);
    assert_eq!((found.only_before, found.only_after), (0, 0));
    assert!(found.rows[0].is_clear() && !found.rows[1].is_clear());
}

#[test]
fn other_tables_are_refused() {
    let cases = table("study,case,quantity,value\na,c,q,1.5\n");
    for (before, after) in [
        (table(SHARES), cases.clone()),
        (cases.clone(), table("x\n1\n")),
        (cases.clone(), table("study,case,quantity,value\na,d,q,1.5\n")),
        (table(SHARES), table(&SHARES.replace("56", "71"))),
    ] {
        assert!(compare(&before, &after).is_err());
    }
}
