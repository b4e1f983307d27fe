//! WCET functions of the generated tasks: a form with parameters, or the functions of the tasks in a file.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::files::Files;
use gpusched_analysis::generation::{Kernels, WcetModel};
use gpusched_model::TaskSet;
use gpusched_model::error::Refusal;

/// WCET functions of the generated tasks: a form with the parameters of [Singh21], or the functions of the tasks in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WcetFunctions {
    /// Form of the WCET functions.
    Model(WcetModel),
    /// Functions of the tasks in a file.
    From(WcetFrom),
}

/// WCET functions of the tasks in a file. Each generated task copies the kind and the WCET table of a random task in this
/// file. One factor multiplies all times of the table, so that m·C(m)/T is the generated utilization. In this formula, m is
/// the smallest number of SMs in the table, C(m) is the isolated WCET on m SMs, and T is the period.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WcetFrom {
    /// Path of the file with the task set. The WCET function of each task in this file must be a table.
    from: String,
}

impl WcetFrom {
    /// Returns the path of the file, as the study states it.
    pub(crate) fn path(&self) -> &str {
        &self.from
    }
}

impl WcetFunctions {
    /// Returns the form of the WCET functions. If the functions are from a file, returns the default form, which has no
    /// effect.
    pub fn model(&self) -> WcetModel {
        match self {
            WcetFunctions::Model(model) => *model,
            WcetFunctions::From(_) => WcetModel::default(),
        }
    }

    /// Reads the file with the WCET functions. Returns `None` if the study states a form instead of a file.
    pub fn kernels(&self, files: &mut Files) -> Result<Option<Kernels>, Refusal> {
        let WcetFunctions::From(WcetFrom { from }) = self else {
            return Ok(None);
        };
        let set: TaskSet = files.read("wcet.from", from)?;
        let kernels = Kernels::new(&set).map_err(Refusal::in_file("wcet.from", from))?;
        Ok(Some(kernels))
    }
}

/// This implementation is handwritten, because an untagged enum reports every mistake as "did not match any variant".
impl<'de> Deserialize<'de> for WcetFunctions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WcetFunctions, D::Error> {
        struct FunctionsVisitor;
        impl<'de> Visitor<'de> for FunctionsVisitor {
            type Value = WcetFunctions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"amdahl\", \"proportional\", or a file such as { from = \"set.json\" }")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WcetFunctions, E> {
                WcetModel::deserialize(text.into_deserializer()).map(WcetFunctions::Model)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WcetFunctions, A::Error> {
                WcetFrom::deserialize(MapAccessDeserializer::new(map)).map(WcetFunctions::From)
            }
        }
        deserializer.deserialize_any(FunctionsVisitor)
    }
}
