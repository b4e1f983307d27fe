//! Comparison of GPU names. Drivers, profilers and data sheets write the name of one GPU in different ways, such as
//! `NVIDIA H100 80GB HBM3`, `NVIDIA H100 SXM5 80GB (Hopper GH100)` and `h100`.

use std::sync::LazyLock;

use crate::device::Device;

/// Result of the comparison of two GPUs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SameGpu {
    /// The names mean the same product, and the stated numbers of SMs are equal.
    Yes,
    /// The GPUs are of different products, or have different numbers of SMs, or one is a MIG instance.
    No,
    /// The measurement states no name, or a name of no built-in device. So gpusched cannot compare the GPUs.
    Unknown,
}

/// Words of vendors, product lines, boards and memory chips. The remaining words determine the product.
const GENERAL: [&str; 22] = [
    "nvidia", "geforce", "tesla", "quadro", "jetson", "drive", "agx", "amd", "radeon", "graphics", "gpu",
    "device", "nvgpu", "pcie", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "hbm2", "hbm2e", "hbm3",
];

/// Compares the GPU called `name`, which has `sms` SMs, with `device`.
pub(super) fn compare(name: Option<&str>, sms: Option<u32>, device: &Device) -> SameGpu {
    if sms.is_some_and(|sms| sms != device.sms()) {
        return SameGpu::No;
    }
    let Some(name) = name else {
        return SameGpu::Unknown;
    };
    if words(name).any(|word| word == "mig") {
        return SameGpu::No;
    }
    let measured = product(name);
    let own = BUILT_IN.iter().find(|(built_in, _)| built_in == device.name());
    if measured == product(device.name()) || own.is_some_and(|(_, products)| products.contains(&measured)) {
        // Boards of one chip differ in clocks, SMs and memory.
        let stated = [Board::of(name), Board::of(device.title())];
        return match stated[0].differs(stated[1]) {
            true => SameGpu::No,
            false => SameGpu::Yes,
        };
    }
    let known = BUILT_IN.iter().any(|(_, products)| products.contains(&measured));
    match known && own.is_some() {
        true => SameGpu::No,
        false => SameGpu::Unknown,
    }
}

/// The board of a chip, as far as a name states it.
#[derive(Copy, Clone)]
struct Board {
    /// Whether the board is a PCIe card. `None` if the name states no form factor.
    pcie: Option<bool>,
    /// Size of the memory [GB].
    memory: Option<u64>,
}

impl Board {
    fn of(name: &str) -> Board {
        let words: Vec<String> = words(name).collect();
        let form = |word: &String| match word.as_str() {
            "pcie" => Some(true),
            word => word.starts_with("sxm").then_some(false),
        };
        let sizes = (0..words.len()).filter_map(|index| gigabytes(&words, index)?.parse().ok());
        Board {
            pcie: words.iter().find_map(form),
            memory: { sizes }.next(),
        }
    }

    /// Returns whether both names state a value, and the values are not equal.
    fn differs(self, other: Board) -> bool {
        let pcie = self.pcie.zip(other.pcie).is_some_and(|(a, b)| a != b);
        pcie || self.memory.zip(other.memory).is_some_and(|(a, b)| a != b)
    }
}

/// Returns the digits of the memory size that starts at word `index`, such as 80 for `80GB` and for `80 GB`.
fn gigabytes(words: &[String], index: usize) -> Option<&str> {
    let word = words.get(index)?;
    let digits = match word.strip_suffix("gb") {
        Some(digits) => digits,
        None => { words.get(index + 1) }
            .filter(|next| *next == "gb")
            .map(|_| word.as_str())?,
    };
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// The name of each built-in device, with the products of its name and of its title.
static BUILT_IN: LazyLock<Vec<(String, [String; 2])>> = LazyLock::new(|| {
    let products = |device: Device| {
        let both = [product(device.name()), product(device.title())];
        (device.name().to_owned(), both)
    };
    Device::all().map(products).collect()
});

/// Returns the words of `name` in lower case. A text after a comma or a parenthesis is an explanation.
fn words(name: &str) -> impl Iterator<Item = String> {
    let end = name.find([',', '(']).unwrap_or(name.len());
    let words = name
        .get(..end)
        .unwrap_or(name)
        .split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns the words that determine the product, without spaces: `rtx4090` for `NVIDIA GeForce RTX 4090`. The size of
/// the memory belongs to the board.
fn product(name: &str) -> String {
    let words: Vec<String> = words(name).collect();
    let mut product = String::new();
    for (index, word) in words.iter().enumerate() {
        let size = gigabytes(&words, index).is_some() || word == "gb";
        if !size && !GENERAL.contains(&word.as_str()) {
            product += word;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_drivers_and_profilers_mean_built_in_devices() {
        for (name, sms, device) in [
            ("Orin", 16, "orin"),
            ("NVIDIA Orin", 16, "orin"),
            ("orin", 16, "orin"),
            ("NVIDIA Jetson AGX Orin", 16, "orin"),
            ("Orin (nvgpu)", 16, "orin"),
            ("NVIDIA Jetson Orin NX", 8, "orin-nx"),
            ("NVIDIA Jetson Orin Nano 8 GB", 8, "orin-nano"),
            ("NVIDIA Thor", 20, "thor"),
            ("Xavier", 8, "xavier"),
            ("NVIDIA H100 80GB HBM3", 132, "h100"),
            ("NVIDIA H200", 132, "h200"),
            ("NVIDIA A100-SXM4-40GB", 108, "a100"),
            ("NVIDIA A30", 56, "a30"),
            ("NVIDIA GeForce RTX 4090", 128, "rtx4090"),
            ("GeForce RTX 2080 Ti", 68, "rtx2080ti"),
            ("NVIDIA TITAN V", 80, "titanv"),
            ("Quadro K5000", 8, "k5000"),
            ("NVIDIA GB10", 48, "gb10"),
        ] {
            let device = Device::named(device).unwrap();
            for sms in [Some(sms), None] {
                assert_eq!(compare(Some(name), sms, &device), SameGpu::Yes, "{name}");
            }
        }
    }

    #[test]
    fn each_built_in_device_is_itself_by_name_and_by_title_and_no_other() {
        for one in Device::all() {
            for other in Device::all() {
                for name in [one.name(), one.title()] {
                    let wanted = match one.name() == other.name() {
                        true => SameGpu::Yes,
                        false => SameGpu::No,
                    };
                    let found = compare(Some(name), Some(one.sms()), &other);
                    assert_eq!(found, wanted, "{name} on {}", other.name());
                }
            }
        }
    }

    #[test]
    fn another_size_or_a_mig_instance_is_another_gpu() {
        let device = |name: &str| Device::named(name).unwrap();
        for (name, sms, planned) in [
            (Some("Orin"), Some(8), "orin"),
            (Some("NVIDIA H100 PCIe"), Some(114), "h100"),
            (Some("NVIDIA H100 PCIe"), None, "h100"),
            (Some("A100-PCIE-40GB"), Some(108), "a100"),
            (Some("NVIDIA A100-SXM4-80GB"), Some(108), "a100"),
            (Some("NVIDIA Jetson AGX Orin 32GB"), None, "orin"),
            (Some("NVIDIA A100-SXM4-40GB MIG 3g.20gb"), None, "a100"),
            (Some("NVIDIA Orin"), None, "thor"),
            (None, Some(8), "orin"),
            (Some("no such GPU"), Some(9), "orin"),
        ] {
            assert_eq!(compare(name, sms, &device(planned)), SameGpu::No, "{name:?}");
        }
    }

    #[test]
    fn unknown_names_cannot_be_compared() {
        let device = Device::named("orin").unwrap();
        for (name, sms) in [
            (Some("AMD Instinct MI300X"), None),
            (None, None),
            (None, Some(16)),
        ] {
            assert_eq!(compare(name, sms, &device), SameGpu::Unknown, "{name:?}");
        }
        let text = r#"{"name":"my-board","sms":16}"#;
        let own: Device = serde_json::from_str(text).unwrap();
        assert_eq!(compare(Some("My Board"), Some(16), &own), SameGpu::Yes);
        assert_eq!(compare(Some("NVIDIA Orin"), Some(16), &own), SameGpu::Unknown);
        assert_eq!(compare(Some("NVIDIA Orin"), Some(8), &own), SameGpu::No);
    }
}
