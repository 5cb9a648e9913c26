//! Mutations of bytes: at known fields, at numbers that resemble counts, sizes or offsets, and
//! anywhere.

use crate::random::Random;

/// A number in a file: its position and its size in bytes.
pub(crate) type FieldPosition = (usize, usize);

/// Applies one mutation; returns its description.
pub(crate) fn mutate(bytes: &mut Vec<u8>, known: &[FieldPosition], random: &mut Random) -> String {
    if bytes.is_empty() {
        let added = 1 + random.below(64) as usize;
        bytes.extend((0..added).map(|_| random.next() as u8));
        return format!("extended by {added} random bytes");
    }
    match random.below(20) {
        0..=3 => flip(bytes, random),
        4..=6 if !known.is_empty() => {
            let field = random.one_of(known);
            set_number(bytes, field, random)
        }
        4..=10 => match plausible_numbers(bytes).as_slice() {
            [] => flip(bytes, random),
            found => set_number(bytes, random.one_of(found), random),
        },
        11..=13 => {
            let width = random.one_of(&[1, 2, 4, 8]);
            let position = random.below(bytes.len() as u64) as usize;
            set_number(bytes, (position, width), random)
        }
        14 | 15 => {
            let len = random.below(bytes.len() as u64) as usize;
            bytes.truncate(len);
            format!("truncated to {len}")
        }
        16 => extend(bytes, random),
        _ => move_range(bytes, random),
    }
}

fn flip(bytes: &mut [u8], random: &mut Random) -> String {
    let position = random.below(bytes.len() as u64) as usize;
    let mask = 1u8 << random.below(8);
    bytes[position] ^= mask;
    format!("bit {mask:#04x} flipped at {position}")
}

/// Appends zeros, random bytes or a copy of the end.
fn extend(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let len = bytes.len();
    let most = if random.below(4) == 0 { 1 << 16 } else { 64 };
    let added = 1 + random.below(most) as usize;
    match random.below(3) {
        0 => bytes.resize(len + added, 0),
        1 => bytes.extend((0..added).map(|_| random.next() as u8)),
        _ => bytes.extend_from_within(len - added.min(len)..),
    }
    format!("extended from {len} to {}", bytes.len())
}

/// Removes, repeats, zeroes or moves a range.
fn move_range(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let (start, end) = random.range_below(bytes.len() as u64 + 1);
    let (start, end) = (start as usize, end as usize);
    let end = end.min(start + 256);
    match random.below(4) {
        0 => {
            bytes.drain(start..end);
            format!("{start}..{end} removed")
        }
        1 => {
            let copy = bytes[start..end].to_vec();
            bytes.splice(end..end, copy);
            format!("{start}..{end} repeated")
        }
        2 => {
            bytes[start..end].fill(0);
            format!("{start}..{end} zeroed")
        }
        _ => {
            let to = random.below((bytes.len() - (end - start)) as u64 + 1) as usize;
            bytes.copy_within(start..end, to);
            format!("{start}..{end} copied to {to}")
        }
    }
}

/// Positions of little-endian numbers of 8 or 4 bytes that are small enough to be counts, sizes or
/// offsets.
fn plausible_numbers(bytes: &[u8]) -> Vec<FieldPosition> {
    let limit = (4 * bytes.len() as u64).max(1024);
    let mut found = Vec::new();
    for position in 0..bytes.len().saturating_sub(3) {
        for width in [8, 4] {
            let number = read(bytes, position, width);
            if number.is_some_and(|number| number > 0 && number <= limit) {
                found.push((position, width));
                break;
            }
        }
    }
    found
}

fn read(bytes: &[u8], position: usize, width: usize) -> Option<u64> {
    let mut number = [0u8; 8];
    number[..width].copy_from_slice(bytes.get(position..position + width)?);
    Some(u64::from_le_bytes(number))
}

/// Replaces a number by an extreme one, a multiple or a neighbour.
fn set_number(bytes: &mut [u8], (position, width): FieldPosition, random: &mut Random) -> String {
    let width = width.min(bytes.len().saturating_sub(position));
    let Some(old) = read(bytes, position, width) else {
        return flip(bytes, random);
    };
    let new = match random.below(14) {
        0 => 0,
        1 => u64::MAX,
        2 => i64::MAX as u64,
        3 => 1 << 63,
        4 => u64::from(u32::MAX),
        5 => i32::MAX as u64,
        6 => 1 << random.below(64),
        7 => old.wrapping_sub(1),
        8 => old.wrapping_add(1),
        9 => old.wrapping_mul(2),
        10 => old / 2,
        11 => old.wrapping_mul(1000),
        12 => bytes.len() as u64 - random.below(16).min(bytes.len() as u64),
        _ => random.next(),
    };
    bytes[position..position + width].copy_from_slice(&new.to_le_bytes()[..width]);
    format!("{width} bytes at {position} set from {old} to {new}")
}
