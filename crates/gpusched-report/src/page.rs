//! The frame of all pages, and the templates. The templates escape every text that does not come from this crate.

use data_encoding::BASE64;
use gpusched_model::error::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value, context};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

const TEMPLATES: [(&str, &str); 11] = [
    ("page.html", include_str!("../templates/page.html")),
    ("parts.html", include_str!("../templates/parts.html")),
    ("columns.html", include_str!("../templates/columns.html")),
    ("facts.html", include_str!("../templates/facts.html")),
    ("assumptions.html", include_str!("../templates/assumptions.html")),
    ("kernel.html", include_str!("../templates/kernel.html")),
    ("plan.html", include_str!("../templates/plan.html")),
    ("study.html", include_str!("../templates/study.html")),
    ("system.html", include_str!("../templates/system.html")),
    ("recording.html", include_str!("../templates/recording.html")),
    ("verdict.html", include_str!("../templates/verdict.html")),
];
const STYLE: &str = include_str!("../templates/page.css");
const SCRIPT: &str = include_str!("../templates/page.js");

/// Renders `content` with the template called `name`. `title` is the title of the document.
///
/// # Errors
/// Fails with [`Error::Internal`] if the template does not match the content.
pub fn render(name: &str, title: &str, content: impl Serialize) -> Result<String> {
    let internal = |error: minijinja::Error| Error::Internal(format!("template {name}: {error:#}"));
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    environment.set_syntax(syntax.map_err(internal)?);
    environment.add_filter("code", code);
    environment.add_filter("plain", plain);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).map_err(internal)?;
    }
    let shell = context! {
        title => title,
        policy => security_policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        version => env!("CARGO_PKG_VERSION"),
    };
    let template = environment.get_template(name).map_err(internal)?;
    template
        .render(context! { shell, page => Value::from(Serde(content)) })
        .map_err(internal)
}

/// The filter `code`. It marks the parts of `text` between backticks as code, and escapes all parts.
fn code(text: &str) -> Value {
    let parts = text.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => HtmlEscape(part).to_string(),
        _ => format!("<code>{}</code>", HtmlEscape(part)),
    });
    Value::from_safe_string(parts.collect())
}

/// The filter `plain`. It keeps the characters of `text` that have no meaning in a string of a style sheet, at most 90.
fn plain(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|one| one.is_alphanumeric() || " .,:_-".contains(*one));
    kept.take(90).collect()
}

/// Returns the content security policy. The policy allows no network access, and no script other than the script of the page.
fn security_policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}
