//! WCET functions C(m): the worst-case execution time by number of SMs m, in isolation and in conflict.
//!
//! The source is [Singh21] §3.3.2 and §3.6.1. Every WCET function is non-increasing in m, and no
//! WCET in conflict is below the isolated WCET. The constructors check these two properties,
//! because the tests and heuristics assume them. gpusched computes the values in exact integer
//! arithmetic and rounds them **up** to whole nanoseconds.

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

/// Maximum number of SMs in a WCET function.
pub const MAX_SMS: u32 = 1 << 16;

/// Contention of a task: a task is in conflict if its partition contains another task of the same
/// kind ([Singh21] §3.4.2).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Contention {
    /// The partition contains no other task of the same kind. The WCET is Cⁿ.
    Isolated,
    /// The partition contains at least one other task of the same kind. The WCET is Cᶜ.
    Conflict,
}

/// WCET function C(m) of one kernel, in isolation (Cⁿ) and in conflict (Cᶜ).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "Form")]
pub struct WcetFunction(Form);

/// A WCET function in a file: one time that applies to every number of SMs, or one of four forms.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
#[allow(dead_code, reason = "what a schema is made of")]
pub(crate) enum Written {
    /// One time, which is the same for every number of SMs.
    Constant(Time),
    /// A function of the number of SMs.
    Form(Form),
}

/// WCET function in one of four forms.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Form {
    /// C(m) = k · (a/m + β·a) with work a, serial share β and conflict factor k, as printed in
    /// [Singh21] §3.6.1.
    Amdahl(Scaling),
    /// C(m) = k · a · (1 + β) / m with work a, serial share β and conflict factor k. This form is
    /// a second interpretation of [Singh21] §3.6.
    Proportional(Scaling),
    /// C(m) = a/m + b with parameters a and b ([Singh21] §3.3.2).
    Affine(AffinePair),
    /// Measured points (m, C). The WCET on m SMs is the C of the point with the largest m' ≤ m.
    Table(Table),
}

impl WcetFunction {
    /// Checks `form` and creates the WCET function.
    ///
    /// # Errors
    /// Fails with [`WcetError`] if C(m) is zero or too large, increases with m, or is shorter in conflict than in
    /// isolation.
    pub fn new(form: Form) -> Result<WcetFunction, WcetError> {
        match &form {
            Form::Amdahl(scaling) => scaling.check(Scaling::amdahl)?,
            Form::Proportional(scaling) => scaling.check(Scaling::proportional)?,
            Form::Affine(pair) => pair.check()?,
            Form::Table(table) => table.check()?,
        }
        Ok(WcetFunction(form))
    }

    /// Creates the WCET function C(m) = k · (a/m + β·a) of [Singh21] §3.6.1. The work a is `work` [ns], and the serial
    /// share β is `serial`. The factor k equals `conflict` in conflict and 1 in isolation.
    ///
    /// # Errors
    /// Fails in the same cases as [`WcetFunction::new`].
    pub fn amdahl(work: Time, serial: Factor, conflict: Factor) -> Result<WcetFunction, WcetError> {
        WcetFunction::new(Form::Amdahl(Scaling {
            work,
            serial,
            conflict: Some(conflict),
        }))
    }

    /// Creates the WCET function C(m) = k · a · (1 + β) / m, the second interpretation of [Singh21] §3.6. The
    /// parameters are the same as for [`WcetFunction::amdahl`].
    ///
    /// # Errors
    /// Fails in the same cases as [`WcetFunction::new`].
    pub fn proportional(work: Time, serial: Factor, conflict: Factor) -> Result<WcetFunction, WcetError> {
        WcetFunction::new(Form::Proportional(Scaling {
            work,
            serial,
            conflict: Some(conflict),
        }))
    }

    /// Creates the WCET function C(m) = `time` for every m, in isolation and in conflict. A file contains such a
    /// function as `"wcet": "2ms"`.
    ///
    /// # Errors
    /// Fails in the same cases as [`WcetFunction::new`].
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

    /// Returns whether the form states the WCET in conflict Cᶜ. If the form does not state Cᶜ, gpusched uses the
    /// isolated WCET Cⁿ for Cᶜ. This choice is unsafe unless a measurement confirms it.
    pub fn states_conflict(&self) -> bool {
        match &self.0 {
            Form::Amdahl(scaling) | Form::Proportional(scaling) => scaling.conflict.is_some(),
            Form::Affine(pair) => pair.conflict.is_some(),
            Form::Table(table) => !matches!(table, Table::Isolated { .. }),
        }
    }

    /// Returns the form of the WCET function, with its parameters.
    pub fn form(&self) -> &Form {
        &self.0
    }

    /// Returns C(m) [ns] on `sms` SMs, rounded up to a whole nanosecond.
    ///
    /// Returns `None` if C(m) is unknown because m is 0, below the smallest measured point of a table, or above
    /// [`MAX_SMS`].
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

    /// Returns the minimum work: the minimum of m · C(m) over all m [SM·ns]. Lemma 1 and the work-capacity test use
    /// this value.
    ///
    /// In the parametric forms, the minimum is at m = 1, as in the printed Lemma 1. In a table
    /// with a superlinear speed-up, the minimum may be at a larger m (see `docs/errata.md`).
    pub fn least_work(&self, contention: Contention) -> u128 {
        match &self.0 {
            Form::Table(table) => {
                let work = |&(m, time): &(u32, Time)| u128::from(m) * u128::from(time.ns());
                let points = table.of(contention); // never empty
                points[1..].iter().map(work).fold(work(&points[0]), u128::min)
            }
            // The checks of the form ensure that C(1) is known. If C(1) were unknown, the maximum value would be safe
            // for every test.
            _ => self.at(1, contention).map_or(u128::MAX, |time| time.ns().into()),
        }
    }

    /// Returns the smallest number of SMs for which the WCET is known.
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

/// This implementation is handwritten, because a derived enum reports a wrong number only as "expected value".
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
