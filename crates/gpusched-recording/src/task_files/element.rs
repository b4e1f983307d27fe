//! Elements of XML files, and the tasks that they describe.

use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::Task;
use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};
use gpusched_model::wcet::{Form, Table, WcetFunction};

/// An element of the file at `path`.
#[derive(Copy, Clone)]
pub struct Element<'a> {
    path: &'a Path,
    node: roxmltree::Node<'a, 'a>,
}

impl<'a> Element<'a> {
    pub fn new(path: &'a Path, node: roxmltree::Node<'a, 'a>) -> Element<'a> {
        Element { path, node }
    }

    /// Returns the name of the element.
    pub fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Returns all elements inside this element that are called `tag`.
    pub fn inside(self, tag: &str) -> impl Iterator<Item = Element<'a>> + use<'a, '_> {
        let nodes = self
            .node
            .descendants()
            .skip(1)
            .filter(move |node| node.has_tag_name(tag));
        nodes.map(move |node| Element { node, ..self })
    }

    /// Returns the value of the attribute `name`.
    pub fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// Returns the attributes with their values.
    pub fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.node
            .attributes()
            .map(|attribute| (attribute.name(), attribute.value()))
    }

    /// Returns whether the attribute `name` is a number other than 0, or no number.
    pub fn counts(self, name: &str) -> bool {
        let value = self.attribute(name).unwrap_or("0");
        !value.trim().parse::<f64>().is_ok_and(|value| value == 0.0)
    }

    /// Returns the time in the attribute `name`, a number in units of 10^`unit` ns.
    pub fn time(self, name: &str, unit: u32, rounding: Rounding) -> Result<Time, Refusal> {
        let value = self.attribute(name);
        let time = value.and_then(|value| nanoseconds(value.trim().as_bytes(), unit, rounding));
        match time {
            Some(ns) if ns > 0 => Ok(Time::from_ns(ns)),
            _ => Err(self.refuse(name, value.unwrap_or("no attribute"), "a time above 0")),
        }
    }

    /// Returns the task whose attributes are called `wcet`, `period` and `deadline`. Without deadline, the deadline is
    /// the period.
    pub fn task(self, wcet: &str, unit: u32, sms: u32) -> Result<Task, Refusal> {
        let period = self.time("period", unit, Rounding::Down)?;
        let table = Table::Isolated {
            isolated: vec![(sms, self.time(wcet, unit, Rounding::Up)?)],
        };
        let function = WcetFunction::new(Form::Table(table)).map_err(|error| self.refuse_as(wcet, error))?;
        let mut shape = Task::new(period, function);
        if self.attribute("deadline").is_some() {
            let deadline = self.time("deadline", unit, Rounding::Down)?;
            shape.deadline = (deadline != period).then_some(deadline);
        }
        shape.build().map_err(|error| self.refuse_as("", error))
    }

    /// Returns the refusal of the attribute `name`.
    pub fn refuse(self, name: &str, found: impl ToString, expected: impl ToString) -> Refusal {
        Refusal::new(self.field(name), found, expected).at(self.path, self.line())
    }

    fn refuse_as(self, name: &str, error: impl std::fmt::Display) -> Refusal {
        Refusal::told(self.field(name), error).at(self.path, self.line())
    }

    fn field(self, name: &str) -> String {
        match name {
            "" => self.tag().to_owned(),
            name => format!("{}.{name}", self.tag()),
        }
    }

    fn line(self) -> usize {
        self.node.document().text_pos_at(self.node.range().start).row as usize
    }
}
