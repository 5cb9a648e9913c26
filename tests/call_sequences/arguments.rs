//! Arguments of calls.

use std::collections::BTreeMap;

use crate::memory::Memory;
use crate::random::Random;
use crate::signature::{Function, Kind, Parameter};

/// The handles of a sequence, by type.
pub(crate) type Handles = BTreeMap<String, Vec<usize>>;

/// Names of fields, parameters, metadata and files, and arbitrary strings.
const TEXTS: [&str; 56] = [
    "",
    "a",
    "v",
    "n",
    "e",
    "l",
    "x",
    "colors",
    "first",
    "missing",
    "__coords",
    "__timestamps",
    "result",
    "sm.mem.total_budget",
    "sm.memory_budget",
    "sm.var_offsets.extra_element",
    "sm.var_offsets.bitsize",
    "sm.var_offsets.mode",
    "sm.consolidation.mode",
    "sm.vacuum.mode",
    "sm.consolidation.steps",
    "sm.consolidation.step_min_frags",
    "sm.consolidation.step_max_frags",
    "sm.consolidation.step_size_ratio",
    "sm.encryption_type",
    "sm.encryption_key",
    "sm.compute_concurrency_level",
    "sm.io_concurrency_level",
    "sm.tile_cache_size",
    "sm.dedup_coords",
    "sm.check_global_order",
    "vfs.",
    "vfs.file.posix_file_permissions",
    "sm.consolidation.timestamp_end",
    "sm.consolidation.buffer_size",
    "sm.consolidation.max_fragment_size",
    "config.env_var_prefix",
    "config.logging_level",
    "profile_name",
    "0",
    "1",
    "-1",
    "true",
    "false",
    "18446744073709551615",
    "4294967296",
    "-9223372036854775808",
    "abc",
    "1.5",
    "fragments",
    "commits",
    "array_meta",
    "fragment_meta",
    "64",
    "AES_256_GCM",
    "0123456789abcdeF0123456789abcdeF",
];
/// Objects in the folder of a sequence, files, and names that do not exist.
const PATHS: [&str; 14] = [
    "dense",
    "sparse",
    "labels",
    "enumerations",
    "maintained",
    "group",
    "file",
    "missing",
    "new",
    "new/deep",
    "mem://array",
    "dense/__schema",
    "group/arr1",
    "mem://",
];

/// Makes the arguments of calls.
pub(crate) struct Arguments<'a> {
    pub(crate) handles: &'a mut Handles,
    pub(crate) memory: &'a mut Memory,
    pub(crate) random: &'a mut Random,
    /// The folder of the sequence.
    pub(crate) folder: &'a str,
}

impl Arguments<'_> {
    fn one_in(&mut self, n: u64) -> bool {
        self.random.below(n) == 0
    }

    /// Returns an argument for a parameter.
    pub(crate) fn make(&mut self, function: &Function, parameter: &Parameter) -> usize {
        match &parameter.kind {
            Kind::Handle(handle_type) => self.handle(handle_type),
            Kind::HandleOut(handle_type) => self.handle_out(function, handle_type),
            Kind::TextOut => self.pointer_out(),
            Kind::BorrowedOut | Kind::Unknown => self.pointer_out(),
            Kind::Texts => self.texts(&parameter.name),
            Kind::Text => self.text(&parameter.name),
            Kind::Bytes => self.bytes(),
            Kind::Number => self.number(function, &parameter.name),
            Kind::Range => self.range(),
            Kind::Callback => visit as *const () as usize,
            // SAFETY: both texts are C strings; the stream stays open until the process ends.
            Kind::Stream => unsafe { libc::fopen(c"/dev/null".as_ptr(), c"w".as_ptr()) as usize },
            Kind::Integer(size) => self.integer(function, &parameter.name, *size),
            Kind::Enumerator => self.enumerator(),
            Kind::Arrow => 0,
        }
    }

    fn handle(&mut self, handle_type: &str) -> usize {
        let null = if handle_type == "tiledb_ctx_t" {
            60
        } else {
            15
        };
        if self.one_in(null) {
            return 0;
        }
        let handles = self.handles.get(handle_type).map_or(&[][..], Vec::as_slice);
        match handles {
            [] => 0,
            handles => self.random.one_of(handles),
        }
    }

    /// Returns a pointer to null or, for a function that frees, to a handle that is removed from
    /// the others.
    fn handle_out(&mut self, function: &Function, handle_type: &str) -> usize {
        if self.one_in(20) {
            return 0;
        }
        let mut value = 0;
        if function.frees()
            && !self.one_in(8)
            && let Some(handles) = self.handles.get_mut(handle_type)
            && !handles.is_empty()
            // One context is kept, because most calls do nothing without one.
            && (handle_type != "tiledb_ctx_t" || handles.len() > 1)
        {
            let first = usize::from(handle_type == "tiledb_ctx_t");
            let index = first + self.random.below((handles.len() - first) as u64) as usize;
            value = handles.remove(index);
        }
        self.memory.word(value as u64)
    }

    fn pointer_out(&mut self) -> usize {
        if self.one_in(20) {
            0
        } else {
            self.memory.word(0)
        }
    }

    fn text(&mut self, name: &str) -> usize {
        if self.one_in(20) {
            return 0;
        }
        if self.one_in(25) {
            let odd: [&[u8]; 4] = [b"\xff\xfe", &[b'q'; 5000], b"a\nb\t", b"%s%n%d"];
            let odd = self.random.one_of(&odd);
            return self.memory.text(odd);
        }
        let is_path = ["uri", "path", "file", "dir"]
            .iter()
            .any(|part| name.contains(part));
        if is_path != self.one_in(10) {
            let path = self.random.one_of(&PATHS);
            let text = if path.starts_with("mem:") || self.one_in(4) {
                path.to_owned()
            } else {
                format!("{}/{path}", self.folder)
            };
            return self.memory.text(text.as_bytes());
        }
        let some = if self.one_in(2) { 8 } else { TEXTS.len() };
        let text = self.random.one_of(&TEXTS[..some]);
        self.memory.text(text.as_bytes())
    }

    /// Returns 64 strings; counts are smaller.
    fn texts(&mut self, name: &str) -> usize {
        if self.one_in(10) {
            return 0;
        }
        let texts = (0..64).map(|_| self.text(name)).collect();
        self.memory.list(texts)
    }

    fn bytes(&mut self) -> usize {
        if self.one_in(15) {
            return 0;
        }
        let kind = self.random.below(6);
        let seed = self.random.next();
        let words = (0..512u64).map(|index| match kind {
            0 => 0,
            1 => index,
            2 => 8 * index,
            3 => index << 32 | index,
            4 => Random(seed ^ index).next(),
            _ => u64::MAX,
        });
        self.memory.region(words)
    }

    /// Returns a pointer to a number. Sizes of query buffers do not exceed the buffer.
    fn number(&mut self, function: &Function, name: &str) -> usize {
        if self.one_in(25) {
            return 0;
        }
        let is_size = function.name.starts_with("query_set") && name.contains("size");
        let is_size = is_size || name == "path_length";
        let value = if is_size {
            self.random.one_of(&[0, 1, 3, 4, 8, 12, 16, 64, 800, 4096])
        } else {
            self.random.one_of(&[0, 1, u64::MAX])
        };
        self.memory.word(value)
    }

    /// Returns a `tiledb_range_t`: both ends, each with its size.
    fn range(&mut self) -> usize {
        let mut words = [0u64; 4];
        for end in words.chunks_mut(2) {
            end[0] = self.bytes() as u64;
            end[1] = self.random.one_of(&[0, 1, 4, 8, 8, 8, 16]);
        }
        self.memory.region(words)
    }

    fn integer(&mut self, function: &Function, name: &str, size: usize) -> usize {
        let counts = ["_num", "num_", "count"]
            .iter()
            .any(|part| name.contains(part))
            && name != "cell_val_num";
        let lists = function
            .parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Texts);
        let bounded = function.uses_bytes() || lists;
        let some = if self.one_in(4) {
            &[0, 1, 2, 3, 4, 8, 16][..]
        } else {
            &[0, 0, 0, 1, 1, 2][..]
        };
        if bounded && (size == 8 || counts) {
            // Impossible sizes must be detected; all others must be true.
            return match (self.random.below(12), counts, size) {
                (0, false, 8) => self.random.one_of(&[usize::MAX, 1 << 63]),
                (1..=3, false, _) => self.random.one_of(&[64, 100, 1000, 4096]),
                (1, true, _) => 64,
                _ => self.random.one_of(&[0, 1, 2, 4, 8, 8, 16, 24]),
            };
        }
        match self.random.below(6) {
            0 => self.random.one_of(&[
                usize::MAX,
                1 << 63,
                (1 << 63) - 1,
                u32::MAX as usize,
                i32::MAX as usize,
                1 << 31,
                1 << 40,
                255,
            ]),
            1 => self
                .random
                .one_of(&[7, 10, 31, 100, 999, 1000, 4096, 1 << 20]),
            _ => self.random.one_of(some),
        }
    }

    fn enumerator(&mut self) -> usize {
        match self.random.below(12) {
            0 => self.random.one_of(&[usize::MAX, 255, 99, 1 << 31]),
            1..=5 => self.random.below(45) as usize,
            _ => self.random.below(6) as usize,
        }
    }
}

/// A callback of any signature of the C API. It ignores its arguments and continues the walk.
extern "C" fn visit() -> i32 {
    1
}
