//! Processing units, their types, and the GPU with its frequency and number of SMs.

use std::collections::BTreeMap;

use gpusched_model::Refusal;
use gpusched_model::time::decimal::{Rounding, nanoseconds};
use gpusched_model::wcet::MAX_SMS;

use super::model::{Model, Node, child, children, kind, name};
use super::quantity::Frequency;
use super::reference::{reference, references};

/// The GPU of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// Name of the processing unit.
    pub name: String,
    /// Number of SMs.
    pub sms: u32,
    /// Feature of the processing unit that states the number of SMs, such as `SMs/SM_2`. `None` if the caller stated
    /// the number.
    pub feature: Option<String>,
    /// Number of SMs in the file, if it differs from `sms`.
    pub other_sms: Option<u32>,
    /// Clock frequency.
    pub frequency: Frequency,
    /// Name of the definition, which selects the number of ticks.
    pub(super) definition: String,
}

/// Type of a processing unit.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnitType {
    /// A GPU.
    Gpu,
    /// Any other stated type, such as a CPU.
    Other,
    /// The file states no type.
    Unknown,
}

/// The hardware of a model.
pub struct Hardware<'a> {
    units: BTreeMap<&'a str, Node<'a>>,
    definitions: BTreeMap<&'a str, Node<'a>>,
    domains: BTreeMap<&'a str, Node<'a>>,
    categories: BTreeMap<&'a str, Node<'a>>,
}

impl<'a> Hardware<'a> {
    /// Reads the hardware of `model`.
    pub fn read(model: &Model<'a>) -> Result<Hardware<'a>, Refusal> {
        let parts = model.parts().filter(|part| part.tag_name().name() == "hwModel");
        let modules = parts.flat_map(|part| part.descendants());
        let units = modules.filter(|node| node.has_tag_name("modules") && kind(*node) == "ProcessingUnit");
        let of_kind = |tag, wanted: &'static str| {
            let nodes = model.elements("hwModel", tag);
            nodes.filter(move |node| kind(*node) == wanted)
        };
        Ok(Hardware {
            units: model.by_name(units)?,
            definitions: model.by_name(of_kind("definitions", "ProcessingUnitDefinition"))?,
            domains: model.by_name(of_kind("domains", "FrequencyDomain"))?,
            categories: model.by_name(model.elements("hwModel", "featureCategories"))?,
        })
    }

    /// Returns the names and elements of all processing units.
    pub fn units(&self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        self.units.iter().map(|(name, node)| (*name, *node))
    }

    /// Returns the type of the processing unit `unit`.
    pub fn unit_type(&self, unit: &str) -> UnitType {
        let definition = self
            .units
            .get(unit)
            .and_then(|unit| reference(*unit, "definition"));
        definition.map_or(UnitType::Unknown, |definition| self.definition_type(&definition))
    }

    /// Returns the type of the processing units with the definition `definition`.
    pub fn definition_type(&self, definition: &str) -> UnitType {
        let definition = self.definitions.get(definition);
        match definition.and_then(|definition| definition.attribute("puType")) {
            Some("GPU") => UnitType::Gpu,
            None | Some("_undefined_") => UnitType::Unknown,
            Some(_) => UnitType::Other,
        }
    }

    /// Returns the GPU `unit`. `sms` is the number of SMs. If `sms` is `None`, a feature in the file must state the
    /// number.
    pub fn gpu(&self, model: &Model<'a>, unit: &str, sms: Option<u32>) -> Result<Gpu, Refusal> {
        let node = self.units.get(unit).copied();
        let node = node.ok_or_else(|| missing(model, "processing unit", unit))?;
        let definition = reference(node, "definition").unwrap_or_default();
        let stated = self.stated_sms(model, &definition)?;
        let (number, feature, other_sms) = match (sms, stated) {
            (Some(sms), Some((stated, _))) => (sms, None, Some(stated).filter(|&stated| stated != sms)),
            (Some(sms), None) => (sms, None, None),
            (None, Some((stated, feature))) => (stated, Some(feature), None),
            (None, None) => {
                let found = format!("no number of SMs of the GPU {unit:?} in the file");
                let refusal = Refusal::new("sms", found, "the number of SMs");
                return Err(
                    refusal.hint("state the number of SMs of the GPU, such as 2 for the GPU of a Jetson TX2")
                );
            }
        };
        Ok(Gpu {
            name: unit.to_owned(),
            sms: number,
            feature,
            other_sms,
            frequency: self.frequency(model, unit)?,
            definition,
        })
    }

    /// Returns the name of the definition of the processing unit `unit`. The name is empty if the file states no
    /// definition.
    pub fn definition(&self, unit: &str) -> String {
        let unit = self.units.get(unit);
        unit.and_then(|unit| reference(*unit, "definition"))
            .unwrap_or_default()
    }

    /// Returns the clock frequency of the processing unit `unit`.
    pub fn frequency(&self, model: &Model<'a>, unit: &str) -> Result<Frequency, Refusal> {
        let node = self.units.get(unit).copied();
        let node = node.ok_or_else(|| missing(model, "processing unit", unit))?;
        let domain = reference(node, "frequencyDomain");
        let field = format!("processing unit {unit:?}.frequencyDomain");
        let domain = domain
            .ok_or_else(|| model.refuse(node, &field, "no frequency domain", "the frequency domain"))?;
        let domain = self.domains.get(domain.as_str()).copied();
        let domain = domain.ok_or_else(|| {
            model.refuse(
                node,
                &field,
                "an unknown frequency domain",
                "a frequency domain of the file",
            )
        })?;
        let frequency = child(domain, "defaultValue");
        let frequency = frequency.ok_or_else(|| {
            model.refuse(
                domain,
                "domains.defaultValue",
                "no frequency",
                "a frequency above 0 Hz",
            )
        })?;
        Frequency::read(model, frequency)
    }

    /// Returns the number of SMs that a feature of `definition` states, with the name of the feature.
    fn stated_sms(&self, model: &Model<'a>, definition: &str) -> Result<Option<(u32, String)>, Refusal> {
        let Some(&definition) = self.definitions.get(definition) else {
            return Ok(None);
        };
        let mut found: Option<(u32, String)> = None;
        for feature in references(definition, "features") {
            let category = feature.category.unwrap_or_default();
            if !is_sms(&category) && !is_sms(&feature.name) {
                continue;
            }
            let node = self.categories.get(category.as_str());
            let node =
                node.and_then(|node| children(*node, "features").find(|node| name(*node) == feature.name));
            let Some(node) = node else { continue };
            let value = node.attribute("value").unwrap_or("0");
            let whole = |rounding| nanoseconds(value.as_bytes(), 0, rounding);
            let number = whole(Rounding::Down).filter(|_| whole(Rounding::Down) == whole(Rounding::Up));
            let number = number.and_then(|number| u32::try_from(number).ok());
            let number = number.filter(|number| (1..=MAX_SMS).contains(number));
            let Some(number) = number else {
                let expected = format!("a whole number of SMs from 1 to {MAX_SMS}");
                return Err(model.refuse(node, "features.value", value, expected));
            };
            if let Some((earlier, _)) = found.as_ref().filter(|(earlier, _)| *earlier != number) {
                let expected = format!("{earlier} SMs as in another feature of the GPU");
                return Err(model.refuse(node, "features.value", value, expected));
            }
            found = Some((number, format!("{category}/{}", feature.name)));
        }
        Ok(found)
    }
}

/// Returns the refusal of a reference to `name`, which the file does not contain.
pub fn missing(model: &Model<'_>, what: &str, name: &str) -> Refusal {
    let refusal = model.refuse_all(
        format!("no {what} {name:?}"),
        "all elements of the model in one file",
    );
    refusal.hint(MERGE)
}

/// Hint for a file that contains only a part of a model.
pub const MERGE: &str = "merge the files of the model in APP4MC";

/// Returns whether `text` names a number of streaming multiprocessors.
fn is_sms(text: &str) -> bool {
    // The comparison includes the digits, because `sm_80` is an architecture.
    let plain = text.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = plain.map(|letter| letter.to_ascii_lowercase()).collect();
    let names = [
        "sm",
        "sms",
        "smcount",
        "numberofsms",
        "multiprocessors",
        "streamingmultiprocessors",
    ];
    names.contains(&plain.as_str())
}
