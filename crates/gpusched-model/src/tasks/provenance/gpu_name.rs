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

impl SameGpu {
    /// Compares the GPU called `name`, which has `sms` SMs, with `device`.
    pub fn of(name: Option<&str>, sms: Option<u32>, device: &Device) -> SameGpu {
        compare(name, sms, device)
    }

    /// Compares the GPUs called `one` and `other`. The result is [`SameGpu::No`] only for two built-in devices.
    pub fn named(one: &str, other: &str) -> SameGpu {
        let products = [one, other].map(product);
        if products[0] == products[1] {
            return SameGpu::Yes;
        }
        let built_in = products.each_ref().map(|found| {
            { BUILT_IN.iter() }
                .position(|(name, products)| product(name) == *found || products.contains(found))
        });
        match built_in {
            [Some(one), Some(other)] if one != other => SameGpu::No,
            [Some(_), Some(_)] => SameGpu::Yes,
            _ => SameGpu::Unknown,
        }
    }
}

fn compare(name: Option<&str>, sms: Option<u32>, device: &Device) -> SameGpu {
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
