//! Invalid studies: one message with file, line, field, value and expected value, exit code 2, and no output folder.

use gpusched::study::{Overrides, Spec};
use insta::assert_snapshot;

use crate::study_support::{files::temporary, parse, run};
use crate::support::transcript::{Transcript, variants};
use crate::support::{answer, gpusched};

const SMALL: &str = include_str!("../study_support/small.toml");

/// Replacements in the study.
const BAD: &str = r#"
sets = 9 → sets = 9\nspeed = 3
wcet = "amdahl" → wcet = "linear"
step = 2 → step = 0
from = 2 → from = 11
from = 2 → from = 0
to = 10 → to = nan
to = 10 → to = 1e308
to = 10 → to = -1
step = 2 → step = 0.0000001
{ from = 2, to = 10, step = 2 } → []
{ from = 2, to = 10, step = 2 } → [2, 2]
{ from = 2, to = 10, step = 2 } → "2..10"
tasks = [5, 8] → tasks = [0]
tasks = [5, 8] → tasks = [5.5]
tasks = [5, 8] → tasks = [1000000]
tasks = [5, 8] →
name = "SMS-INA" → name = "1G"
name = "proportional" → name = "literal"
name = "SMS-INA" → name = " "
name = "small" → name = "../small"
name = "small" → name = ""
sets = 9 → sets = 0
sets = 9 → sets = -5
sets = 9 → sets = 2.5
sets = 9 → sets = 9223372036854775807
sets = 9 → sets = 9\nsets = 9
sets = 9\n →
seed = 7 → seed = -7
sms = 12 → sms = 0
sms = 12 →
sms = 12 → platform = "gtx1"
sms = 12 → sms = 12\nplatform = "orin"
heuristic = "bf" → heuristic = "best"
heuristic = "1g" → heuristic = "1g"\ncolor = 1
heuristic = "1g" → heuristic = "1g"\nbudget = 5
heuristic = "1g" → heuristic = "auto"\nbudget = 0
heuristic = "1g" → heuristic = "auto"\nimprove = true
heuristic = "1g" → heuristic = "sms"\nsplit = 2
heuristic = "1g" → heuristic = "ffd"\nsplit = 13
heuristic = "1g" → heuristic = "sms"\ntraffic = "heed"
heuristic = "1g" → heuristic = "sms"\nbf_measure = "demand"
memory-share = 0.5 → memory-share = 1.5
memory-share = 0.5 → cap = 0.9
memory-share = 0.5 → wcet = "amdahl"
memory-share = 0.5 → periods = "weekly"
memory-share = 0.5 → blocks = 0
memory-share = 0.5 → blocks = 0.5
memory-share = 0.5 → jitter = 0.75
interference = "conflict" → blocks = 0
interference = "conflict" → blocks = 3000000000
interference = "conflict" → blocks = -68
policy = "edf" → policy = "fifo"
[axis] → [figure]\ny = "height"\n[axis]
[axis] → [figure]\npanel = "height"\n[axis]
[axis] → [figure]\ntable = "timing"\ny = "rate"\n[axis]
[axis] → [figure]\nkind = "pie"\n[axis]
[axis] → [figure]\nnormalize = "3G"\n[axis]
[axis] → [figure]\nwhere = { algorithm = ["3G"] }\n[axis]
[axis] → [figure]\nsize = [1, 1]\n[axis]
[axis] → [figure]\ny_range = [1, 0]\n[axis]
[axis] → [[figure]]\n[[figure]]\n[axis]
[axis] → [[figure]]\n[[figure]]\nname = "a/b"\n[axis]
algorithm = "SMS-INA" → algorithm = "SMS"
min_gap(rate → min_gap(share
>= 0' → >= '
[[claim]] → [[claim]]\nreadings = ["figurative"]
[[claim]] → [[claim]]\nacross_readings = true\nreadings = ["literal"]
[[claim]] → [[claim]]\nacross_readings = true
[[claim]] → [claim]
title = " → title = = "
policy = "edf" → policy = "lp-edf"
policy = "edf"\ninterference → policy = "lp-fp-given"\ninterference
policy = "edf"\ninterference → policy = "np-edf"\nblocks = 68\ninterference
interference = "conflict" → interference = "conflict+bandwidth"
interference = "conflict" → interference = "conflict"\narbitration = "max-min"
memory-share = 0.5\n\n[[variant]]\nname = "literal"\nwcet = "amdahl"\npolicy = "edf" → saturation = 4\n\n[[variant]]\nname = "literal"\nwcet = "amdahl"\npolicy = "density"\ninterference = "bandwidth"
heuristic = "sms" → heuristic = "sms"\ngap = 1
heuristic = "sms" → heuristic = "auto"\ngap = 1\nobjective = "feasible"
[axis] → [figure]\ntable = "weighted"\ny = "weighted"\n\n[axis]
sets = 9 → sets = 9\nweighted = 1
memory-share = 0.5 → saturation = 1001
"#;

fn message(text: &str) -> String {
    Spec::parse("small.toml", text, Overrides::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn bad_studies_are_refused_where_they_are_bad() {
    let mut told = Transcript::default();
    for (given, text) in variants(SMALL, BAD) {
        let message = message(&text);
        assert!(message.starts_with("small.toml"), "{given}: {message}");
        assert_eq!(message.lines().count(), 1, "{given}: {message}");
        told.case(given, message);
    }
    assert_snapshot!(told);
}

/// Analysis variants with policies that use blocks read the blocks of the generator. Other variants ignore the blocks.
#[test]
fn readings_of_all_policies_share_the_blocks_of_the_generator() {
    let mixed = SMALL.replacen("memory-share = 0.5", "blocks = 68", 1).replacen(
        "policy = \"edf\"",
        "policy = \"lp-fp\"",
        1,
    );
    assert!(mixed.contains("policy = \"edf\""));
    Spec::parse("small.toml", &mixed, Overrides::default()).unwrap();
}

/// Blocks and jitter are part of the experiment. A study without them keeps the identity from before these features
/// existed.
#[test]
fn blocks_and_jitter_make_another_experiment() {
    let experiment = |from: &str, to: &str| {
        let spec = Spec::parse("small.toml", &SMALL.replacen(from, to, 1), Overrides::default());
        spec.unwrap().experiment().unwrap()
    };
    let other = [
        experiment("policy", "policy"),
        experiment("memory-share = 0.5", "blocks = 68"),
        experiment("memory-share = 0.5", "jitter = 0.1"),
        experiment("policy = \"edf\"", "blocks = 68\npolicy = \"lp-edf\""),
        experiment("policy = \"edf\"", "blocks = 680\npolicy = \"lp-edf\""),
    ];
    for (index, hash) in other.iter().enumerate() {
        assert!(!other[..index].contains(hash), "{index}");
    }
    assert_eq!(
        experiment("[axis]", "[figure]\npanel = \"algorithm\"\n[axis]"),
        other[0]
    );
    assert_eq!(
        other[0],
        "dfa5c764467bdb386dc020b550d43586dadbc08f649082da5a2ba148e657b743"
    );
}

#[test]
fn readings_and_algorithms_are_needed() {
    let mut told = Transcript::default();
    for list in ["variant", "algorithm"] {
        let header = format!("[[{list}]]");
        let without: String = SMALL
            .split("\n\n")
            .filter(|block| !block.starts_with(&header))
            .map(|block| format!("{block}\n\n"))
            .collect();
        told.case(format!("without {list}"), message(&without));
        told.case(
            format!("{list} = []"),
            message(&format!("{list} = []\n{without}")),
        );
    }
    assert_snapshot!(told);
}

#[test]
fn empty_and_binary_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = Transcript::in_folder(folder.path());
    told.case("nothing", message(""));
    told.case("binary text", message("\0\u{1}"));
    let path = folder.path().join("binary.toml");
    std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    for path in [path, folder.path().join("missing.toml"), folder.path().to_owned()] {
        let error = Spec::read(&path, Overrides::default()).unwrap_err();
        told.case(path.display(), error);
    }
    assert_snapshot!(told);
}

#[test]
fn the_command_writes_nothing_for_bad_input() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("good.toml"), SMALL).unwrap();
    std::fs::write(root.path().join("twin.toml"), SMALL).unwrap();
    std::fs::write(
        root.path().join("bad.toml"),
        SMALL.replace("step = 2", "step = 0"),
    )
    .unwrap();
    let mut told = Transcript::in_folder(root.path());
    for line in [
        "study run good.toml bad.toml -o out",
        "study run good.toml twin.toml -o out",
        "study run good.toml",
        "study run good.toml -o -",
        "study run -o out",
        "study run good.toml -o out --shard 3/2",
        "study run good.toml -o out --sets 0",
        "study run good.toml -o out --sets many",
        "study run good.toml -o out --seed=-1",
        "study run good.toml -o out --seed 18446744073709551615",
        "study run good.toml -o out --threads 0",
        "study run good.toml -o missing/out",
        "study run good.toml -o good.toml",
    ] {
        let mut command = gpusched(line.split_whitespace());
        told.refusal(line, &answer(command.current_dir(root.path())));
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 3, "{line}");
    }
    assert_snapshot!(told);
}

/// Older files use other names for analysis variants.
#[test]
fn former_names_of_variants_are_read() {
    let across = "\n[[claim]]\nid = 'both'\ntext = 'x'\nacross_variants = true\n\
                  holds = 'min_gap(rate, (variant = \"proportional\"), (variant = \"literal\"), algorithm = \"1G\") >= 0'\n\
                  [[claim]]\nid = 'one'\ntext = 'x'\nvariants = ['literal']\nholds = 'max(rate) <= 1'\n";
    let text = format!("{SMALL}{across}");
    let former = text.replace("variant", "reading");
    let (spec, of_former) = (parse(&text), parse(&former));
    assert_eq!(spec.experiment().unwrap(), of_former.experiment().unwrap());
    let findings = [&spec, &of_former].map(|spec| {
        let folder = temporary();
        run(spec, folder.path(), "1/1", 2).unwrap();
        std::fs::read_to_string(folder.path().join("small.claims.json")).unwrap()
    });
    assert_eq!(findings[0], findings[1].replace("(reading =", "(variant ="));
    let error = Spec::parse(
        "small.toml",
        &former.replace("'amdahl'", "'x'").replace("\"amdahl\"", "\"x\""),
        Overrides::default(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("small.toml:17: at reading[0].wcet"), "{error}");
}
