//! WCET functions in the form of a table of measured points.

use serde::{Deserialize, Serialize};

use super::{Contention, MAX_SMS, WcetError};
use crate::time::Time;

/// Measured points (m [SMs], C [ns]): strictly increasing in m, non-increasing in C.
type Points = Vec<(u32, Time)>;

/// Table of measured points: one list for isolation and conflict, two separate lists, or one list for isolation only.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Table {
    /// The same points in isolation and in conflict.
    Both(Points),
    /// Separate points in isolation and in conflict.
    Each {
        /// Cⁿ: points in isolation.
        isolated: Points,
        /// Cᶜ: points in conflict.
        conflict: Points,
    },
    /// Only points in isolation. gpusched assumes that the WCET in conflict equals the isolated WCET.
    Isolated {
        /// Cⁿ: points in isolation, which gpusched also uses for Cᶜ.
        isolated: Points,
    },
}

/// Returns the WCET C of the point with the largest m' ≤ `sms`.
fn value(points: &[(u32, Time)], sms: u32) -> Option<Time> {
    let measured = points.partition_point(|&(m, _)| m <= sms);
    Some(points[measured.checked_sub(1)?].1)
}

impl Table {
    /// Returns the WCET of the point with the largest m' ≤ `sms`, or `None` if `sms` is below all
    /// measured points.
    pub(super) fn at(&self, sms: u32, contention: Contention) -> Option<Time> {
        value(self.of(contention), sms)
    }

    pub(super) fn of(&self, contention: Contention) -> &[(u32, Time)] {
        match (self, contention) {
            (Table::Both(points) | Table::Isolated { isolated: points }, _) => points,
            (Table::Each { isolated, .. }, Contention::Isolated) => isolated,
            (Table::Each { conflict, .. }, Contention::Conflict) => conflict,
        }
    }

    /// Checks each list, and checks that no WCET in conflict is below the isolated WCET.
    pub(super) fn check(&self) -> Result<(), WcetError> {
        match self {
            Table::Both(points) => check_points("table", points),
            Table::Isolated { isolated } => check_points("table.isolated", isolated),
            Table::Each { isolated, conflict } => {
                check_points("table.isolated", isolated)?;
                check_points("table.conflict", conflict)?;
                // The two lists describe step functions. So the check compares them only at the steps of both
                // functions.
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

/// This implementation is handwritten, because an untagged enum reports every mistake as "did not match any variant".
impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
        use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
        use serde::de::{MapAccess, SeqAccess, Visitor};

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Each {
            isolated: Points,
            conflict: Option<Points>,
        }

        struct TableVisitor;
        impl<'de> Visitor<'de> for TableVisitor {
            type Value = Table;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "a list of [sms, time], or an object with the list \"isolated\" and optionally the list \"conflict\"",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, points: A) -> Result<Table, A::Error> {
                Points::deserialize(SeqAccessDeserializer::new(points)).map(Table::Both)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Table, A::Error> {
                let Each { isolated, conflict } = Each::deserialize(MapAccessDeserializer::new(map))?;
                Ok(match conflict {
                    Some(conflict) => Table::Each { isolated, conflict },
                    None => Table::Isolated { isolated },
                })
            }
        }
        deserializer.deserialize_any(TableVisitor)
    }
}
