//! Changes of messages: of bytes, of the words of Cap'n Proto, and of the tokens of JSON.

use std::ops::Range;

use crate::random::Random;

/// Numbers at the ends of types and of limits.
const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    7,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 29,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Values of JSON that replace others.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e308",
    "-1e999",
    "0.5",
    "4294967296",
    "18446744073709551616",
    "\"\"",
    "\"18446744073709551615\"",
    "\"-9223372036854775808\"",
    "\"NaN\"",
    "\"Infinity\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"INT32\"",
    "\"STRING_ASCII\"",
    "[]",
    "{}",
    "[null]",
    "[255,256,-1]",
    "[[[[]]]]",
];

/// Returns a message with a few changes.
pub(crate) fn mutated(
    message: &[u8],
    is_json: bool,
    others: &[&[u8]],
    random: &mut Random,
) -> Vec<u8> {
    let mut bytes = message.to_vec();
    for _ in 0..random.one_of(&[1, 1, 1, 2, 4]) {
        match (is_json, random.below(8)) {
            (true, 0..=4) => change_token(&mut bytes, random),
            (false, 0..=4) => change_word(&mut bytes, random),
            (_, 5 | 6) => change_bytes(&mut bytes, random),
            _ => splice(&mut bytes, random.one_of(others), random),
        }
    }
    bytes
}

fn random_position(bytes: &[u8], random: &mut Random) -> usize {
    random.below(bytes.len() as u64 + 1) as usize
}

/// Removes, repeats or changes bytes.
fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let position = random_position(bytes, random);
    let end = (position + random.below(64) as usize).min(bytes.len());
    match random.below(5) {
        0 => bytes.truncate(position),
        1 => drop(bytes.drain(position..end)),
        2 => {
            let part = bytes[position..end].to_vec();
            bytes.splice(position..position, part);
        }
        3 => {
            if let Some(byte) = bytes.get_mut(position) {
                *byte = random.one_of(&[0, 1, 0x7f, 0x80, 0xff]);
            }
        }
        _ => {
            if let Some(byte) = bytes.get_mut(position) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}

/// Replaces a part by a part of another message.
fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let (to, from) = (
        random_position(bytes, random) / 8 * 8,
        random_position(other, random) / 8 * 8,
    );
    let length = 8 * random.below(16) as usize;
    let part = other[from..(from + length).min(other.len())].to_vec();
    let end = match random.below(2) {
        0 => to,
        _ => (to + part.len()).min(bytes.len()),
    };
    bytes.splice(to..end, part);
}

/// Replaces a word, which more often is a pointer or a number than a part of a text.
fn change_word(bytes: &mut [u8], random: &mut Random) {
    let words = bytes.len() as u64 / 8;
    if words == 0 {
        return;
    }
    let mut position = 0;
    for _ in 0..4 {
        position = 8 * random.below(words) as usize;
        if bytes[position..position + 8]
            .iter()
            .filter(|byte| **byte == 0)
            .count()
            > 2
        {
            break;
        }
    }
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[position..position + 8]);
    let old = u64::from_le_bytes(word);
    let new = match random.below(6) {
        0 => random.one_of(&NUMBERS),
        1 => old ^ (1 << random.below(64)),
        2 => old.wrapping_add(random.one_of(&[1, 4, 8, u64::MAX, 1 << 32, 1 << 35])),
        3 => pointer(random),
        4 => {
            let other = 8 * random.below(words) as usize;
            word.copy_from_slice(&bytes[other..other + 8]);
            u64::from_le_bytes(word)
        }
        _ => random.next() >> random.below(64),
    };
    bytes[position..position + 8].copy_from_slice(&new.to_le_bytes());
}

/// Returns a pointer of Cap'n Proto: to a structure, a list or another segment.
fn pointer(random: &mut Random) -> u64 {
    let offset = (random.below(64) as i64 - 32) as u64 & 0x3fff_ffff;
    let counts = [0, 1, 3, 100, 1 << 20, (1 << 29) - 1];
    match random.below(4) {
        0 => offset << 2 | random.below(5) << 32 | random.below(5) << 48,
        1 => 1 | offset << 2 | random.below(8) << 32 | random.one_of(&counts) << 35,
        2 => 2 | random.below(2) << 2 | random.below(64) << 3 | random.below(3) << 32,
        _ => 3 | random.below(4) << 32,
    }
}

/// Returns where the values and names of a message in JSON are.
fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let start = position;
        position += 1;
        match bytes[start] {
            b'"' => {
                while position < bytes.len() && bytes[position] != b'"' {
                    position += 1 + usize::from(bytes[position] == b'\\');
                }
                position = (position + 1).min(bytes.len());
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {}
            _ => {
                while position < bytes.len() && !b"{}[],:\"".contains(&bytes[position]) {
                    position += 1;
                }
            }
        }
        tokens.push(start..position);
    }
    tokens
}

/// Replaces, removes or repeats values in JSON.
fn change_token(bytes: &mut Vec<u8>, random: &mut Random) {
    let tokens = tokens(bytes);
    if tokens.is_empty() {
        return;
    }
    let index = random.below(tokens.len() as u64) as usize;
    let token = tokens[index].clone();
    match random.below(8) {
        0..=2 => {
            let value = random.one_of(&VALUES);
            bytes.splice(token, value.bytes());
        }
        3 => {
            let number = random.one_of(&NUMBERS);
            let text = match random.below(3) {
                0 => format!("\"{number}\""),
                1 => format!("-{number}"),
                _ => number.to_string(),
            };
            bytes.splice(token, text.into_bytes());
        }
        4 => {
            let other = random.one_of(&tokens.iter().collect::<Vec<_>>()).clone();
            let other = bytes[other].to_vec();
            bytes.splice(token, other);
        }
        5 => {
            // A value of several tokens.
            let end = (index + random.below(12) as usize).min(tokens.len() - 1);
            bytes.drain(token.start..tokens[end].end);
        }
        6 => {
            let end = (index + random.below(12) as usize).min(tokens.len() - 1);
            let part = bytes[token.start..tokens[end].end].to_vec();
            let part = part.repeat(1 + random.below(3) as usize);
            bytes.splice(token.start..token.start, part);
        }
        _ => {
            let depth = random.one_of(&[1, 60, 70, 1000]);
            let (open, close) = random.one_of(&[("[", "]"), ("{\"a\":", "}")]);
            let value = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            bytes.splice(token, value.into_bytes());
        }
    }
}
