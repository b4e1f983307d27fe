//! Memory profiles of kernels ([Masola23] §5): execution times and memory bandwidths that were
//! measured in isolation, on different numbers of SMs.

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::{Deserialize, Serialize};

use crate::Factor;
use crate::time::Time;
use crate::time::positive_time;
use crate::wcet::MAX_SMS;

/// Maximum number of points in a profile.
const MAX_POINTS: usize = MAX_SMS as usize;

/// Memory profile: measured execution times and memory bandwidths of one kernel in isolation.
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

/// A memory profile as written in a JSON file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a profile: an object with \"name\" and a list \"points\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "MemoryProfile"))]
pub struct MemoryProfileShape {
    /// Name of the kernel.
    pub name: String,
    /// Source of the measurements, as text for display.
    #[serde(default)]
    pub source: Option<String>,
    /// KAI: `instructions` / `l2_accesses` / 1000 ([Masola23] Eq. 3). A profile may state this ratio instead of
    /// `instructions` and `l2_accesses`.
    #[serde(default)]
    pub kai: Option<Factor>,
    /// Number of executed instructions, summed over all threads.
    #[serde(default)]
    pub instructions: Option<u64>,
    /// Number of accesses to the L2 cache, counted in sectors of 32 bytes.
    #[serde(default)]
    pub l2_accesses: Option<u64>,
    /// GPU on which the kernel was measured. gpusched uses the values of this GPU to classify the kernel. The default
    /// is the platform of the group.
    #[serde(default)]
    pub gpu: Option<MeasuredGpu>,
    /// Measurements, sorted by ascending number of SMs. At least one measurement has a time, and at least one
    /// measurement has a bandwidth.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub points: Vec<MemoryPoint>,
}

/// The GPU on which a kernel was measured. gpusched uses these values to classify the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "MeasuredGpu"))]
pub struct MeasuredGpu {
    /// N: number of SMs of the GPU.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub sms: u32,
    /// BW_max: nominal memory bandwidth of the GPU [GB/s]; > 0.
    pub bandwidth: Factor,
}

/// A measurement of a kernel in isolation on n SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MemoryPoint {
    /// n: number of SMs.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub sms: u32,
    /// C(n): execution time from start to end [ns].
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_time"
    )]
    pub time: Option<Time>,
    /// BW(n): memory bandwidth during the execution [GB/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Factor>,
}

fn given_time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    positive_time(deserializer).map(Some)
}

impl MemoryProfile {
    /// Returns the name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the measurements, sorted by ascending number of SMs.
    pub fn points(&self) -> &[MemoryPoint] {
        &self.points
    }

    /// Returns the KAI of the kernel, or `None` if the profile does not state it.
    pub fn kai(&self) -> Option<Factor> {
        self.kai
    }

    /// Returns the number of executed instructions, or `None` if the profile does not state it.
    pub fn instructions(&self) -> Option<u64> {
        self.instructions
    }

    /// Returns the number of L2 accesses, or `None` if the profile does not state it.
    pub fn l2_accesses(&self) -> Option<u64> {
        self.l2_accesses
    }

    /// Returns the GPU on which the kernel was measured, or `None` if the profile does not state it.
    pub fn gpu(&self) -> Option<MeasuredGpu> {
        self.gpu
    }

    /// C(n): measured execution time on n = `sms` SMs [ns]; `None` if it was not measured.
    pub fn time(&self, sms: u32) -> Option<Time> {
        self.points.iter().find(|point| point.sms == sms)?.time
    }

    /// BW(n): measured memory bandwidth on n = `sms` SMs [GB/s]; `None` if it was not measured.
    pub fn bandwidth(&self, sms: u32) -> Option<Factor> {
        self.points.iter().find(|point| point.sms == sms)?.bandwidth
    }

    /// Returns the published profile of the kernel `name` in [Masola23] Table 2, or `None` for an
    /// unknown name.
    pub fn published(name: &str) -> Option<MemoryProfile> {
        MemoryProfile::all_published().find(|profile| profile.name == name)
    }

    /// Returns the published profiles in the order of [Masola23] Table 2.
    pub fn all_published() -> impl Iterator<Item = MemoryProfile> {
        PUBLISHED
            .iter()
            .filter_map(|file| MemoryProfile::from_json(file).ok())
    }
}

/// Profile files. The program contains the files, so it needs no data directory.
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
                let expected = format!("numbers of SMs in ascending order, each from 1 to {MAX_SMS}");
                Refusal::refuse(format!("points[{index}].sms"), sms, expected)?;
            }
            before = sms;
            if point.time.is_none() && point.bandwidth.is_none() {
                let found = "neither `time` nor `bandwidth`";
                Refusal::refuse(
                    format!("points[{index}]"),
                    found,
                    "at least one of the two fields",
                )?;
            }
        }
        if shape.points.iter().all(|point| point.time.is_none()) {
            Refusal::refuse("points", "no point with `time`", "at least one point with `time`")?;
        }
        if shape.points.iter().all(|point| point.bandwidth.is_none()) {
            Refusal::refuse(
                "points",
                "no point with `bandwidth`",
                "at least one point with `bandwidth`",
            )?;
        }
        if shape.kai.is_some() && shape.instructions.is_some() {
            Refusal::refuse(
                "kai",
                "`kai` together with `instructions`",
                "only one of the two fields",
            )?;
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for MemoryProfile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        MemoryProfileShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        MemoryProfileShape::json_schema(generator)
    }
}
