//! The elements of a model file.

use std::collections::BTreeMap;
use std::path::Path;

use gpusched_model::Refusal;
use roxmltree::Document;

/// The namespace of every version of the format starts with this text.
const NAMESPACE: &str = "http://app4mc.eclipse.org/amalthea/";

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// An element of the file.
pub type Node<'a> = roxmltree::Node<'a, 'a>;

/// A parsed model.
pub struct Model<'a> {
    path: &'a Path,
    document: &'a Document<'a>,
}

impl<'a> Model<'a> {
    /// Checks the root of `document`, which was read from the file at `path`.
    pub fn new(path: &'a Path, document: &'a Document<'a>) -> Result<Model<'a>, Refusal> {
        let model = Model { path, document };
        let root = document.root_element();
        let namespace = root.tag_name().namespace().unwrap_or_default();
        if root.tag_name().name() != "Amalthea" || !namespace.starts_with(NAMESPACE) {
            let found = format!(
                "an element {:?} of the namespace {namespace:?}",
                root.tag_name().name()
            );
            let expected = format!("an element \"Amalthea\" of a namespace {NAMESPACE}…");
            return Err(model.refuse(root, "", found, expected));
        }
        Ok(model)
    }

    /// Returns the version of the format, such as `1.0.0`.
    pub fn version(&self) -> &'a str {
        let namespace = self.document.root_element().tag_name().namespace();
        let version = namespace.and_then(|namespace| namespace.strip_prefix(NAMESPACE));
        version.unwrap_or_default()
    }

    /// Returns the children with name `tag` of all parts with name `part`, such as the `tasks` of the `swModel`.
    pub fn elements(
        &self,
        part: &'static str,
        tag: &'static str,
    ) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let parts = children(self.document.root_element(), part);
        parts.flat_map(move |part| children(part, tag))
    }

    /// Returns the parts of the model, such as `swModel`.
    pub fn parts(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.document.root_element().children().filter(Node::is_element)
    }

    /// Returns `nodes` by name.
    ///
    /// Fails if two nodes have the same name, because references to this name are ambiguous.
    pub fn by_name(
        &self,
        nodes: impl Iterator<Item = Node<'a>>,
    ) -> Result<BTreeMap<&'a str, Node<'a>>, Refusal> {
        let mut named = BTreeMap::new();
        for node in nodes {
            if named.insert(name(node), node).is_some() {
                let field = node.tag_name().name();
                let found = format!("the name {:?} twice", name(node));
                return Err(self.refuse(node, field, found, "one element per name"));
            }
        }
        Ok(named)
    }

    /// Returns the refusal of `node` or of its part `field`.
    pub fn refuse(
        &self,
        node: Node<'_>,
        field: impl Into<String>,
        found: impl ToString,
        expected: impl ToString,
    ) -> Refusal {
        let line = self.document.text_pos_at(node.range().start).row as usize;
        Refusal::new(field, found, expected).at(self.path, line)
    }

    /// Returns the refusal of the whole file.
    pub fn refuse_all(&self, found: impl ToString, expected: impl ToString) -> Refusal {
        Refusal::new("", found, expected).at(self.path, None)
    }
}

/// Returns the child elements of `node` with the name `tag`.
pub fn children<'a>(node: Node<'a>, tag: &'static str) -> impl Iterator<Item = Node<'a>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == tag)
}

/// Returns the first child element of `node` with the name `tag`.
pub fn child<'a>(node: Node<'a>, tag: &'static str) -> Option<Node<'a>> {
    children(node, tag).next()
}

/// Returns the type of `node` without its namespace, such as `RunnableCall`. The result is empty if the file states no
/// type.
pub fn kind<'a>(node: Node<'a>) -> &'a str {
    let kind = node.attribute((XSI, "type")).unwrap_or_default();
    kind.rsplit(':').next().unwrap_or_default()
}

/// Returns the name of `node`.
pub fn name<'a>(node: Node<'a>) -> &'a str {
    // APP4MC uses this text to refer to an element without a name.
    node.attribute("name").unwrap_or("no-name")
}

/// Returns the task or runnable that contains `node`.
pub fn owner(node: Node<'_>) -> String {
    let owner = node
        .ancestors()
        .find(|node| ["tasks", "isrs", "runnables"].contains(&node.tag_name().name()));
    owner.map_or_else(String::new, |owner| {
        format!("{} {:?}", owner.tag_name().name(), name(owner))
    })
}
