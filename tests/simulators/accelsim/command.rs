//! `gpusched import accel-sim`.

use serde_json::Value;

use crate::accelsim::model::Kernel;
use crate::support::{root, run, run_with};

const LIST: &str = "tasksets/traces/accelsim/kernelslist.g";
const KERNEL: &str = "tasksets/traces/accelsim/kernel-1.traceg";

#[test]
fn the_example_counts_as_it_can_be_counted_by_hand() {
    let answer = run(&format!("import accel-sim {LIST} --format json"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let summary: Value = serde_json::from_str(&answer.stdout).unwrap();
    let schema: Value = serde_json::from_str(&run("schema trace-summary").stdout).unwrap();
    let validator = crate::support::schema::validator_for(&schema);
    let errors: Vec<String> = validator.errors(&summary);
    assert!(errors.is_empty(), "{errors:?}");
    // c[i] = a[i] + b[i] for 250 elements with 256 threads: two loads and a store of 250 lanes; 125 = 1000/8 sectors each, rounded up.
    assert_eq!(summary["copies"], serde_json::json!({"count": 2, "bytes": 2000}));
    let kernel = &summary["kernels"][0];
    assert_eq!(kernel["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(
        (&kernel["warps"], &kernel["instructions"]),
        (&Value::from(8), &Value::from(8 * 15))
    );
    assert_eq!(
        kernel["lane_instructions"],
        5 * 256 + 6 + 9 * 250,
        "5 of all threads, 6 leave, 9 of the others"
    );
    assert_eq!(kernel["memory"][0]["sectors"], 2 * 32);
    assert_eq!(kernel["memory"][1]["sectors"], 32);
    assert_eq!(kernel["footprint_bytes"], 3 * 32 * 32);

    let csv = run(&format!("import accel-sim {LIST} --format csv")).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let cell = |name: &str| {
        row.get(header.iter().position(|column| column == name).unwrap())
            .unwrap()
    };
    assert_eq!(
        (cell("grid_x"), cell("instructions"), cell("global_load_sectors")),
        ("4", "120", "64")
    );
    assert_eq!((cell("memory"), cell("footprint_bytes")), ("24", "3072"));

    let text = run(&format!("import accel-sim {LIST}")).stdout;
    for part in [
        "2 copies to the GPU, 2000 bytes",
        "_Z4vaddPKfS0_Pfi",
        "int 60.0 %",
        "4.00",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn one_kernel_by_file_by_number_or_from_a_pipe() {
    let all = run(&format!("import accel-sim {KERNEL} --format csv"));
    assert_eq!(all.code, 0);
    assert_eq!(
        run(&format!("import accel-sim {LIST} --kernel 1 --format csv")),
        all
    );
    let bytes = std::fs::read(root().join(KERNEL)).unwrap();
    let piped = run_with("import accel-sim - --format csv", bytes);
    assert_eq!(piped.stdout, all.stdout.replace(KERNEL, "-"));
    for file in [LIST, KERNEL] {
        let answer = run(&format!("import accel-sim {file} --kernel 2"));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
        let expected = format!("error: --kernel: found 2, expected the number of a kernel in {file}: 1\n");
        assert_eq!(answer.stderr, expected);
    }
}

#[test]
fn threads_do_not_show_and_errors_name_the_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let mut list = String::new();
    for number in 1..=12 {
        let text = Kernel::draw(number)
            .print(number)
            .replace("-kernel id = 7", &format!("-kernel id = {number}"));
        std::fs::write(folder.path().join(format!("kernel-{number}.traceg")), text).unwrap();
        list += &format!("kernel-{number}.traceg\n");
    }
    std::fs::write(folder.path().join("kernelslist.g"), list).unwrap();
    let ask = |options: &str| run(&format!("import accel-sim {at}/kernelslist.g {options}"));
    for format in ["text", "json", "csv"] {
        let one = ask(&format!("--format {format} --threads 1"));
        assert_eq!(one.code, 0, "{}", one.stderr);
        assert_eq!(ask(&format!("--format {format} --threads 4")), one);
    }
    for number in [4, 9] {
        let path = folder.path().join(format!("kernel-{number}.traceg"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 10]).unwrap();
    }
    std::fs::write(folder.path().join("old.csv"), "old").unwrap();
    let answer = ask(&format!("--threads 4 -o {at}/old.csv"));
    assert_eq!(answer.code, 2);
    let place = answer.stderr.split_once("kernel-4.traceg:").expect("its file").1;
    let (line, message) = place.split_once(':').expect("its line");
    assert!(line.parse::<usize>().is_ok(), "{}", answer.stderr);
    assert!(
        message.starts_with(" found the end of the file within thread block"),
        "{message}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("old.csv")).unwrap(),
        "old"
    );
    std::fs::remove_file(folder.path().join("kernel-2.traceg")).unwrap();
    assert!(ask("").stderr.contains("kernel-2.traceg: cannot open"));
}

#[test]
fn unknown_opcodes_are_told() {
    let text =
        crate::accelsim::refusals::small().replacen("insts = 2\n", "insts = 3\n0020 1 0 FNORD.X 0 0\n", 1);
    let answer = run_with("import accel-sim -", text.clone());
    assert_eq!(answer.code, 0);
    let expected = "warning: -: 1 unknown opcodes, which gpusched counts as integer opcodes without memory access: FNORD.X (1)\n";
    assert_eq!(answer.stderr, expected);
    assert_eq!(run_with("import accel-sim - --quiet", text).stderr, "");
}
