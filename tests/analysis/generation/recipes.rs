//! Recipes in files, and their WCET functions.

use gpusched::generation::{Generator, Recipe, WcetModel};
use gpusched::model::Kind;
use gpusched::time::Time;

#[test]
fn all_fields_have_the_defaults_of_the_paper() {
    let recipe: Recipe = toml::from_str("").unwrap();
    assert_eq!(recipe, Recipe::default());
    assert_eq!(
        serde_json::to_string(&recipe).unwrap(),
        r#"{"generator":"uunifast-discard","periods":"singh21","wcet":"amdahl","memory-share":0.5,"deadline":0.75}"#
    );
}

#[test]
fn recipes_read_from_toml() {
    let text = "generator = 'randfixedsum'\ncap = 2\nperiods = 'log-uniform:10ms:1s'\nwcet = 'proportional'\nmemory-share = 1\ndeadline = 1.5\njitter = 0.1\nblocks = 680\nsaturation = 8";
    let recipe: Recipe = toml::from_str(text).unwrap();
    assert_eq!(recipe.generator, Generator::Randfixedsum);
    assert_eq!((recipe.cap, recipe.memory_share), (Some(2.0), 1.0));
    assert_eq!(recipe.periods.to_string(), "log-uniform:10ms:1s");
    assert_eq!(recipe.wcet, WcetModel::Proportional);
    assert_eq!(recipe.deadline.to_string(), "1.5");
    assert_eq!(
        recipe.jitter.map(|jitter| jitter.to_string()),
        Some("0.1".to_owned())
    );
    assert_eq!((recipe.blocks, recipe.saturation), (Some(680), Some(8)));
    assert_eq!(
        toml::from_str::<Recipe>(&toml::to_string(&recipe).unwrap()).unwrap(),
        recipe
    );
    for (bad, expected) in [
        ("compute-conflict = 'uniform:2:1'", "uniform:MIN:MAX"),
        ("generators = 1", "unknown field `generators`"),
        ("generator = 'drs'", "unknown variant `drs`"),
        ("periods = '10ms'", "invalid periods \"10ms\""),
        ("deadline = -1", "from 0 to 1000000"),
        ("jitter = -0.1", "from 0 to 1000000"),
        ("blocks = -1", "integer `-1`"),
        ("blocks = 2.5", "floating point `2.5`"),
        ("blocks = 4294967296", "integer `4294967296`"),
        ("wcet = 'affine'", "unknown variant `affine`"),
        ("memory_share = 0.5", "unknown field `memory_share`"),
    ] {
        let message = toml::from_str::<Recipe>(bad).unwrap_err().to_string();
        assert!(message.contains(expected), "{bad}: {message}");
    }
}

#[test]
fn wcet_parameters_are_those_of_the_paper() {
    let json =
        |model: WcetModel, kind| serde_json::to_string(&model.form(kind, Time::from_ns(1000))).unwrap();
    assert_eq!(
        json(WcetModel::Amdahl, Kind::Compute),
        r#"{"amdahl":{"work":1000,"serial":0.02,"conflict":1.2}}"#
    );
    assert_eq!(
        json(WcetModel::Proportional, Kind::Memory),
        r#"{"proportional":{"work":1000,"serial":0.1,"conflict":2.3}}"#
    );
}
