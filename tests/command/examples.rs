//! The help of every command ends with an example that works in a checkout.
#![cfg(unix)]

use crate::help::Help;
use crate::support::checkout::Checkout;

#[test]
fn every_example_of_the_help_works() {
    let checkout = Checkout::new();
    let helps = Help::all();
    assert!(helps.len() >= 30, "{}", helps.len());
    for help in helps
        .iter()
        .filter(|help| !help.has_subcommands || help.name == "gpusched")
    {
        let name = &help.name;
        assert!(
            !help.examples().is_empty(),
            "{name} --help has no example:\n{}",
            help.text
        );
        for example in help.examples() {
            assert!(example.contains(name.as_str()), "{name}: {example}");
            let shown = checkout.sh(&example);
            assert_eq!(shown.code, 0, "{example}\n{}", shown.text);
        }
    }
}
