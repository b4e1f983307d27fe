//! Promise: the work on the GPU in a model of APP4MC becomes a task set without a rounding error. gpusched states the parts that it
//! ignores, decides contradictions safely, and refuses damaged and hostile files.

use gpusched::recording::amalthea::import;
use insta::assert_snapshot;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::support::transcript::{Transcript, variants};
use crate::support::{Answer, answer, gpusched, root, run, run_with};

const WATERS: &str = "tasksets/amalthea/waters-challenge-2019.amxmi";

/// The GPU tasks of the WATERS 2019 challenge: name, maximum number of ticks, period and deadline [ms]. The numbers were read from the
/// model without gpusched. The frequency is 1.5 GHz.
const GPU_TASKS: [(&str, u64, u64, u64); 4] = [
    ("SFM", 11_850_000, 33, 33),
    ("Localization", 186_000_000, 400, 400),
    ("Lane_detection", 41_000_000, 66, 66),
    ("Detection", 174_000_000, 200, 200),
];

fn waters() -> String {
    std::fs::read_to_string(root().join(WATERS)).unwrap()
}

/// Imports `text` from standard input.
fn imported(text: &str) -> Answer {
    run_with("import amalthea -", text)
}

/// Name, period, deadline, jitter and C; C is for the smallest number of SMs.
type Found = (String, u64, Option<u64>, Option<u64>, u64);

/// Returns the tasks of the task set in `answer`.
fn tasks(answer: &Answer) -> Vec<Found> {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter().map(|task| {
        let time = &task["wcet"]["table"]["isolated"][0][1];
        (
            task["name"].as_str().unwrap().to_owned(),
            task["period"].as_u64().unwrap(),
            task["deadline"].as_u64(),
            task["jitter"].as_u64(),
            time.as_u64().unwrap(),
        )
    });
    tasks.collect()
}

#[test]
fn waters_2019_is_exact() {
    let answer = run(&format!("import amalthea {WATERS}"));
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let expected = GPU_TASKS.map(|(name, ticks, period, deadline)| {
        let ns = (ticks * 2).div_ceil(3);
        json!({
            "name": name,
            "period": period * 1_000_000,
            "deadline": deadline * 1_000_000,
            "wcet_source": "stated",
            "wcet": {"table": {"isolated": [[2, ns]]}},
        })
    });
    assert_eq!(set, json!({"name": "waters-challenge-2019", "tasks": expected}));
    assert_eq!(answer.code, 0);
    assert_snapshot!(answer.stderr);
    let quiet = run(&format!("import amalthea {WATERS} --quiet"));
    assert_eq!(quiet.stdout, answer.stdout);
    assert!(quiet.stderr.lines().all(|line| line.starts_with("warning: ")));
    assert_eq!(quiet.stderr.lines().count(), 2, "{}", quiet.stderr);
}

/// The utilization of the four tasks is 1.54 on the whole GPU.
#[test]
fn waters_2019_is_not_schedulable_on_its_gpu() {
    let set = run(&format!("import amalthea {WATERS}")).stdout;
    let verdict = run_with("test - --sms 2 --quiet", set.clone());
    assert_eq!(verdict.code, 1, "{}", verdict.stderr);
    assert!(
        verdict.stdout.contains("utilization is above 1"),
        "{}",
        verdict.stdout
    );
    assert!(verdict.stdout.contains("1.544"), "{}", verdict.stdout);
    // Fewer SMs than in the model have no WCET.
    assert_eq!(run_with("test - --sms 1 --quiet", set).code, 1);
}

#[test]
fn the_number_of_sms_is_from_the_option_or_the_file() {
    let sms = |text: &str, options: &str| {
        let answer = run_with(&format!("import amalthea - --quiet {options}"), text);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
        let sms = &set["tasks"][0]["wcet"]["table"]["isolated"][0][0];
        (sms.as_u64(), answer.stderr.contains("the file states 2 SMs"))
    };
    let text = waters();
    assert_eq!(sms(&text, ""), (Some(2), false));
    assert_eq!(sms(&text, "--sms 2"), (Some(2), false));
    assert_eq!(sms(&text, "--sms 4"), (Some(4), true));
    let without = text.replace(" SMs/SM_2?type=HwFeature", "");
    assert_eq!(sms(&without, "--sms 4"), (Some(4), false));
    assert_eq!(sms(&without, ""), (None, false));
}

/// Removes the part `part` of the model.
fn without(text: &str, part: &str) -> String {
    let (start, end) = (format!("<{part}"), format!("</{part}>"));
    let (start, end) = (text.find(&start).unwrap(), text.find(&end).unwrap() + end.len());
    format!("{}{}", &text[..start], &text[end..])
}

#[test]
fn parts_without_an_effect_may_be_missing() {
    let text = waters();
    let all = tasks(&imported(&text));
    assert_eq!(tasks(&imported(&without(&text, "osModel"))), all);
    let implicit: Vec<_> = all
        .iter()
        .cloned()
        .map(|task| (task.0, task.1, None, task.3, task.4))
        .collect();
    assert_eq!(tasks(&imported(&without(&text, "constraintsModel"))), implicit);
    let mut told = Transcript::default();
    for part in ["swModel", "hwModel", "stimuliModel", "mappingModel"] {
        told.refusal(format!("without {part}"), &imported(&without(&text, part)));
    }
    told.refusal(
        "no part",
        &imported(&format!(
            "{}</am:Amalthea>",
            &text[..text.find("<swModel").unwrap()]
        )),
    );
    assert_snapshot!(told);
}

/// A model with a CPU task that triggers a GPU task at 1 GHz.
const SMALL: &str = r#"<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/0.9.6" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<swModel>
<tasks name="host" stimuli="timer?type=PeriodicStimulus"><callGraph>
  <items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>
</callGraph></tasks>
<tasks name="gpu task" stimuli="go?type=InterProcessStimulus"><callGraph>
  <items xsi:type="am:RunnableCall" runnable="kernel?type=Runnable"/>
</callGraph></tasks>
<runnables name="kernel"><callGraph>
  <items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1001"/></items>
</callGraph></runnables>
<runnables name="offload"><callGraph>
  <items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="7"/></items>
</callGraph></runnables>
</swModel>
<hwModel>
<definitions xsi:type="am:ProcessingUnitDefinition" name="c" puType="CPU"/>
<definitions xsi:type="am:ProcessingUnitDefinition" name="g" puType="GPU" features="SMs/number?type=HwFeature"/>
<featureCategories name="SMs"><features name="number" value="8.0"/></featureCategories>
<structures name="s"><modules xsi:type="am:ProcessingUnit" name="CPU" definition="c?type=ProcessingUnitDefinition" frequencyDomain="f?type=FrequencyDomain"/>
<modules xsi:type="am:ProcessingUnit" name="GPU" definition="g?type=ProcessingUnitDefinition" frequencyDomain="f?type=FrequencyDomain"/></structures>
<domains xsi:type="am:FrequencyDomain" name="f"><defaultValue value="1.0" unit="GHz"/></domains>
</hwModel>
<osModel><operatingSystems name="os"><taskSchedulers name="part"><parentAssociation parent="whole?type=TaskScheduler"/></taskSchedulers></operatingSystems></osModel>
<stimuliModel>
<stimuli xsi:type="am:PeriodicStimulus" name="timer"><recurrence value="10" unit="us"/></stimuli>
<stimuli xsi:type="am:InterProcessStimulus" name="go"/>
</stimuliModel>
<constraintsModel>
<requirements xsi:type="am:ProcessRequirement" name="row" process="host?type=Task"><limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value="9" unit="us"/></limit></requirements>
</constraintsModel>
<mappingModel>
<schedulerAllocation scheduler="whole?type=TaskScheduler" responsibility="GPU?type=ProcessingUnit"/>
<taskAllocation task="host?type=Task" affinity="CPU?type=ProcessingUnit"/>
<taskAllocation task="gpu+task?type=Task" scheduler="part?type=TaskScheduler"/>
</mappingModel>
</am:Amalthea>
"#;

/// Changes of [`SMALL`] that the format allows, each with the expected tasks: name, period, deadline, jitter and C [ns].
#[test]
#[rustfmt::skip] // a table
fn all_forms_of_the_format_are_read() {
    let task = |name: &str, period, deadline, jitter, time| (name.to_owned(), period, deadline, jitter, time);
    let usual = || task("gpu task", 10_000, Some(9_000), None, 1_001);
    let cases = [
        ("0.9.6 →0.9.6", vec![usual()]),
        ("0.9.6 →1.2.0", vec![usual()]),
        ("value=\"10\" unit=\"us\" → value=\"10000\" unit=\"ns\"", vec![usual()]),
        ("value=\"10\" unit=\"us\" →value=\"10000999\" unit=\"ps\"", vec![usual()]),
        ("unit=\"GHz\" →unit=\"MHz\"", vec![task("gpu task", 10_000, Some(9_000), None, 1_001_000)]),
        ("\"1.0\" unit=\"GHz\" →\"3.0E9\" unit=\"Hz\"", vec![task("gpu task", 10_000, Some(9_000), None, 334)]),
        ("DiscreteValueConstant\" value=\"1001\" →DiscreteValueStatistics\" lowerBound=\"1\" upperBound=\"1001\" average=\"5.5\"", vec![usual()]),
        ("DiscreteValueConstant\" value=\"1001\"/> →DiscreteValueHistogram\"><entries lowerBound=\"1\" upperBound=\"1001\"/><entries lowerBound=\"1\" upperBound=\"7\"/></default>", vec![usual()]),
        ("DiscreteValueConstant\" value=\"1001\"/> →DiscreteValueConstant\" value=\"9\"/><extended key=\"g?type=ProcessingUnitDefinition\"><value xsi:type=\"am:DiscreteValueConstant\" value=\"1001\"/></extended>", vec![usual()]),
        ("<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/> →<items xsi:type=\"am:Group\"><items xsi:type=\"am:ModeSwitch\"><entries><items xsi:type=\"am:RunnableCall\" runnable=\"offload\"/></entries><defaultEntry><items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/></defaultEntry></items></items>", vec![usual()]),
        ("<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/> →<items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/><items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/>", vec![task("gpu task", 10_000, Some(9_000), None, 2_002)]),
        ("name=\"timer\"> →name=\"timer\"><offset value=\"3\" unit=\"us\"/><jitter xsi:type=\"am:TimeBoundaries\"><lowerBound value=\"-1\" unit=\"us\"/><upperBound value=\"2\" unit=\"us\"/></jitter>", vec![task("gpu task", 10_000, Some(9_000), Some(3_000), 1_001)]),
        ("am:PeriodicStimulus\" name=\"timer\"><recurrence value=\"10\" unit=\"us\"/> →am:RelativePeriodicStimulus\" name=\"timer\"><nextOccurrence xsi:type=\"am:TimeConstant\"><value value=\"10\" unit=\"us\"/></nextOccurrence>", vec![usual()]),
        // A GPU task with its own timer.
        ("name=\"gpu task\" stimuli=\"go?type=InterProcessStimulus\" →name=\"gpu task\" stimuli=\"timer?type=PeriodicStimulus\"", vec![task("gpu task", 10_000, None, None, 1_001)]),
        // Two triggers per execution, and a task with a timer and a trigger.
        ("<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go?type=InterProcessStimulus\"/> →<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go\"/><items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go\"/>", vec![task("gpu task of host", 10_000, Some(9_000), None, 1_001), task("gpu task of host #2", 10_000, Some(9_000), None, 1_001)]),
        ("name=\"gpu task\" stimuli=\"go?type=InterProcessStimulus\" →name=\"gpu task\" stimuli=\"timer go\"", vec![task("gpu task of gpu task", 10_000, None, None, 1_001), task("gpu task of host", 10_000, Some(9_000), None, 1_001)]),
        // A CPU task that calls a GPU runnable.
        ("<mappingModel> →<mappingModel><runnableAllocation scheduler=\"part\" entity=\"offload\"/>", vec![usual()]),
        ("stimulus=\"go?type=InterProcessStimulus\"/> →stimulus=\"go?type=InterProcessStimulus\"/><items xsi:type=\"am:Group\"><items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/></items>", vec![usual()]),
        ("<runnables name=\"kernel\"> →<runnables name=\"unused\"/><runnables name=\"kernel\">", vec![usual()]),
        ("metric=\"ResponseTime\" →metric=\"StartDelay\"", vec![task("gpu task", 10_000, None, None, 1_001)]),
        // References in the form of links.
        ("runnable=\"kernel?type=Runnable\"/> →><runnable xsi:type=\"am:Runnable\" href=\"amlt:/#kernel?type=Runnable\"/></items>", vec![usual()]),
    ];
    for (change, expected) in cases {
        assert_eq!(tasks(&imported(&changed(change))), expected, "{change}");
    }
    let offload = changed("<mappingModel> →<mappingModel><runnableAllocation scheduler=\"part\" entity=\"offload\"/>");
    let call = "stimulus=\"go?type=InterProcessStimulus\"/>";
    let offload = offload.replace(call, &format!("{call}<items xsi:type=\"am:RunnableCall\" runnable=\"offload\"/>"));
    let expected = vec![usual(), task("offload", 10_000, Some(9_000), None, 7)];
    assert_eq!(tasks(&imported(&offload)), expected);
}

/// Replaces the first text before ` →` in [`SMALL`] by the text after it.
fn changed(change: &str) -> String {
    let (old, new) = change.split_once(" →").unwrap();
    assert!(SMALL.contains(old), "{change}");
    SMALL.replacen(old, new, 1)
}

/// Descriptions and contents of files that gpusched refuses.
const REFUSED: &str = r#"
amalthea/0.9.6 →other/0.9.6
"http://app4mc.eclipse.org/amalthea/0.9.6" →"urn:x"
unit="GHz" →unit="THz"
value="1.0" unit="GHz" →value="0.0" unit="GHz"
value="1.0" unit="GHz" →value="-1" unit="GHz"
value="8.0" →value="2.5"
value="8.0" →value="1e9"
value="1001" →value="-5"
value="1001" →value="99999999999999999999"
value="1001" →value="0"
value="1001" →
DiscreteValueConstant" value="1001" →DiscreteValueStatistics" lowerBound="7" upperBound="5"
DiscreteValueConstant" value="1001" →DiscreteValueGaussDistribution" mean="7" sd="1"
DiscreteValueConstant" value="1001" →DiscreteValueHistogram"
<default xsi:type="am:DiscreteValueConstant" value="1001"/> →
am:Ticks →am:ExecutionNeed
am:Ticks →am:WhileLoop
value="10" unit="us" →value="0" unit="us"
value="10" unit="us" →value="-10" unit="us"
value="10" unit="us" →value="10"
value="10" unit="us" →value="1e3" unit="us"
value="10" unit="us" →value="9223372036854775807" unit="s"
value="10" unit="us" →value="999" unit="ps"
value="9" unit="us" →value="0" unit="us"
value="9" unit="us" →value="99999999999999999999999" unit="us"
<recurrence value="10" unit="us"/> →
PeriodicStimulus" name="timer" →SingleStimulus" name="timer"
stimulus="go? →stimulus="no?
stimuli="timer? →stimuli="no?
stimuli="timer?type=PeriodicStimulus" →
name="host" stimuli="timer?type=PeriodicStimulus" →name="host" stimuli="go"
runnable="kernel? →runnable="no?
name="offload" →name="kernel"
<tasks name="host" →<tasks name="gpu task"
definition="g? →definition="no?
frequencyDomain="f?type=FrequencyDomain"/></structures> →/></structures>
puType="GPU" →puType="CPU"
affinity="CPU?type=ProcessingUnit" →affinity="CPU GPU"
<callGraph>\n  <items xsi:type="am:Ticks"> →<callGraph><items xsi:type="am:RunnableCall" runnable="kernel"/><items xsi:type="am:Ticks">
am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/> →am:WhileLoop"><items xsi:type="am:InterProcessTrigger" stimulus="go"/></items>
am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/> →am:InterProcessTrigger"/>
</am:Amalthea> →</am:Other>
</am:Amalthea> →
<swModel> →<swModel a="1" a="2">
<swModel> →<swModel a="&lol;">
"#;

#[test]
fn models_without_a_safe_task_set_are_refused() {
    let mut told = Transcript::default();
    for (change, text) in variants(SMALL, REFUSED) {
        told.refusal(change, &imported(&text));
    }
    // GPU work that the mapping does not contain would make the task set too optimistic.
    let unmapped = waters().replace("<taskAllocation task=\"SFM?type=Task\"", "<other");
    let unmapped = unmapped.replace("<other scheduler=\"GPU_Sched?type=TaskScheduler\" affinity=\"GP10B?type=ProcessingUnit\">\r\n      <parameterExtensions key=\"TimeSlice_SFM\" value=\"7200µs\" />\r\n    </taskAllocation>", "");
    told.refusal("SFM without an allocation", &imported(&unmapped));
    let moved = waters().replace(
        "task=\"Detection?type=Task\" scheduler=\"GPU_Sched?type=TaskScheduler\" affinity=\"GP10B?",
        "task=\"Detection?type=Task\" scheduler=\"Scheduler_A57?type=TaskScheduler\" affinity=\"Core5?",
    );
    told.refusal("Detection on a CPU without ticks for it", &imported(&moved));
    told.refusal("csv", &run(&format!("import amalthea {WATERS} --format csv")));
    told.refusal("no SM", &run(&format!("import amalthea {WATERS} --sms 0")));
    told.refusal("no file", &run("import amalthea no-such-file.amxmi"));
    told.refusal("a task set is expected", &run(&format!("test {WATERS} --sms 2")));
    assert_snapshot!(told);
}

/// Files that need much time or memory, or other files, in parsers without limits.
#[test]
fn hostile_files_are_refused() {
    const START: &str = r#"<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/1.0.0">"#;
    let doctype = |inner: &str, text: &str| {
        let head = format!("<?xml version=\"1.0\"?><!DOCTYPE a [{inner}]>");
        format!("{head}{START}{text}</am:Amalthea>")
    };
    let lol: String = (1..10)
        .map(|level| {
            format!(
                "<!ENTITY l{level} \"{}\">",
                format!("&l{};", level - 1).repeat(10)
            )
        })
        .collect();
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=''")).collect();
    let namespaces: String = (0..100_000)
        .map(|number| format!("<a xmlns:b{number}='x'>"))
        .collect();
    let doubled: String = (0..90)
        .map(|number| {
            let call = format!(
                "<items xsi:type=\"am:RunnableCall\" runnable=\"r{}\"/>",
                number + 1
            );
            format!("<runnables name=\"r{number}\"><callGraph>{call}{call}</callGraph></runnables>")
        })
        .collect();
    let doubled = SMALL.replacen(
        "<runnables",
        &format!("{doubled}<runnables name=\"r90\"/><runnables"),
        1,
    );
    let doubled = |call: &str, last: &str| {
        let text = doubled.replacen(call, &call.replacen("kernel?type=Runnable", "r0", 1), 1);
        text.replacen(
            "name=\"r90\"/>",
            &format!("name=\"r90\"><callGraph>{last}</callGraph></runnables>"),
            1,
        )
    };
    let ticks =
        "<items xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueConstant\" value=\"1\"/></items>";
    let mut many_triggers = doubled(
        "runnable=\"kernel?type=Runnable\"",
        "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go\"/>",
    );
    let host = "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go?type=InterProcessStimulus\"/>";
    many_triggers = many_triggers.replacen(host, "<items xsi:type=\"am:RunnableCall\" runnable=\"r0\"/>", 1);
    let nested = |count: usize| {
        let (open, close) = (
            "<items xsi:type=\"am:Group\">".repeat(count),
            "</items>".repeat(count),
        );
        let call = "<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/>";
        SMALL.replacen(call, &format!("{open}{call}{close}"), 1)
    };
    assert_eq!(imported(&nested(50)).code, 0);
    let cases = [
        (
            "entity bomb",
            doctype(&format!("<!ENTITY l0 \"lol\">{lol}"), "&l9;"),
        ),
        (
            "external entity",
            doctype("<!ENTITY e SYSTEM \"file:///etc/hostname\">", "&e;"),
        ),
        (
            "external DTD",
            START.replacen("<am", "<!DOCTYPE a SYSTEM \"http://localhost/a.dtd\"><am", 1) + "</am:Amalthea>",
        ),
        ("undeclared entity", format!("{START}&l9;</am:Amalthea>")),
        (
            "many attributes",
            format!("{START}<a{attributes}/></am:Amalthea>"),
        ),
        ("many namespaces", format!("{START}{namespaces}</am:Amalthea>")),
        ("deep XML", format!("{START}{}", "<a>".repeat(1_000_000))),
        (
            "many elements",
            format!("{START}{}</am:Amalthea>", "<a/>".repeat(5_000_000)),
        ),
        ("deep groups", nested(200_000)),
        (
            "calls that multiply",
            doubled("runnable=\"kernel?type=Runnable\"", ticks),
        ),
        ("triggers that multiply", many_triggers),
        ("64 MiB", " ".repeat((1 << 26) + 1)),
        ("ZIP archive", "PK\u{3}\u{4}".to_owned()),
        ("empty", String::new()),
        ("text", "{\"tasks\":[]}".to_owned()),
    ];
    let mut told = Transcript::default();
    for (name, text) in cases {
        told.refusal(name, &imported(&text));
    }
    told.refusal(
        "not UTF-8",
        &run_with("import amalthea -", b"<a>\xff</a>".to_vec()),
    );
    assert_snapshot!(told);
}

/// Changes a few bytes, removes or repeats a part, changes a number, or cuts the file off.
fn mutate(text: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut changed = text.to_vec();
    let length = changed.len();
    let start = rng.random_range(0..length);
    let end = (start + rng.random_range(1..400)).min(length);
    match rng.random_range(0..6) {
        0 => changed.truncate(start),
        1 => {
            changed.drain(start..end);
        }
        2 => {
            let part = changed[start..end].to_vec();
            changed.splice(start..start, part);
        }
        3 => {
            let digits: Vec<usize> = (0..length).filter(|&at| changed[at].is_ascii_digit()).collect();
            let at = digits[rng.random_range(0..digits.len())];
            let texts: [&[u8]; 7] = [
                b"99999999999999999999",
                b"-",
                b"",
                b"1e300",
                b"9223372036854775807",
                b"0",
                b"0.5.5",
            ];
            changed.splice(at..=at, texts[rng.random_range(0..texts.len())].iter().copied());
        }
        4 => {
            // A line disappears, so that the XML often stays valid.
            let line = |at: &usize| changed[*at] == b'\n';
            let first = (0..start).rev().find(line).map_or(0, |at| at + 1);
            let last = (start..length).find(line).map_or(length, |at| at + 1);
            changed.drain(first..last);
        }
        _ => {
            for _ in 0..rng.random_range(1..5) {
                let at = rng.random_range(0..length);
                changed[at] = rng.random();
            }
        }
    }
    changed
}

#[test]
fn damaged_models_are_read_or_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(2019);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.amxmi");
    let (mut read, mut refused) = (0, 0);
    for original in [waters().as_bytes(), SMALL.as_bytes()] {
        for number in 0..400 {
            let text = mutate(original, &mut rng);
            std::fs::write(&path, &text).unwrap();
            match import(&path, None) {
                Ok(imported) => {
                    assert!(!imported.set.tasks().is_empty());
                    read += 1;
                }
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        matches!(error, gpusched::Error::Refused(_)),
                        "mutation {number}: {message}"
                    );
                    refused += 1;
                }
            }
            // The command has the same outcome.
            if number % 40 == 0 {
                let shown = answer(&mut gpusched(["import", "amalthea", path.to_str().unwrap()]));
                assert!(
                    [0, 2].contains(&shown.code),
                    "mutation {number}: {}",
                    shown.stderr
                );
            }
        }
    }
    assert!(read >= 50 && refused >= 200, "{read} read, {refused} refused");
}

/// A truncated file has no end of its root element.
#[test]
fn truncated_models_are_refused() {
    let text = waters();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truncated.amxmi");
    let end = text.trim_end().len();
    for length in (0..end).step_by(997).chain([end - 1]) {
        let cut = (0..=length).rev().find(|&at| text.is_char_boundary(at)).unwrap();
        std::fs::write(&path, &text[..cut]).unwrap();
        assert!(import(&path, None).is_err(), "{cut} bytes");
    }
}
