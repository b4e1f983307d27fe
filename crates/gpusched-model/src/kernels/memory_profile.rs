//! What is known of a kernel alone on different numbers of SMs: times, memory bandwidths ([Masola23] §5).

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::{Deserialize, Serialize};

use crate::time::Time;
use crate::wcet::MAX_SMS;
use crate::{Factor, positive_time};

/// The most points of a profile.
const MAX_POINTS: usize = MAX_SMS as usize;

/// Times and bandwidths of a kernel alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "MemoryProfileShape")]
pub struct MemoryProfile {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kai: Option<Factor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l2_accesses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<MeasuredGpu>,
    points: Vec<MemoryPoint>,
}

/// A profile in the shape of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a profile: an object with \"name\" and a list \"points\""
)]
#[schemars(rename = "MemoryProfile")]
pub struct MemoryProfileShape {
    /// The kernel's name.
    pub name: String,
    /// Where the figures come from; for people.
    #[serde(default)]
    pub source: Option<String>,
    /// KAI of [Masola23] Eq. 3, instead of `instructions` and `l2_accesses`.
    #[serde(default)]
    pub kai: Option<Factor>,
    /// Instructions executed, a thread counting once.
    #[serde(default)]
    pub instructions: Option<u64>,
    /// Accesses of L2.
    #[serde(default)]
    pub l2_accesses: Option<u64>,
    /// The GPU it was measured on, for the class of the kernel; by default the platform of the group.
    #[serde(default)]
    pub gpu: Option<MeasuredGpu>,
    /// What was measured, by ascending number of SMs; at least one time and one bandwidth.
    #[schemars(length(min = 1))]
    pub points: Vec<MemoryPoint>,
}

/// The GPU a kernel was measured on, as far as the class of the kernel goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MeasuredGpu")]
pub struct MeasuredGpu {
    /// N, all its SMs.
    #[schemars(range(min = 1, max = MAX_SMS))]
    pub sms: u32,
    /// BW_max, its nominal memory bandwidth [GB/s]; > 0.
    pub bandwidth: Factor,
}

/// A kernel alone on some SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPoint {
    /// n, the number of SMs.
    #[schemars(range(min = 1, max = MAX_SMS))]
    pub sms: u32,
    /// C(n), from start to end [ns].
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_time"
    )]
    pub time: Option<Time>,
    /// The memory bandwidth it uses meanwhile, BW(n) [GB/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Factor>,
}

fn given_time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    positive_time(deserializer).map(Some)
}

impl MemoryProfile {
    /// The name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was measured, by ascending number of SMs.
    pub fn points(&self) -> &[MemoryPoint] {
        &self.points
    }

    /// KAI, if it was given as such.
    pub fn kai(&self) -> Option<Factor> {
        self.kai
    }

    /// Instructions executed, if known.
    pub fn instructions(&self) -> Option<u64> {
        self.instructions
    }

    /// Accesses of L2, if known.
    pub fn l2_accesses(&self) -> Option<u64> {
        self.l2_accesses
    }

    /// The GPU it was measured on, if known.
    pub fn gpu(&self) -> Option<MeasuredGpu> {
        self.gpu
    }

    /// C(n) as measured [ns].
    pub fn time(&self, sms: u32) -> Option<Time> {
        self.points.iter().find(|point| point.sms == sms)?.time
    }

    /// BW(n) as measured [GB/s].
    pub fn bandwidth(&self, sms: u32) -> Option<Factor> {
        self.points.iter().find(|point| point.sms == sms)?.bandwidth
    }

    /// The published profile called `name`, of the kernels of [Masola23] Table 2.
    pub fn published(name: &str) -> Option<MemoryProfile> {
        MemoryProfile::all_published().find(|profile| profile.name == name)
    }

    /// The published profiles, in the order of Table 2.
    pub fn all_published() -> impl Iterator<Item = MemoryProfile> {
        PUBLISHED
            .iter()
            .filter_map(|file| serde_json::from_str(file).ok())
    }
}

/// The files, built into the program so that it needs no data directory.
const PUBLISHED: [&str; 8] = [
    include_str!("../../data/profiles/vadd.json"),
    include_str!("../../data/profiles/saxpy.json"),
    include_str!("../../data/profiles/copy.json"),
    include_str!("../../data/profiles/raytrace.json"),
    include_str!("../../data/profiles/dxtc.json"),
    include_str!("../../data/profiles/conv.json"),
    include_str!("../../data/profiles/mvt.json"),
    include_str!("../../data/profiles/pf.json"),
];

impl TryFrom<MemoryProfileShape> for MemoryProfile {
    type Error = Refusal;

    fn try_from(shape: MemoryProfileShape) -> Result<MemoryProfile, Refusal> {
        let count = shape.points.len();
        if count > MAX_POINTS {
            Refusal::refuse(
                "points",
                format!("{count} points"),
                format!("at most {MAX_POINTS}"),
            )?;
        }
        let mut before = 0;
        for (index, point) in shape.points.iter().enumerate() {
            let sms = point.sms;
            if sms <= before || sms > MAX_SMS {
                let expected = format!("ascending numbers of SMs from 1 to {MAX_SMS}");
                Refusal::refuse(format!("points[{index}].sms"), sms, expected)?;
            }
            before = sms;
            if point.time.is_none() && point.bandwidth.is_none() {
                let expected = "`time`, `bandwidth` or both";
                Refusal::refuse(format!("points[{index}]"), "neither", expected)?;
            }
        }
        if shape.points.iter().all(|point| point.time.is_none()) {
            Refusal::refuse("points", "no time", "the time on at least one number of SMs")?;
        }
        if shape.points.iter().all(|point| point.bandwidth.is_none()) {
            Refusal::refuse(
                "points",
                "no bandwidth",
                "the bandwidth on at least one number of SMs",
            )?;
        }
        if shape.kai.is_some() && shape.instructions.is_some() {
            Refusal::refuse("kai", "`instructions`, too", "one of the two")?;
        }
        if shape.l2_accesses == Some(0) {
            Refusal::refuse("l2_accesses", 0, "at least 1")?;
        }
        if let Some(MeasuredGpu { sms, bandwidth }) = shape.gpu {
            if !(1..=MAX_SMS).contains(&sms) {
                Refusal::refuse("gpu.sms", sms, format!("1 to {MAX_SMS}"))?;
            }
            if bandwidth == Factor::ZERO {
                Refusal::refuse("gpu.bandwidth", 0, "a positive number of GB/s")?;
            }
        }
        Ok(MemoryProfile {
            name: shape.name,
            source: shape.source,
            kai: shape.kai,
            instructions: shape.instructions,
            l2_accesses: shape.l2_accesses,
            gpu: shape.gpu,
            points: shape.points,
        })
    }
}

impl Document for MemoryProfile {
    const EXPECTED: &str = "a profile: an object such as {\"name\":…,\"points\":[{\"sms\":30,\"time\":\"379us\",\"bandwidth\":330},…]}";

    fn from_json(text: &str) -> Result<MemoryProfile, Fault> {
        from_json::<MemoryProfileShape, _>(text)
    }
}

impl schemars::JsonSchema for MemoryProfile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        MemoryProfileShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        MemoryProfileShape::json_schema(generator)
    }
}
