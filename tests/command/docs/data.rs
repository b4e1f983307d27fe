//! Every JSON and TOML block is valid for its label.

use serde_json::Value;

use crate::docs::markdown::chosen_pages;
use crate::support::run;

/// Languages of blocks that the test does not read: library code, other programs, and drawings (no language).
const NOT_READ: [&str; 8] = ["rust", "python", "c", "cpp", "cmake", "r", "gnuplot", ""];

#[test]
fn data_is_accepted() {
    let (mut json, mut toml) = (0, 0);
    for page in chosen_pages() {
        for block in &page.blocks {
            let place = &block.place;
            match block.info.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["sh" | "console"] => {}
                // A command of the page reads the file.
                ["toml", "site"] if block.file.is_some() => {}
                // The study names a file that a command of the page writes.
                ["toml", "study"] if block.file.is_some() && block.text.contains("population = ") => {}
                ["json", schema] => {
                    let answer = run(&format!("schema {schema}"));
                    assert_eq!(answer.code, 0, "{place}: {}", answer.stderr);
                    let schema: Value = serde_json::from_str(&answer.stdout).unwrap();
                    let schema = crate::support::schema::validator_for(&schema);
                    let value: Value =
                        serde_json::from_str(&block.text).unwrap_or_else(|error| panic!("{place}: {error}"));
                    let errors: Vec<String> = schema.errors(&value);
                    assert!(errors.is_empty(), "{place}: {errors:?}");
                    json += 1;
                }
                ["toml", "study"] => {
                    gpusched::register_parts();
                    let spec = gpusched::study::Spec::parse(place, &block.text, Default::default());
                    spec.unwrap_or_else(|error| panic!("{error}"));
                    toml += 1;
                }
                ["toml", "claim"] => {
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct Claims {
                        claim: Vec<gpusched::study::Claim>,
                    }
                    let claims = toml::from_str::<Claims>(&block.text);
                    let claims = claims.unwrap_or_else(|error| panic!("{place}: {error}"));
                    assert!(!claims.claim.is_empty(), "{place}");
                    toml += 1;
                }
                ["toml", "figure"] => {
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct Figures {
                        figure: gpusched::study::Figures,
                    }
                    let figures = toml::from_str::<Figures>(&block.text);
                    let figures = figures.unwrap_or_else(|error| panic!("{place}: {error}"));
                    assert!(!figures.figure.as_slice().is_empty(), "{place}");
                    toml += 1;
                }
                language => assert!(
                    NOT_READ.contains(&language.join(" ").as_str()),
                    "{place}: found {language:?}, expected `json SCHEMA`, `toml study`, `toml claim`, `toml figure`, `sh`, `console` or \
                     one of {NOT_READ:?}"
                ),
            }
        }
    }
    assert!(
        json >= 5 && toml >= 3 || std::env::var_os("GPUSCHED_PAGE").is_some(),
        "{json} JSON blocks, {toml} TOML blocks"
    );
}
