//! The names in a folder, without the other properties of its entries.

use std::io;

/// Calls `take` with the name of each entry of a folder, in any order.
#[cfg(not(target_os = "linux"))]
pub(crate) fn each_name(
    path: &str,
    _buffer_bytes: usize,
    take: &mut dyn FnMut(&str),
) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        take(&entry?.file_name().to_string_lossy());
    }
    Ok(())
}

/// Calls `take` with the name of each entry of a folder, in any order. One call of the system fills
/// a buffer of `buffer_bytes`. The standard library allocates memory for each entry, which takes
/// longer than to list it.
#[cfg(target_os = "linux")]
pub(crate) fn each_name(
    path: &str,
    buffer_bytes: usize,
    take: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let folder = super::open_at_once(path)?;
    let mut buffer = vec![0; buffer_bytes];
    loop {
        let len = super::syscalls::read_entries(&folder, &mut buffer)?;
        if len == 0 {
            return Ok(());
        }
        each_name_in(buffer.get(..len).unwrap_or_default(), take);
    }
}

/// Calls `take` with the names in a buffer of entries as the kernel writes them: inode (8 bytes),
/// offset (8 bytes), length of the entry (2 bytes), kind (1 byte), name, zeros.
#[cfg(target_os = "linux")]
#[expect(
    clippy::host_endian_bytes,
    reason = "the kernel's numbers have the byte order of the CPU"
)]
fn each_name_in(mut entries: &[u8], take: &mut dyn FnMut(&str)) {
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    while let Some(length) = entries.get(LENGTH..).and_then(<[u8]>::first_chunk) {
        let length = usize::from(u16::from_ne_bytes(*length));
        let Some((entry, rest)) = entries.split_at_checked(length.max(NAME)) else {
            return;
        };
        entries = rest;
        let name = std::ffi::CStr::from_bytes_until_nul(entry.get(NAME..).unwrap_or_default());
        match name.unwrap_or_default().to_bytes() {
            b"" | b"." | b".." => {}
            // Checks first whether it is UTF-8, which is faster than a conversion.
            name => match std::str::from_utf8(name) {
                Ok(name) => take(name),
                Err(_) => take(&String::from_utf8_lossy(name)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_in_a_folder_are_found() {
        let folder = tempfile::tempdir().expect("folder");
        let mut expected: Vec<String> = (0..3000)
            .map(|number| format!("{}{number}", "n".repeat(number % 200)))
            .collect();
        for name in &expected {
            std::fs::write(folder.path().join(name), "").expect("file");
        }
        let mut found = Vec::new();
        let path = folder.path().to_str().expect("path");
        each_name(path, 4096, &mut |name| found.push(name.to_owned())).expect("names");
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        let missing = each_name(&format!("{path}/missing"), 4096, &mut |_| ());
        assert_eq!(
            missing.map_err(|error| error.kind()),
            Err(io::ErrorKind::NotFound)
        );
        let file = each_name(&format!("{path}/{}", expected[0]), 4096, &mut |_| ());
        assert_eq!(
            file.map_err(|error| error.kind()),
            Err(io::ErrorKind::NotADirectory)
        );
    }
}
