//! References between elements: `NAME?type=TYPE`, with names in the encoding of URLs.

use super::model::{Node, children};

/// A reference to an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Name of the element.
    pub name: String,
    /// Name of the category of the element, for features of processing units.
    pub category: Option<String>,
}

/// Returns the references of `node` in its attribute `tag`, or in child elements `tag` with a link to another file.
pub fn references(node: Node<'_>, tag: &'static str) -> Vec<Reference> {
    let attribute = node.attribute(tag).unwrap_or_default();
    let links = children(node, tag).filter_map(|child| child.attribute("href"));
    let within = attribute.split_ascii_whitespace();
    within.chain(links).map(Reference::parse).collect()
}

/// Returns the name of the first element to which the attribute `tag` of `node` refers.
pub fn reference(node: Node<'_>, tag: &'static str) -> Option<String> {
    let first = references(node, tag).into_iter().next();
    first.map(|reference| reference.name)
}

impl Reference {
    /// Parses `NAME?type=TYPE`, `CATEGORY/NAME?type=TYPE` or `amlt:/#NAME?type=TYPE`.
    fn parse(text: &str) -> Reference {
        let (_, path) = text.rsplit_once('#').unwrap_or(("", text));
        let (path, _) = path.rsplit_once("?type=").unwrap_or((path, ""));
        match path.rsplit_once('/') {
            Some((category, name)) => Reference {
                name: decode(name),
                category: Some(decode(category)),
            },
            None => Reference {
                name: decode(path),
                category: None,
            },
        }
    }
}

/// Decodes `%XX` and `+`.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after.first_chunk().filter(|_| first == b'%');
        let escaped = escaped.and_then(|digits: &[u8; 2]| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        rest = match escaped {
            Some(_) => &after[2..],
            None => after,
        };
        bytes.push(escaped.unwrap_or(if first == b'+' { b' ' } else { first }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
