//! Memory clients beside the kernels of a run: the command, and its errors.

use super::{SMALL, json, write};
use crate::support::transcript::Transcript;
use crate::support::{run, run_with};

/// Returns a run with a vector addition on 2 SMs, and with a client that has these further fields.
fn beside(client: &str) -> String {
    format!(
        r#"{{"machine":"rtx2060","sms":2,"kernels":[{{"program":{SMALL},"grid":400}}],"clients":[
            {{"name":"core","buffer":1048576,"outstanding":8{client}}}]}}"#
    )
}

#[test]
fn a_regulated_core_sends_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let file = |client: &str| write(folder.path(), "run.json", &beside(client));
    let line = format!(
        "simulate warps {}",
        file(r#","budget":{"requests":7,"period":300,"phase":20}"#)
    );
    let text = run(&line);
    assert!(text.stdout.contains("most in a period"), "{}", text.stdout);
    assert_eq!(run(&format!("{line} --threads 3")), text);
    let regulated = json(&line);
    let (client, cycles) = (&regulated["clients"][0], regulated["cycles"].as_u64().unwrap());
    assert_eq!(client["most_in_period"], 7);
    assert_eq!(client["writes"], 0);
    let periods = (cycles + 280).div_ceil(300);
    let reads = client["reads"].as_u64().unwrap();
    assert!(
        7 * (periods - 1) <= reads && reads <= 7 * periods,
        "{reads} {periods}"
    );

    let copy = json(&format!(
        "simulate warps {}",
        file(r#","access":"copy","bytes":6400"#)
    ));
    let client = &copy["clients"][0];
    assert_eq!((&client["reads"], &client["writes"]), (&100.into(), &100.into()));
    assert_eq!(client["ended"], 200);
    assert!(client["finish"].as_u64().unwrap() < copy["cycles"].as_u64().unwrap());
    // Without clients, the result has no such list.
    let alone = beside("").replace("\"clients\":[", "\"kernels\":[");
    assert!(
        run(&format!(
            "simulate warps {}",
            write(folder.path(), "twice.json", &alone)
        ))
        .code
            == 2
    );
    let none = json("simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --grid 4 --sms 1");
    assert!(none.get("clients").is_none());
}

#[test]
fn refused_clients() {
    let mut told = Transcript::default();
    for fields in [
        "100",
        "restart",
        r#","bytes":0"#,
        r#","interval":0"#,
        r#","think":1000000000001"#,
        r#","access":"swap""#,
        r#","order":"up""#,
        r#","budget":{"requests":5}"#,
        r#","budget":{"requests":5,"period":0}"#,
        r#","budget":{"requests":5,"period":10,"phase":10}"#,
        r#","channels":"0-12""#,
        r#"},{"name":"core","buffer":64,"outstanding":1"#,
        r#"},{"name":"none","buffer":64,"outstanding":0"#,
        r#"},{"name":"many","buffer":64,"outstanding":1025"#,
    ] {
        let text = match fields {
            "100" => beside("").replace("1048576", "100"),
            "restart" => beside("").replace("\"sms\":2", "\"restart_clocks\":true"),
            _ => beside(fields),
        };
        told.refusal(text.replace(SMALL, "SMALL"), &run_with("simulate warps -", text));
    }
    let told = told.to_string();
    for field in [
        "buffer",
        "bytes",
        "interval",
        "think",
        "access",
        "order",
        "period",
        "phase",
        "channels",
        "name",
        "outstanding",
        "restart_clocks",
    ] {
        assert!(told.contains(field), "{field}: {told}");
    }
}
