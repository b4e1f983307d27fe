//! Damaged and hostile models are read or refused.

use gpusched::model::Interference;
use gpusched::model::end_to_end::{PartitionPolicy, System};
use gpusched::recording::amalthea::{Options, Times, system};
use insta::assert_snapshot;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{SMALL, imported, waters};
use crate::support::rounds;
use crate::support::transcript::Transcript;
use crate::support::{answer, gpusched, run_with};

fn options() -> Options {
    Options {
        sms: None,
        times: Times::Max,
        gpu_policy: PartitionPolicy::Fp,
        wait: None,
        moves: Vec::new(),
    }
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
        // As a system, the model has the same fate.
        let shown = run_with("import amalthea - --wait busy", text);
        assert_eq!(
            (shown.code, shown.stdout.as_str()),
            (2, ""),
            "{name}: {}",
            shown.stderr
        );
    }
    told.refusal(
        "not UTF-8",
        &run_with("import amalthea -", b"<a>\xff</a>".to_vec()),
    );
    assert_snapshot!(told);
}

/// gpusched counts the attributes of one element. Quotes in other parts of the file do not count.
#[test]
fn attributes_of_one_element_are_counted() {
    const LIMIT: usize = 64;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.amxmi");
    let is_refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let read = gpusched::recording::amalthea::system(&path, &options());
        read.is_err_and(|error| error.to_string().contains("attributes of one element"))
    };
    let list = |count: usize| -> String { (0..count).map(|number| format!(" a{number}='>'")).collect() };
    let (most, many) = (list(LIMIT), list(LIMIT + 1));
    assert!(is_refused(&format!("<?xml a='1' b='2' c='3'?><e{many}/>")));
    assert!(is_refused(&format!(
        "<a b='1'/><a{most}><d{many} f='it\"s'/></a>"
    )));
    for text in [
        format!("<e{most}/><e{most}/>"),
        format!("<?xml{many}?><e/>"),
        format!(
            "<!-- <a{many}> don't --><a>it's \"quoted\" {} </a>",
            "'text'".repeat(LIMIT + 1)
        ),
        format!("<a><![CDATA[<b{many}>]]></a>"),
    ] {
        assert!(!is_refused(&text), "{text}");
    }
    for broken in [
        "",
        "<",
        "<<<",
        "<a",
        "<a b='",
        "<a b='1",
        "<!--",
        "<![CDATA[",
        "<?",
        "'",
        ">",
    ] {
        assert!(!is_refused(broken), "{broken}");
    }
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
        for number in 0..rounds(400) {
            let text = mutate(original, &mut rng);
            std::fs::write(&path, &text).unwrap();
            match system(&path, &options()) {
                Ok(imported) => {
                    System::new(&imported.result, Interference::Conflict).unwrap();
                    read += 1;
                }
                Err(error) => {
                    assert!(matches!(error, gpusched::Error::Refused(_)), "{number}: {error}");
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
    assert!(
        read >= rounds(50) && refused >= rounds(200),
        "{read} read, {refused} refused"
    );
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
        assert!(system(&path, &options()).is_err(), "{cut} bytes");
    }
}
