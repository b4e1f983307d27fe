//! Bad systems and settings: exit code 2, one message, nothing written.

use crate::support::{run, run_with};

const KERNEL: &str =
    r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":10,"e0":"2us","e1":"3us"}]}"#;

fn system(tasks: &[&str]) -> String {
    let tasks: Vec<String> = tasks
        .iter()
        .map(|task| format!("{{\"kernel\":{KERNEL}{task}}}"))
        .collect();
    format!("{{\"kernels\":[{}]}}", tasks.join(","))
}

#[test]
fn bad_systems_are_refused() {
    let two = system(&[r#","period":"4ms""#, r#","period":"6ms""#]);
    let cases = [
        (String::new(), "-: found nothing, expected a system"),
        ("[]".to_owned(), "-:1: found \"[]\", expected a system"),
        (
            KERNEL.to_owned(),
            "-:1: at active_blocks: unknown field `active_blocks`",
        ),
        (
            r#"{"kernels":[]}"#.to_owned(),
            "kernels: found 0 kernels, expected 1 to 1024",
        ),
        (
            r#"{"kernels":[{"period":"1ms"}]}"#.to_owned(),
            "-:1: at kernels[0]: missing field `kernel`",
        ),
        (
            format!("{two}\n{two}\n"),
            "-:2: found a second system, expected one",
        ),
        (
            two.replacen("1ms", "2ms", 1),
            "kernels[1].kernel.regulation_period: found 1ms, expected 2ms as of kernels[0]",
        ),
        (
            two.replace("4ms", "0ms"),
            "at kernels[0].period: invalid value: 0, expected a positive time",
        ),
        (
            two.replace("4ms", "soon"),
            "at kernels[0].period: invalid value: string \"soon\"",
        ),
        (two.replacen("\"2us\"", "\"4us\"", 1), "at kernels[0].kernel"),
        (
            system(&["", r#","period":"1ms","offset":"2ms""#]),
            "at kernels[1]: offset: found 2ms, expected less than the period, 1ms",
        ),
        (
            system(&[r#","deadline":0"#]),
            "at kernels[0].deadline: invalid value: 0",
        ),
        (
            system(&[r#","q":2"#]),
            "at kernels[0]: q: found 2, expected a number from 0 to 1",
        ),
        (
            system(&[r#","slowdown":-1"#]),
            "at kernels[0].slowdown: invalid value",
        ),
        (
            system(&[r#","q":0.1,"slowdown":0.1"#]),
            "found 0.1 beside a slowdown of 0.1, expected one of the two",
        ),
        (
            system(&[r#","period":"1ms""#, r#","period":"101s""#]),
            "kernels: found 101001 jobs in a hyperperiod of 101s, expected periods with at most 100000",
        ),
        (
            system(&[
                r#","period":9223372036854775807"#,
                r#","period":9223372036854775806"#,
            ]),
            "kernels[1].period: found 9223372036.854775806s, expected periods with a common multiple below 2^63 ns",
        ),
        // Small enough to be read, too large to be simulated.
        (
            system(&[r#","period":"20000s""#]),
            "regulation_period: found 1ms, of which all jobs may take 20000000, expected at most 10000000",
        ),
        (
            system(&[r#","offset":9223372036854775807"#]),
            "regulation_period: found 1ms, of which all jobs may take 9223372036854, expected at most",
        ),
        (
            two.replace(":10,", ":40000000,"),
            "kernels[0].kernel: found 40000000 blocks, expected at most",
        ),
        (
            system(&[r#","period":"1s""#, r#","period":"9999s""#]).replace(":10,", ":5000000,"),
            "kernels: found 50000000000 blocks in all jobs, expected at most 1000000000",
        ),
        (
            system(&[""])
                .replace("1ms", "1ns")
                .replace("2us", "1000s")
                .replace("3us", "1000s"),
            "kernels[0].kernel.regulation_period: found 1ns, of which the kernel may take 2500000000000",
        ),
    ];
    for (text, expected) in cases {
        let short: String = text.chars().take(300).collect();
        let answer = run_with("budget sequence - --lead 0ns", text);
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{expected}\n{answer:?} {short}"
        );
        assert!(answer.stderr.contains(expected), "{expected}: {}", answer.stderr);
        assert_eq!(
            answer
                .stderr
                .lines()
                .filter(|line| line.starts_with("error: "))
                .count(),
            1
        );
    }
}

#[test]
fn bad_settings_are_refused() {
    for (options, expected) in [
        (
            "--blocks mean",
            "kernels[0].kernel.clusters[0].isolated.mean_ns: found none",
        ),
        (
            "--blocks drawn",
            "kernels[0].kernel.clusters[0].isolated: found none",
        ),
        (
            "--offset 1ms",
            "--offset: found 1ms, expected less than the regulation period, 1ms",
        ),
        ("--lead 2ms", "--lead: found 2ms, expected less than"),
        ("--dispatch edf", "np-edf"),
        ("--demand 1.5", "expected bandwidth"),
        ("--runs 0", "--runs"),
        ("--slowdown x", "--slowdown"),
    ] {
        let answer = run_with(&format!("budget sequence - {options}"), system(&["", ""]));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{options}");
        assert!(answer.stderr.contains(expected), "{options}: {}", answer.stderr);
    }
    let missing = run("budget sequence none.json");
    assert!(
        missing.code == 2 && missing.stderr.contains("none.json: cannot open"),
        "{missing:?}"
    );
}

/// A refused run leaves no file.
#[test]
fn nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let line = format!(
        "budget sequence - --blocks mean -o {} --svg {}",
        path("a.csv"),
        path("a.svg")
    );
    assert_eq!(run_with(&line, system(&[""])).code, 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Periods and deadlines at the limits of time neither overflow nor miss.
#[test]
fn huge_times_are_fine() {
    let huge = system(&[
        r#","period":9223372036854775807,"deadline":9223372036854775807"#,
        r#","deadline":9223372036854775807"#,
        r#","period":9223372036854775807"#,
    ]);
    for dispatch in ["fifo", "np-edf", "np-fp", "np-fp-rm", "np-fp-given"] {
        // A regulation period to match, so that the run is short.
        let text = huge.replace("\"1ms\"", "9223372036854775807");
        let answer = run_with(
            &format!("budget sequence - --lead 0ns --dispatch {dispatch}"),
            text,
        );
        assert_eq!(answer.code, 0, "{dispatch} {answer:?}");
    }
}
