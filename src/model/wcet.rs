//! WCET functions C(m): worst-case execution time against the number of SMs, alone and in conflict.
//!
//! [Singh21] §3.3.2 and §3.6.1. All forms are non-increasing in m, and conflict never makes a kernel faster; both are
//! checked when a function is built, because the tests and heuristics rest on them. Values are rounded **up** to a
//! whole nanosecond from exact integer arithmetic.

use serde::{Deserialize, Serialize};

use super::factor::Factor;
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

/// Parameters of the two scaling forms.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"work\", \"serial\" and \"conflict\""
)]
pub struct Scaling {
    /// a: the work that is spread over the SMs [ns].
    #[serde(deserialize_with = "super::positive_time")]
    pub work: Time,
    /// β: the share of the work that does not profit from parallelism.
    pub serial: Factor,
    /// k in conflict, at least 1.
    pub conflict: Factor,
}

/// a/m + b for a task alone and, where it differs, in conflict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"isolated\" and, if it differs, \"conflict\""
)]
pub struct AffinePair {
    /// Cⁿ.
    pub isolated: Affine,
    /// Cᶜ; the same as `isolated` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Affine>,
}

/// a/m + b.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object with \"a\" and \"b\" for a/m + b")]
pub struct Affine {
    /// The part that scales with the SMs [ns].
    pub a: Time,
    /// The part that does not [ns].
    pub b: Time,
}

/// Measured points (m [SMs], C [ns]): strictly increasing in m, non-increasing in C.
type Points = Vec<(u32, Time)>;

/// Measured points, one list for both states or one each.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Table {
    /// The same points alone and in conflict.
    Both(Points),
    /// Own points for each state.
    Each {
        /// Cⁿ.
        isolated: Points,
        /// Cᶜ.
        conflict: Points,
    },
}

/// Why a form is no WCET function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WcetError {
    /// A time above [`Time::LIMIT`], or parameters whose product cannot be evaluated exactly.
    #[error("WCET too large: found {found}, expected below 2^63 ns on every number of SMs")]
    TooLarge {
        /// The offending value or parameter.
        found: String,
    },
    /// A function that is zero somewhere.
    #[error("WCET of zero: found {found}, expected at least 1 ns on every number of SMs")]
    Zero {
        /// The offending value or parameter.
        found: String,
    },
    /// A list without points.
    #[error("{list}: found no points, expected at least one [sms, time]")]
    Empty {
        /// Which list.
        list: &'static str,
    },
    /// m is zero, too large or not increasing.
    #[error(
        "{list}[{index}]: found {sms} SMs, expected strictly increasing numbers of SMs from 1 to {MAX_SMS}"
    )]
    Sms {
        /// Which list.
        list: &'static str,
        /// The position in the list, from 0.
        index: usize,
        /// The number found.
        sms: u32,
    },
    /// C grows with m.
    #[error(
        "{list}[{index}]: found {time} after {before}, expected a WCET that does not grow with the number of SMs (use the monotone envelope of the measurements)"
    )]
    NotMonotone {
        /// Which list.
        list: &'static str,
        /// The position in the list, from 0.
        index: usize,
        /// The time found.
        time: Time,
        /// The time before it.
        before: Time,
    },
    /// Conflict makes the kernel faster.
    #[error(
        "conflict: found a WCET below the isolated one on {sms} SMs, expected at least the isolated WCET (use the larger of the two)"
    )]
    ConflictFaster {
        /// A number of SMs where it happens.
        sms: u32,
    },
    /// k < 1.
    #[error("conflict: found factor {found}, expected at least 1")]
    ConflictFactor {
        /// The factor found.
        found: Factor,
    },
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
            Form::Affine(pair) => check_affine(pair)?,
            Form::Table(table) => table.check()?,
        }
        Ok(WcetFunction(form))
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
            Form::Affine(pair) => pair.of(contention).at(sms),
            Form::Table(table) => {
                let points = table.of(contention);
                let measured = points.partition_point(|&(m, _)| m <= sms);
                Some(points[measured.checked_sub(1)?].1)
            }
        }
    }

    /// The least occupation of the GPU, min over m of m · C(m) [SM·ns]: what Lemma 1 and the work-capacity test count.
    ///
    /// The parametric forms have it at m = 1, as Lemma 1 is printed; a table with a superlinear speed-up may not (erratum).
    pub fn least_work(&self, contention: Contention) -> u128 {
        let on = |m: u32| {
            self.at(m, contention)
                .map(|time| u128::from(m) * u128::from(time.ns()))
        };
        match &self.0 {
            Form::Table(table) => table
                .of(contention)
                .iter()
                .filter_map(|&(m, _)| on(m))
                .min()
                .unwrap_or(0),
            _ => on(1).unwrap_or(0),
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
        use serde::de::{Error as _, MapAccess, Visitor};

        struct FormVisitor;
        impl<'de> Visitor<'de> for FormVisitor {
            type Value = Form;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a WCET function: an object with one of \"amdahl\", \"proportional\", \"affine\" and \"table\"")
            }

            fn visit_map<A: MapAccess<'de>>(self, form: A) -> Result<Form, A::Error> {
                Form::deserialize(MapAccessDeserializer::new(form))
            }
        }
        let form = deserializer.deserialize_any(FormVisitor)?;
        WcetFunction::new(form).map_err(D::Error::custom)
    }
}

/// ⌈numerator / denominator⌉ as a time, or `None` above [`Time::LIMIT`].
fn ceil_div(numerator: u128, denominator: u128) -> Option<Time> {
    let ns = match (u64::try_from(numerator), u64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => numerator.div_ceil(denominator),
        _ => u64::try_from(numerator.div_ceil(denominator)).ok()?,
    };
    (ns <= Time::LIMIT.ns()).then_some(Time::from_ns(ns))
}

impl Scaling {
    fn factor(&self, contention: Contention) -> (u64, u64) {
        match contention {
            Contention::Isolated => (1, 1),
            Contention::Conflict => self.conflict.ratio(),
        }
    }

    /// k·(a/m + β·a) = k·a·(β_d + m·β_n) / (m·β_d), with β = β_n/β_d.
    fn amdahl(&self, sms: u32, contention: Contention) -> Option<Time> {
        let m = u128::from(sms);
        let (k, k_divisor) = self.factor(contention);
        let (beta, beta_divisor) = self.serial.ratio();
        let spread = u128::from(beta_divisor) + m * u128::from(beta);
        let numerator = u128::from(self.work.ns())
            .checked_mul(k.into())?
            .checked_mul(spread)?;
        ceil_div(numerator, m * u128::from(beta_divisor) * u128::from(k_divisor))
    }

    /// k·a·(1+β)/m = k·a·(β_d + β_n) / (m·β_d).
    fn proportional(&self, sms: u32, contention: Contention) -> Option<Time> {
        let (k, k_divisor) = self.factor(contention);
        let (beta, beta_divisor) = self.serial.ratio();
        let numerator = u128::from(self.work.ns())
            .checked_mul(k.into())?
            .checked_mul(u128::from(beta_divisor) + u128::from(beta))?;
        ceil_div(
            numerator,
            u128::from(sms) * u128::from(beta_divisor) * u128::from(k_divisor),
        )
    }

    /// C is largest at m = 1, the intermediate product at m = [`MAX_SMS`]: both ends defined means defined throughout.
    fn check(&self, at: impl Fn(&Scaling, u32, Contention) -> Option<Time>) -> Result<(), WcetError> {
        if self.work == Time::ZERO {
            return Err(WcetError::Zero {
                found: "work of 0 ns".to_owned(),
            });
        }
        if self.conflict < Factor::ONE {
            return Err(WcetError::ConflictFactor { found: self.conflict });
        }
        for sms in [1, MAX_SMS] {
            for contention in [Contention::Isolated, Contention::Conflict] {
                if at(self, sms, contention).is_none() {
                    return Err(WcetError::TooLarge {
                        found: format!(
                            "work {}, serial {}, conflict {}",
                            self.work, self.serial, self.conflict
                        ),
                    });
                }
            }
        }
        Ok(())
    }
}

impl AffinePair {
    fn of(&self, contention: Contention) -> &Affine {
        match (contention, &self.conflict) {
            (Contention::Conflict, Some(conflict)) => conflict,
            _ => &self.isolated,
        }
    }
}

impl Affine {
    fn at(&self, sms: u32) -> Option<Time> {
        let scaled = ceil_div(self.a.ns().into(), sms.into())?;
        scaled.checked_add(self.b).filter(|&time| time <= Time::LIMIT)
    }
}

fn check_affine(pair: &AffinePair) -> Result<(), WcetError> {
    let (isolated, conflict) = (pair.isolated, *pair.of(Contention::Conflict));
    for affine in [isolated, conflict] {
        let found = || format!("a = {}, b = {}", affine.a, affine.b);
        if affine.at(1).is_none() {
            return Err(WcetError::TooLarge { found: found() });
        }
        if affine.at(1) == Some(Time::ZERO) {
            return Err(WcetError::Zero { found: found() });
        }
    }
    // The difference of the two is linear in 1/m: it is nowhere negative if it is not at either end.
    for sms in [1, MAX_SMS] {
        let scaled = |affine: Affine| u128::from(affine.a.ns()) + u128::from(affine.b.ns()) * u128::from(sms);
        if scaled(conflict) < scaled(isolated) {
            return Err(WcetError::ConflictFaster { sms });
        }
    }
    Ok(())
}

impl Table {
    fn of(&self, contention: Contention) -> &[(u32, Time)] {
        match (self, contention) {
            (Table::Both(points), _) => points,
            (Table::Each { isolated, .. }, Contention::Isolated) => isolated,
            (Table::Each { conflict, .. }, Contention::Conflict) => conflict,
        }
    }

    fn check(&self) -> Result<(), WcetError> {
        match self {
            Table::Both(points) => check_points("table", points),
            Table::Each { isolated, conflict } => {
                check_points("table.isolated", isolated)?;
                check_points("table.conflict", conflict)?;
                // Both are step functions: it is enough to compare where either steps.
                let value = |points: &[(u32, Time)], sms| {
                    let measured = points.partition_point(|&(m, _)| m <= sms);
                    measured.checked_sub(1).map(|last| points[last].1)
                };
                for &(sms, _) in isolated.iter().chain(conflict) {
                    if let (Some(alone), Some(contended)) = (value(isolated, sms), value(conflict, sms))
                        && contended < alone
                    {
                        return Err(WcetError::ConflictFaster { sms });
                    }
                }
                Ok(())
            }
        }
    }
}

fn check_points(list: &'static str, points: &[(u32, Time)]) -> Result<(), WcetError> {
    if points.is_empty() {
        return Err(WcetError::Empty { list });
    }
    let mut last: Option<(u32, Time)> = None;
    for (index, &(sms, time)) in points.iter().enumerate() {
        if sms == 0 || sms > MAX_SMS || last.is_some_and(|(before, _)| sms <= before) {
            return Err(WcetError::Sms { list, index, sms });
        }
        if time == Time::ZERO {
            return Err(WcetError::Zero {
                found: format!("0 ns at {list}[{index}]"),
            });
        }
        if time > Time::LIMIT {
            return Err(WcetError::TooLarge {
                found: format!("{time} at {list}[{index}]"),
            });
        }
        if let Some((_, before)) = last
            && time > before
        {
            return Err(WcetError::NotMonotone {
                list,
                index,
                time,
                before,
            });
        }
        last = Some((sms, time));
    }
    Ok(())
}

/// By hand rather than `untagged`, which would answer every mistake with "did not match any variant".
impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
        use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
        use serde::de::{MapAccess, SeqAccess, Visitor};

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Each {
            isolated: Points,
            conflict: Points,
        }

        struct TableVisitor;
        impl<'de> Visitor<'de> for TableVisitor {
            type Value = Table;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "a list of [sms, time], or an object with the lists \"isolated\" and \"conflict\"",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, points: A) -> Result<Table, A::Error> {
                Points::deserialize(SeqAccessDeserializer::new(points)).map(Table::Both)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Table, A::Error> {
                let Each { isolated, conflict } = Each::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Table::Each { isolated, conflict })
            }
        }
        deserializer.deserialize_any(TableVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::Contention::{Conflict, Isolated};
    use super::*;

    fn wcet(json: &str) -> Result<WcetFunction, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    fn ns(function: &WcetFunction, sms: u32, contention: Contention) -> Option<u64> {
        function.at(sms, contention).map(Time::ns)
    }

    #[test]
    fn amdahl_follows_the_printed_formula() {
        let f = wcet(r#"{"amdahl":{"work":"10ms","serial":0.1,"conflict":2.3}}"#).unwrap();
        assert_eq!(ns(&f, 1, Isolated), Some(11_000_000));
        assert_eq!(ns(&f, 4, Isolated), Some(3_500_000));
        assert_eq!(ns(&f, 4, Conflict), Some(8_050_000));
        // 10^7/3 + 10^6 = 4333333.3…, rounded up
        assert_eq!(ns(&f, 3, Isolated), Some(4_333_334));
    }

    #[test]
    fn proportional_scales_everything() {
        let f = wcet(r#"{"proportional":{"work":"10ms","serial":0.02,"conflict":1.2}}"#).unwrap();
        assert_eq!(ns(&f, 1, Isolated), Some(10_200_000));
        assert_eq!(ns(&f, 4, Conflict), Some(3_060_000));
    }

    #[test]
    fn affine_with_and_without_conflict() {
        let f = wcet(r#"{"affine":{"isolated":{"a":100,"b":7}}}"#).unwrap();
        assert_eq!(ns(&f, 3, Isolated), Some(41));
        assert_eq!(ns(&f, 3, Conflict), Some(41));
        let f = wcet(r#"{"affine":{"isolated":{"a":100,"b":7},"conflict":{"a":200,"b":7}}}"#).unwrap();
        assert_eq!(ns(&f, 3, Conflict), Some(74));
    }

    #[test]
    fn tables_use_the_largest_measured_point_below() {
        let f = wcet(r#"{"table":[[2,"30us"],[4,"20us"],[8,"20us"]]}"#).unwrap();
        assert_eq!(ns(&f, 1, Isolated), None);
        assert_eq!(ns(&f, 2, Isolated), Some(30_000));
        assert_eq!(ns(&f, 3, Conflict), Some(30_000));
        assert_eq!(ns(&f, 100, Isolated), Some(20_000));
        assert_eq!(f.smallest_sms(Isolated), 2);
        assert_eq!(f.least_work(Isolated), 60_000);
        let f = wcet(r#"{"table":{"isolated":[[1,90],[2,30]],"conflict":[[2,50]]}}"#).unwrap();
        assert_eq!(ns(&f, 1, Conflict), None);
        // superlinear: less SM time on two SMs than on one
        assert_eq!(f.least_work(Isolated), 60);
    }

    #[test]
    fn what_is_no_wcet_function_is_refused() {
        for (json, expected) in [
            (
                r#"{"amdahl":{"work":0,"serial":0.1,"conflict":2.3}}"#,
                "expected a positive time",
            ),
            (
                r#"{"amdahl":{"work":5,"serial":-0.1,"conflict":2.3}}"#,
                "at most nine decimals",
            ),
            (
                r#"{"amdahl":{"work":5,"serial":0.1,"conflict":0.9}}"#,
                "at least 1",
            ),
            (
                r#"{"amdahl":{"work":"9e9s","serial":0.1,"conflict":2.3}}"#,
                "expected a time",
            ),
            (
                r#"{"amdahl":{"work":9223372036854775807,"serial":1,"conflict":1}}"#,
                "below 2^63 ns",
            ),
            (
                r#"{"amdahl":{"work":5,"serial":0.1}}"#,
                "missing field `conflict`",
            ),
            (
                r#"{"amdahl":{"work":5,"serial":0.1,"conflict":2,"x":1}}"#,
                "unknown field `x`",
            ),
            (r#"{"quadratic":{}}"#, "unknown variant `quadratic`"),
            (r#"{"affine":{"isolated":{"a":0,"b":0}}}"#, "at least 1 ns"),
            (
                r#"{"affine":{"isolated":{"a":9,"b":2},"conflict":{"a":9,"b":1}}}"#,
                "at least the isolated",
            ),
            (r#"{"table":[]}"#, "at least one"),
            (r#"{"table":[[0,5]]}"#, "strictly increasing"),
            (r#"{"table":[[2,5],[2,4]]}"#, "strictly increasing"),
            (r#"{"table":[[1,5],[2,6]]}"#, "does not grow"),
            (r#"{"table":[[1,0]]}"#, "at least 1 ns"),
            (r#"{"table":[[1,5,3]]}"#, ""),
            (
                r#"{"table":{"isolated":[[1,5]],"conflict":[[1,4]]}}"#,
                "at least the isolated",
            ),
            (
                r#"{"table":{"isolated":[[1,5]],"conflict":[[1,5]],"isolated":[[1,5]]}}"#,
                "duplicate field",
            ),
            (r#"{"table":"fast"}"#, "a list of [sms, time]"),
        ] {
            let message = wcet(json).expect_err(json);
            assert!(message.contains(expected), "{json}: {message}");
        }
    }

    #[test]
    fn serialised_forms_read_back() {
        for json in [
            r#"{"amdahl":{"work":10000000,"serial":0.1,"conflict":2.3}}"#,
            r#"{"affine":{"isolated":{"a":100,"b":7}}}"#,
            r#"{"table":[[2,30000],[4,20000]]}"#,
            r#"{"table":{"isolated":[[1,90]],"conflict":[[2,90]]}}"#,
        ] {
            assert_eq!(serde_json::to_string(&wcet(json).unwrap()).unwrap(), json);
        }
    }
}
