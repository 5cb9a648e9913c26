//! The entries of a folder, as the kernel lists them.

#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;

use crate::platform::EntryType;

/// Calls `take` with the name and the type of each entry of a folder, in any order.
#[cfg(not(target_os = "linux"))]
pub(crate) fn each_entry(
    path: &str,
    _buffer_bytes: usize,
    take: &mut dyn FnMut(&str, EntryType),
) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => EntryType::Folder,
            kind if kind.is_file() => EntryType::File,
            _ => EntryType::Other,
        };
        take(&entry.file_name().to_string_lossy(), kind);
    }
    Ok(())
}

/// The size of the first buffer, on the stack. It contains all entries of most folders.
#[cfg(target_os = "linux")]
const FIRST_BUFFER_BYTES: usize = 4096;

/// Calls `take` with the name and the type of each entry of a folder, in any order. After the first
/// entries, one call of the system fills a buffer of `buffer_bytes`. The standard library allocates
/// memory for the folder and for each entry, which takes longer than to list it.
#[cfg(target_os = "linux")]
pub(crate) fn each_entry(
    path: &str,
    buffer_bytes: usize,
    take: &mut dyn FnMut(&str, EntryType),
) -> io::Result<()> {
    each_entry_of(&super::open_folder(path)?, buffer_bytes, take)
}

/// Calls `take` with the name and the type of each entry of an open folder, like [`each_entry`].
#[cfg(target_os = "linux")]
pub(crate) fn each_entry_of(
    folder: &File,
    buffer_bytes: usize,
    take: &mut dyn FnMut(&str, EntryType),
) -> io::Result<()> {
    let mut first = [0; FIRST_BUFFER_BYTES];
    let len = super::syscalls::read_entries(folder, &mut first)?;
    each_entry_in(first.get(..len).unwrap_or_default(), take);
    if len == 0 {
        return Ok(());
    }
    let mut large = Vec::new();
    loop {
        // A short list ends here, without a large buffer.
        let buffer = if len < FIRST_BUFFER_BYTES / 2 {
            &mut first[..]
        } else {
            large.resize(buffer_bytes, 0);
            &mut large[..]
        };
        let len = super::syscalls::read_entries(folder, buffer)?;
        if len == 0 {
            return Ok(());
        }
        each_entry_in(buffer.get(..len).unwrap_or_default(), take);
    }
}

/// Calls `take` with the entries in a buffer as the kernel writes them: inode (8 bytes), offset (8
/// bytes), length of the entry (2 bytes), type (1 byte), name, zeros.
#[cfg(target_os = "linux")]
#[expect(
    clippy::host_endian_bytes,
    reason = "the kernel's numbers have the byte order of the CPU"
)]
fn each_entry_in(mut entries: &[u8], take: &mut dyn FnMut(&str, EntryType)) {
    const LENGTH: usize = 16;
    const TYPE: usize = 18;
    const NAME: usize = 19;
    while let Some(length) = entries.get(LENGTH..).and_then(<[u8]>::first_chunk) {
        let length = usize::from(u16::from_ne_bytes(*length));
        let Some((entry, rest)) = entries.split_at_checked(length.max(NAME)) else {
            return;
        };
        entries = rest;
        let kind = match entry.get(TYPE) {
            Some(&libc::DT_DIR) => EntryType::Folder,
            Some(&libc::DT_REG) => EntryType::File,
            _ => EntryType::Other,
        };
        let name = std::ffi::CStr::from_bytes_until_nul(entry.get(NAME..).unwrap_or_default());
        match name.unwrap_or_default().to_bytes() {
            b"" | b"." | b".." => {}
            // Checks first whether it is UTF-8, which is faster than a conversion.
            name => match std::str::from_utf8(name) {
                Ok(name) => take(name, kind),
                Err(_) => take(&String::from_utf8_lossy(name), kind),
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
        let path = folder.path().to_str().expect("path");
        let entries_of = |path: &str| {
            let mut found = Vec::new();
            let push = &mut |name: &str, kind| found.push((name.to_owned(), kind));
            each_entry(path, 4096, push).expect("entries");
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            found
        };
        expected.sort();
        let files = expected.iter().cloned().map(|name| (name, EntryType::File));
        assert_eq!(entries_of(path), files.collect::<Vec<_>>());
        let missing = each_entry(&format!("{path}/missing"), 4096, &mut |_, _| ());
        assert_eq!(
            missing.map_err(|error| error.kind()),
            Err(io::ErrorKind::NotFound)
        );
        let file = each_entry(&format!("{path}/{}", expected[0]), 4096, &mut |_, _| ());
        assert_eq!(
            file.map_err(|error| error.kind()),
            Err(io::ErrorKind::NotADirectory)
        );
    }

    #[test]
    fn entries_have_the_types_of_files_folders_and_others() {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("file"), "").expect("file");
        std::fs::create_dir(folder.path().join("folder")).expect("folder");
        std::os::unix::fs::symlink("file", folder.path().join("link")).expect("link");
        let mut found = Vec::new();
        let path = folder.path().to_str().expect("path");
        let push = &mut |name: &str, kind| found.push((name.to_owned(), kind));
        each_entry(path, 4096, push).expect("entries");
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        let expected = [
            ("file", EntryType::File),
            ("folder", EntryType::Folder),
            ("link", EntryType::Other),
        ];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
