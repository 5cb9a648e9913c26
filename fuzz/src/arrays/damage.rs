//! Damage of the files of an array, as an input describes it.

use super::{Content, Files, originals, reading};

/// The bytes of a patch: file, kind, position (2), number (8).
const PATCH_BYTES: usize = 12;

/// The bit of the first byte that selects consolidation and vacuum after the reads.
const MAINTAINED: u8 = 0x80;

/// Returns the array that a number selects.
fn original(number: u8) -> &'static Content {
    let originals = originals();
    &originals[usize::from(number & !MAINTAINED) % originals.len()]
}

/// Fuzzes an array with a patch per [`PATCH_BYTES`] of the input. The first byte selects the array.
pub fn array_patches(input: &[u8]) {
    let [which, patches @ ..] = input else {
        return;
    };
    let mut content = original(*which).clone();
    for patch in patches.chunks_exact(PATCH_BYTES) {
        apply(patch, &mut content);
    }
    read(&content, which & MAINTAINED != 0);
}

/// Applies a patch to the file that its first byte selects.
fn apply(patch: &[u8], content: &mut Content) {
    let mut files: Vec<&mut Vec<u8>> = content.iter_mut().filter_map(|(_, b)| b.as_mut()).collect();
    let number = files.len();
    let file = &mut *files[usize::from(patch[0]) % number];
    if file.is_empty() {
        return;
    }
    let position = usize::from(u16::from_le_bytes([patch[2], patch[3]])) % file.len();
    let value = &patch[4..];
    match patch[1] % 16 {
        0 => file.truncate(position),
        9 => drop(file.splice(position..position, value.iter().copied())),
        10 => {
            let end = (position + usize::from(value[0])).min(file.len());
            file.drain(position..end);
        }
        kind => {
            // 1 to 8 bytes, from the start or from the end of the file.
            let len = usize::from((kind - 1) % 8 + 1).min(file.len() - position);
            let position = if patch[1] >= 128 {
                file.len() - position - len
            } else {
                position
            };
            file[position..][..len].copy_from_slice(&value[..len]);
        }
    }
}

/// Fuzzes an array of which one file has the content of the input. The first byte selects the
/// array, the second the file.
pub fn array_files(input: &[u8]) {
    let [which, file, replacement @ ..] = input else {
        return;
    };
    let mut content = original(*which).clone();
    let mut files: Vec<&mut Vec<u8>> = content.iter_mut().filter_map(|(_, b)| b.as_mut()).collect();
    let number = files.len();
    *files[usize::from(*file) % number] = replacement.to_vec();
    read(&content, which & MAINTAINED != 0);
}

fn read(content: &Content, maintained: bool) {
    let entries = content.iter();
    let files = Files::of(entries.map(|(path, bytes)| (path.as_str(), bytes.as_deref())));
    reading::read_everything(&files.test_array, maintained);
}
