//! WCET functions C(m): worst-case execution time against the number of SMs, alone and in conflict.
//!
//! [Singh21] §3.3.2 and §3.6.1. All forms are non-increasing in m, and conflict never makes a kernel faster; both are
//! checked when a function is built, because the tests and heuristics rest on them. Values are rounded **up** to a
//! whole nanosecond from exact integer arithmetic.

mod affine;
mod error;
mod rounding;
mod scaling;
mod source;
mod table;

pub use affine::{Affine, AffinePair};
pub use error::WcetError;
pub use scaling::Scaling;
pub use source::WcetSource;
pub use table::Table;

use serde::{Deserialize, Serialize};

use crate::Factor;
use crate::time::Time;

/// The largest partition a WCET function is evaluated on [SMs].
pub const MAX_SMS: u32 = 1 << 16;

/// Whether a task shares its partition with a task of its own kind ([Singh21] §3.4.2).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Contention {
    /// No other task of the same kind: Cⁿ.
    Isolated,
    /// At least one other task of the same kind: Cᶜ.
    Conflict,
}

/// C(m) of one kernel, isolated (Cⁿ) and in conflict (Cᶜ).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "Form")]
pub struct WcetFunction(Form);

/// The shapes of a WCET function in files: a form, or a time that all numbers of SMs have in common.
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "what a schema is made of")]
pub(crate) enum Written {
    /// The same time on any number of SMs.
    Constant(Time),
    /// A function of the number of SMs.
    Form(Form),
}

/// The four forms, in the shape of the task-set file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Form {
    /// C(m) = k · (a/m + β·a), [Singh21] §3.6.1 as printed.
    Amdahl(Scaling),
    /// C(m) = k · a · (1 + β) / m, our second reading of [Singh21] §3.6.
    Proportional(Scaling),
    /// C(m) = a/m + b, [Singh21] §3.3.2.
    Affine(AffinePair),
    /// Measured points (m, C), evaluated at the largest measured m' ≤ m.
    Table(Table),
}

impl WcetFunction {
    /// Checks `form` and makes it a WCET function.
    ///
    /// # Errors
    /// [`WcetError`] where C(m) would be zero, too large, grow with m, or shrink under conflict.
    pub fn new(form: Form) -> Result<WcetFunction, WcetError> {
        match &form {
            Form::Amdahl(scaling) => scaling.check(Scaling::amdahl)?,
            Form::Proportional(scaling) => scaling.check(Scaling::proportional)?,
            Form::Affine(pair) => pair.check()?,
            Form::Table(table) => table.check()?,
        }
        Ok(WcetFunction(form))
    }

    /// C(m) = k · (a/m + β·a) ([Singh21] §3.6.1) with work a = `work` [ns], serial share β = `serial`, and k = `conflict` in conflict, 1
    /// in isolation.
    ///
    /// # Errors
    /// [`WcetError`] as for [`WcetFunction::new`].
    pub fn amdahl(work: Time, serial: Factor, conflict: Factor) -> Result<WcetFunction, WcetError> {
        WcetFunction::new(Form::Amdahl(Scaling {
            work,
            serial,
            conflict: Some(conflict),
        }))
    }

    /// C(m) = k · a · (1 + β) / m, the other interpretation of [Singh21] §3.6; parameters as for [`WcetFunction::amdahl`].
    ///
    /// # Errors
    /// [`WcetError`] as for [`WcetFunction::new`].
    pub fn proportional(work: Time, serial: Factor, conflict: Factor) -> Result<WcetFunction, WcetError> {
        WcetFunction::new(Form::Proportional(Scaling {
            work,
            serial,
            conflict: Some(conflict),
        }))
    }

    /// C(m) = `time` on any number of SMs, in isolation and in conflict: `"wcet": "2ms"` in files.
    ///
    /// # Errors
    /// [`WcetError`] as for [`WcetFunction::new`].
    pub fn constant(time: Time) -> Result<WcetFunction, WcetError> {
        let isolated = Affine {
            a: Time::ZERO,
            b: time,
        };
        WcetFunction::new(Form::Affine(AffinePair {
            isolated,
            conflict: None,
        }))
    }

    /// Whether Cᶜ is stated. If not, it is Cⁿ, which is optimistic where nobody measured it.
    pub fn states_conflict(&self) -> bool {
        match &self.0 {
            Form::Amdahl(scaling) | Form::Proportional(scaling) => scaling.conflict.is_some(),
            Form::Affine(pair) => pair.conflict.is_some(),
            Form::Table(table) => !matches!(table, Table::Isolated { .. }),
        }
    }

    /// The form and its parameters.
    pub fn form(&self) -> &Form {
        &self.0
    }

    /// C(m) [ns] on `sms` SMs, rounded up to a whole nanosecond.
    ///
    /// `None` where nothing is known: below the smallest measured point of a table, on 0 SMs, or above [`MAX_SMS`].
    pub fn at(&self, sms: u32, contention: Contention) -> Option<Time> {
        if sms == 0 || sms > MAX_SMS {
            return None;
        }
        match &self.0 {
            Form::Amdahl(scaling) => scaling.amdahl(sms, contention),
            Form::Proportional(scaling) => scaling.proportional(sms, contention),
            Form::Affine(pair) => pair.at(sms, contention),
            Form::Table(table) => table.at(sms, contention),
        }
    }

    /// The least occupation of the GPU, min over m of m · C(m) [SM·ns]: what Lemma 1 and the work-capacity test count.
    ///
    /// The parametric forms have it at m = 1, as Lemma 1 is printed; a table with a superlinear speed-up may not (erratum).
    pub fn least_work(&self, contention: Contention) -> u128 {
        match &self.0 {
            Form::Table(table) => {
                let work = |&(m, time): &(u32, Time)| u128::from(m) * u128::from(time.ns());
                let points = table.of(contention); // at least one
                points[1..].iter().map(work).fold(work(&points[0]), u128::min)
            }
            // Known, as the form was checked; if it were not, no test may take it for light.
            _ => self.at(1, contention).map_or(u128::MAX, |time| time.ns().into()),
        }
    }

    /// The smallest number of SMs with a known WCET.
    pub fn smallest_sms(&self, contention: Contention) -> u32 {
        match &self.0 {
            Form::Table(table) => table.of(contention).first().map_or(1, |&(m, _)| m),
            _ => 1,
        }
    }
}

impl From<WcetFunction> for Form {
    fn from(function: WcetFunction) -> Form {
        function.0
    }
}

impl TryFrom<Form> for WcetFunction {
    type Error = WcetError;

    fn try_from(form: Form) -> Result<WcetFunction, WcetError> {
        WcetFunction::new(form)
    }
}

/// By hand, because a derived enum answers a number with "expected value".
impl<'de> Deserialize<'de> for WcetFunction {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<WcetFunction, D::Error> {
        use serde::de::value::MapAccessDeserializer;
        use serde::de::{Error as _, IntoDeserializer as _, MapAccess, Visitor};

        struct FormVisitor;
        impl<'de> Visitor<'de> for FormVisitor {
            type Value = WcetFunction;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a WCET: a time such as \"2ms\", or an object with one of \"amdahl\", \"proportional\", \"affine\" and \"table\"")
            }

            fn visit_u64<E: serde::de::Error>(self, ns: u64) -> Result<WcetFunction, E> {
                constant(Time::deserialize(ns.into_deserializer())?)
            }

            fn visit_i64<E: serde::de::Error>(self, ns: i64) -> Result<WcetFunction, E> {
                constant(Time::deserialize(ns.into_deserializer())?)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WcetFunction, E> {
                constant(Time::deserialize(text.into_deserializer())?)
            }

            fn visit_map<A: MapAccess<'de>>(self, form: A) -> Result<WcetFunction, A::Error> {
                let form = Form::deserialize(MapAccessDeserializer::new(form))?;
                WcetFunction::new(form).map_err(A::Error::custom)
            }
        }

        fn constant<E: serde::de::Error>(time: Time) -> Result<WcetFunction, E> {
            WcetFunction::constant(time).map_err(E::custom)
        }
        deserializer.deserialize_any(FormVisitor)
    }
}

#[cfg(test)]
mod tests;
