//! Promise: the tasks in a model of APP4MC become an end-to-end system. No WCET is rounded down. gpusched states the parts that it
//! ignores, decides contradictions safely, and refuses damaged and hostile files.

mod flows;
mod hostile;
mod quantities;
mod requirements;
mod systems;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::{Transcript, variants};
use crate::support::{Answer, root, run, run_with};

const WATERS: &str = "tasksets/amalthea/waters-challenge-2019.amxmi";

fn waters() -> String {
    std::fs::read_to_string(root().join(WATERS)).unwrap()
}

/// Imports the model in `text` from standard input.
fn imported(text: &str) -> Answer {
    run_with("import amalthea -", text)
}

/// Name, period, deadline, jitter, and the WCET of all segments on the GPU.
type Found = (String, u64, Option<u64>, Option<u64>, u64);

/// Returns the tasks of the system in `answer` that use the GPU.
fn tasks(answer: &Answer) -> Vec<Found> {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter().map(|task| {
        let on_gpu = task["segments"].as_array().unwrap().iter();
        let on_gpu = on_gpu.filter_map(|segment| segment["wcet"]["table"]["isolated"][0][1].as_u64());
        (
            task["name"].as_str().unwrap().to_owned(),
            task["period"].as_u64().unwrap(),
            task["deadline"].as_u64(),
            task["jitter"].as_u64(),
            on_gpu.sum(),
        )
    });
    let mut tasks: Vec<Found> = tasks.collect();
    tasks.sort();
    tasks
}

#[test]
fn the_number_of_sms_is_from_the_option_or_the_file() {
    let sms = |text: &str, options: &str| {
        let answer = run_with(&format!("import amalthea - --quiet {options}"), text);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
        let sms = &set["partitions"][0]["sms"];
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
        .map(|task| (task.0, task.1, Some(task.1), task.3, task.4))
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
    let usual = || task("host", 10_000, Some(9_000), None, 1_001);
    let cases = [
        ("0.9.6 →0.9.6", vec![usual()]),
        ("0.9.6 →1.2.0", vec![usual()]),
        ("value=\"10\" unit=\"us\" → value=\"10000\" unit=\"ns\"", vec![usual()]),
        ("value=\"10\" unit=\"us\" →value=\"10000999\" unit=\"ps\"", vec![usual()]),
        ("unit=\"GHz\" →unit=\"MHz\"", vec![task("host", 10_000, Some(9_000), None, 1_001_000)]),
        ("\"1.0\" unit=\"GHz\" →\"3.0E9\" unit=\"Hz\"", vec![task("host", 10_000, Some(9_000), None, 334)]),
        ("DiscreteValueConstant\" value=\"1001\" →DiscreteValueStatistics\" lowerBound=\"1\" upperBound=\"1001\" average=\"5.5\"", vec![usual()]),
        ("DiscreteValueConstant\" value=\"1001\"/> →DiscreteValueHistogram\"><entries lowerBound=\"1\" upperBound=\"1001\"/><entries lowerBound=\"1\" upperBound=\"7\"/></default>", vec![usual()]),
        ("DiscreteValueConstant\" value=\"1001\"/> →DiscreteValueConstant\" value=\"9\"/><extended key=\"g?type=ProcessingUnitDefinition\"><value xsi:type=\"am:DiscreteValueConstant\" value=\"1001\"/></extended>", vec![usual()]),
        ("<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/> →<items xsi:type=\"am:Group\"><items xsi:type=\"am:ModeSwitch\"><entries><items xsi:type=\"am:RunnableCall\" runnable=\"offload\"/></entries><defaultEntry><items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/></defaultEntry></items></items>", vec![usual()]),
        ("<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/> →<items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/><items xsi:type=\"am:RunnableCall\" runnable=\"kernel\"/>", vec![task("host", 10_000, Some(9_000), None, 2_002)]),
        ("name=\"timer\"> →name=\"timer\"><offset value=\"3\" unit=\"us\"/><jitter xsi:type=\"am:TimeBoundaries\"><lowerBound value=\"-1\" unit=\"us\"/><upperBound value=\"2\" unit=\"us\"/></jitter>", vec![task("host", 10_000, Some(9_000), Some(3_000), 1_001)]),
        ("am:PeriodicStimulus\" name=\"timer\"><recurrence value=\"10\" unit=\"us\"/> →am:RelativePeriodicStimulus\" name=\"timer\"><nextOccurrence xsi:type=\"am:TimeConstant\"><value value=\"10\" unit=\"us\"/></nextOccurrence>", vec![usual()]),
        ("<mappingModel> →<mappingModel><runnableAllocation scheduler=\"part\" entity=\"offload\"/>", vec![usual()]),
        ("<runnables name=\"kernel\"> →<runnables name=\"unused\"/><runnables name=\"kernel\">", vec![usual()]),
        ("metric=\"ResponseTime\" →metric=\"StartDelay\"", vec![task("host", 10_000, Some(10_000), None, 1_001)]),
        // References in the form of links.
        ("runnable=\"kernel?type=Runnable\"/> →><runnable xsi:type=\"am:Runnable\" href=\"amlt:/#kernel?type=Runnable\"/></items>", vec![usual()]),
    ];
    for (change, expected) in cases {
        assert_eq!(tasks(&imported(&changed(change))), expected, "{change}");
    }
}

/// References to names are encoded. A percent sign without two digits stays.
#[test]
fn names_in_references_are_decoded() {
    for (name, reference) in [
        ("a b+c/d#?", "a+b%2Bc%2Fd%23%3F?type=Task"),
        ("\u{e4}%zz%1", "%C3%A4%zz%1"),
        ("SFM", "amlt:/#SFM?type=Task"),
    ] {
        let text = SMALL.replace("name=\"host\"", &format!("name=\"{name}\""));
        let text = text.replace("\"host?type=Task\"", &format!("\"{reference}\""));
        assert_eq!(tasks(&imported(&text))[0].0, name, "{reference}");
    }
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
