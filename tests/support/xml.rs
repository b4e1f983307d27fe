//! Checks that an XML document is well-formed. The check covers the XML features that gpusched
//! uses.

/// Checks that every element is closed in order, every attribute is quoted, every `&` starts an entity, and every character is
/// allowed.
pub fn check_xml(text: &str) {
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    for piece in text.split('&').skip(1) {
        assert!(
            ["lt;", "gt;", "amp;", "quot;", "apos;"]
                .iter()
                .any(|entity| piece.starts_with(entity))
        );
    }
    let mut open = Vec::new();
    let mut elements = 0;
    for piece in text.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').expect("every < has its >");
        assert!(!content.contains('>'));
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        elements += 1;
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let parts: Vec<&str> = attributes.split('"').collect();
        assert_eq!(parts.len() % 2, 1, "{tag}");
        assert!(
            parts
                .iter()
                .step_by(2)
                .all(|part| part.trim().is_empty() || part.ends_with('=')),
            "{tag}"
        );
        if !closed {
            open.push(name);
        }
    }
    assert!(open.is_empty());
    assert!(elements > 10);
}
