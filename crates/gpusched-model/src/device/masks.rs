//! TPC masks: the GPC of each TPC, as libsmctrl reads it from a card.

use super::MAX_GPCS;
use crate::Refusal;

/// Field of a device file.
const FIELD: &str = "tpc_masks";

/// GPC of each TPC, and number of TPCs of each GPC.
pub(super) struct Map {
    pub(super) gpc_of_tpc: Vec<u32>,
    pub(super) tpcs_per_gpc: Vec<u32>,
}

/// Returns the map that `masks` state for a device with `tpcs` TPCs. A set bit t of mask g means that TPC t is in GPC g
/// (`libsmctrl_get_gpc_info`).
///
/// # Errors
/// Fails if a mask is not a hexadecimal number of at most 128 bits, has no bit, or has the bit of a TPC that does not
/// exist or that another mask contains. Also fails if a TPC is in no mask, or if there are more than 16 masks.
pub(super) fn map(masks: &[String], tpcs: u32) -> Result<Map, Refusal> {
    if !(1..=MAX_GPCS).contains(&masks.len()) {
        let expected = format!("1 to {MAX_GPCS} masks, one for each GPC");
        Refusal::refuse(FIELD, format!("{} masks", masks.len()), expected)?;
    }
    if tpcs > u128::BITS {
        let expected = format!("at most {} TPCs, because a mask has 128 bits", u128::BITS);
        Refusal::refuse(FIELD, format!("masks for {tpcs} TPCs"), expected)?;
    }
    let mut of_tpc: Vec<Option<u32>> = vec![None; tpcs as usize];
    let mut tpcs_per_gpc = Vec::new();
    for (gpc, text) in (0u32..).zip(masks) {
        let field = || format!("{FIELD}[{gpc}]");
        let Some(mask) = parsed(text).filter(|&mask| mask != 0) else {
            let expected =
                "a hexadecimal mask of the TPCs of one GPC, such as \"0x0041\", with 1 to 128 bits";
            return Err(Refusal::new(field(), format!("{text:?}"), expected));
        };
        for tpc in (0..u128::BITS).filter(|tpc| mask >> tpc & 1 == 1) {
            match of_tpc.get_mut(tpc as usize) {
                Some(of @ None) => *of = Some(gpc),
                Some(Some(other)) => {
                    let expected = format!("only TPCs that are not in `{FIELD}[{other}]`");
                    Refusal::refuse(field(), format!("TPC {tpc}"), expected)?;
                }
                None => Refusal::refuse(
                    field(),
                    format!("TPC {tpc}"),
                    format!("only the {tpcs} TPCs of the device"),
                )?,
            }
        }
        tpcs_per_gpc.push(mask.count_ones());
    }
    let missing = |tpc| Refusal::new(FIELD, format!("no mask with TPC {tpc}"), "each TPC in one mask");
    let gpc_of_tpc = (0u32..)
        .zip(of_tpc)
        .map(|(tpc, of)| of.ok_or_else(|| missing(tpc)));
    Ok(Map {
        gpc_of_tpc: gpc_of_tpc.collect::<Result<_, _>>()?,
        tpcs_per_gpc,
    })
}

/// Returns the number that `text` states; `0x` before the digits is optional.
fn parsed(text: &str) -> Option<u128> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()); // no sign
    plain.then(|| u128::from_str_radix(digits, 16).ok()).flatten()
}
