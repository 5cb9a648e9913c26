//! Dense arrays between this library and libtiledb: what one writes, both read alike, cell by cell and attribute by
//! attribute, and the data files have the same bytes.
//!
//! Runs where `TILEDB_UPSTREAM_LIB` names libtiledb's shared library and says so where it does not.
//! `TILEDB_RS_CASES` sets how many random schemas (default 300); a failure names its seed, `TILEDB_RS_SEED` runs it alone.

mod shared_library;

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::path::{Path, PathBuf};

/// A library with the C API, its functions called by name.
struct Library {
    handle: *mut c_void,
    name: &'static str,
    ctx: usize,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

impl Library {
    fn open(path: &Path, name: &'static str) -> Self {
        let path = CString::new(path.to_str().expect("path")).expect("path");
        // SAFETY: a library with the C API.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{name} does not load");
        let mut library = Self {
            handle,
            name,
            ctx: 0,
        };
        let mut ctx = 0usize;
        assert_eq!(
            library.call("ctx_alloc", &[0, address(&mut ctx)]),
            0,
            "{name}: ctx_alloc"
        );
        library.ctx = ctx;
        library
    }

    /// Calls a function; every argument is an integer or a pointer.
    fn call(&self, name: &str, a: &[usize]) -> i32 {
        let symbol = CString::new(format!("tiledb_{name}")).expect("name");
        // SAFETY: the functions of the C API take integers and pointers; the callers below give what each asks for.
        unsafe {
            let f = libc::dlsym(self.handle, symbol.as_ptr());
            assert!(!f.is_null(), "{name} is missing");
            type F1 = unsafe extern "C" fn(usize) -> i32;
            type F2 = unsafe extern "C" fn(usize, usize) -> i32;
            type F3 = unsafe extern "C" fn(usize, usize, usize) -> i32;
            type F4 = unsafe extern "C" fn(usize, usize, usize, usize) -> i32;
            type F5 = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> i32;
            type F6 = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> i32;
            match *a {
                [a] => std::mem::transmute::<*mut c_void, F1>(f)(a),
                [a, b] => std::mem::transmute::<*mut c_void, F2>(f)(a, b),
                [a, b, c] => std::mem::transmute::<*mut c_void, F3>(f)(a, b, c),
                [a, b, c, d] => std::mem::transmute::<*mut c_void, F4>(f)(a, b, c, d),
                [a, b, c, d, e] => std::mem::transmute::<*mut c_void, F5>(f)(a, b, c, d, e),
                [a, b, c, d, e, g] => std::mem::transmute::<*mut c_void, F6>(f)(a, b, c, d, e, g),
                _ => panic!("{name} with {} arguments", a.len()),
            }
        }
    }

    /// Calls a function whose first argument is the context, which must succeed.
    fn ok(&self, name: &str, a: &[usize]) {
        let a: Vec<usize> = [self.ctx].into_iter().chain(a.iter().copied()).collect();
        let code = self.call(name, &a);
        assert_eq!(code, 0, "{}: {name}: {}", self.name, self.last_error());
    }

    fn last_error(&self) -> String {
        let (mut error, mut text) = (0usize, std::ptr::null::<c_char>());
        self.call("ctx_get_last_error", &[self.ctx, address(&mut error)]);
        if error == 0 {
            return "no error".into();
        }
        self.call("error_message", &[error, address(&mut text)]);
        // SAFETY: lent by the error object, which is never freed here.
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    }

    /// Makes an object with a function whose last argument receives it.
    fn make(&self, name: &str, a: &[usize]) -> usize {
        let mut made = 0usize;
        let a: Vec<usize> = a.iter().copied().chain([address(&mut made)]).collect();
        self.ok(name, &a);
        made
    }
}

fn address<T>(value: &mut T) -> usize {
    std::ptr::from_mut(value) as usize
}

/// A dimension or an attribute, as both libraries are asked to make it.
struct AttributeSpec {
    name: CString,
    datatype: u32,
    size: usize,
    cell_val_num: u32,
    nullable: bool,
    filters: Vec<(u32, Option<i32>)>,
    fill: Option<Vec<u8>>,
}

struct Spec {
    dim_type: u32,
    dim_size: usize,
    low: i64,
    lens: Vec<u64>,
    extents: Vec<u64>,
    tile_order: usize,
    cell_order: usize,
    attributes: Vec<AttributeSpec>,
    offsets_filters: Option<Vec<(u32, Option<i32>)>>,
    validity_filters: Option<Vec<(u32, Option<i32>)>>,
    writes: Vec<Write>,
}

struct Write {
    layout: usize,
    ranges: Vec<(u64, u64)>,
    cells: usize,
    columns: Vec<Column>,
}

#[derive(Clone, Default, PartialEq, Debug)]
struct Column {
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
}

const VAR: u32 = u32::MAX;
/// Datatypes of attributes, with the sizes of their values: all that there are.
const TYPES: [(u32, usize); 44] = [
    (0, 4),
    (1, 8),
    (2, 4),
    (3, 8),
    (4, 1),
    (5, 1),
    (6, 1),
    (7, 2),
    (8, 2),
    (9, 4),
    (10, 8),
    (11, 1),
    (12, 1),
    (13, 2),
    (14, 4),
    (15, 2),
    (16, 4),
    (17, 1),
    (18, 8),
    (19, 8),
    (20, 8),
    (21, 8),
    (22, 8),
    (23, 8),
    (24, 8),
    (25, 8),
    (26, 8),
    (27, 8),
    (28, 8),
    (29, 8),
    (30, 8),
    (31, 8),
    (32, 8),
    (33, 8),
    (34, 8),
    (35, 8),
    (36, 8),
    (37, 8),
    (38, 8),
    (39, 8),
    (40, 1),
    (41, 1),
    (42, 1),
    (43, 1),
];
/// Datatypes of dense dimensions: integers, dates and times.
const DIM_TYPES: [(u32, usize, bool); 12] = [
    (0, 4, true),
    (1, 8, true),
    (5, 1, true),
    (6, 1, false),
    (7, 2, true),
    (8, 2, false),
    (9, 4, false),
    (10, 8, false),
    (18, 8, true),
    (25, 8, true),
    (30, 8, true),
    (36, 8, true),
];

fn filters(random: &mut Random) -> Vec<(u32, Option<i32>)> {
    let kinds = [
        (1, Some(6)),
        (1, Some(-1)),
        (2, Some(3)),
        (2, Some(-1)),
        (3, None),
        (5, Some(2)),
        (9, None),
        (12, None),
        (13, None),
        (0, None),
    ];
    (0..random.below(4))
        .map(|_| random.one_of(&kinds))
        .collect()
}

impl Spec {
    fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let (dim_type, dim_size, signed) = random.one_of(&DIM_TYPES);
        let dims = 1 + random.below(8).min(random.below(8)) as usize;
        let most = [90, 20, 8, 5, 3, 3, 2, 2][dims - 1];
        let lens: Vec<u64> = (0..dims).map(|_| 1 + random.below(most)).collect();
        let extents = lens.iter().map(|len| 1 + random.below(*len)).collect();
        let low = random.below(30) as i64 - if signed { 15 } else { 0 };
        let attributes = (0..1 + random.below(4))
            .map(|at| AttributeSpec::random(&mut random, at))
            .collect();
        let mut spec = Self {
            dim_type,
            dim_size,
            low,
            lens,
            extents,
            tile_order: random.below(2) as usize,
            cell_order: random.below(2) as usize,
            attributes,
            offsets_filters: (random.below(2) == 0).then(|| filters(&mut random)),
            validity_filters: (random.below(2) == 0).then(|| filters(&mut random)),
            writes: Vec::new(),
        };
        for _ in 0..1 + random.below(3) {
            let write = spec.random_write(&mut random);
            spec.writes.extend(write);
        }
        spec
    }

    fn random_write(&self, random: &mut Random) -> Option<Write> {
        let layout = random.one_of(&[0, 0, 1, 2]);
        let mut ranges = Vec::new();
        for (len, extent) in self.lens.iter().zip(&self.extents) {
            let ends = [random.below(*len), random.below(*len)];
            let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if layout == 2 {
                (low, high) = (low / extent * extent, high / extent * extent + extent - 1);
                if high >= *len {
                    return None;
                }
            }
            ranges.push((low, high));
        }
        let cells: u64 = ranges.iter().map(|(low, high)| high - low + 1).product();
        let columns = self
            .attributes
            .iter()
            .map(|attribute| attribute.random_cells(random, cells as usize))
            .collect();
        Some(Write {
            layout,
            ranges,
            cells: cells as usize,
            columns,
        })
    }

    fn coordinate(&self, at: u64) -> Vec<u8> {
        (self.low + at as i64).to_le_bytes()[..self.dim_size].to_vec()
    }

    fn create(&self, library: &Library, uri: &CStr) {
        let domain = library.make("domain_alloc", &[]);
        for (d, (len, extent)) in self.lens.iter().zip(&self.extents).enumerate() {
            let name = CString::new(format!("d{d}")).expect("name");
            let ends = [self.coordinate(0), self.coordinate(len - 1)].concat();
            let extent = extent.to_le_bytes();
            let arguments = [
                name.as_ptr() as usize,
                self.dim_type as usize,
                ends.as_ptr() as usize,
                extent.as_ptr() as usize,
            ];
            let dimension = library.make("dimension_alloc", &arguments);
            library.ok("domain_add_dimension", &[domain, dimension]);
        }
        let schema = library.make("array_schema_alloc", &[0]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_tile_order", &[schema, self.tile_order]);
        library.ok("array_schema_set_cell_order", &[schema, self.cell_order]);
        for attribute in &self.attributes {
            library.ok(
                "array_schema_add_attribute",
                &[schema, attribute.make(library)],
            );
        }
        if let Some(filters) = &self.offsets_filters {
            library.ok(
                "array_schema_set_offsets_filter_list",
                &[schema, filter_list(library, filters)],
            );
        }
        if let Some(filters) = &self.validity_filters {
            library.ok(
                "array_schema_set_validity_filter_list",
                &[schema, filter_list(library, filters)],
            );
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    fn subarray(&self, library: &Library, array: usize, ranges: &[(u64, u64)]) -> usize {
        let subarray = library.make("subarray_alloc", &[array]);
        for (d, (low, high)) in ranges.iter().enumerate() {
            let (low, high) = (self.coordinate(*low), self.coordinate(*high));
            library.ok(
                "subarray_add_range",
                &[
                    subarray,
                    d,
                    low.as_ptr() as usize,
                    high.as_ptr() as usize,
                    0,
                ],
            );
        }
        subarray
    }

    fn write(&self, library: &Library, uri: &CStr, write: &Write) {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_open", &[array, 1]);
        let query = library.make("query_alloc", &[array, 1]);
        library.ok("query_set_layout", &[query, write.layout]);
        library.ok(
            "query_set_subarray_t",
            &[query, self.subarray(library, array, &write.ranges)],
        );
        let mut columns = write.columns.clone();
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((attribute, column), sizes) in self.attributes.iter().zip(&mut columns).zip(&mut sizes)
        {
            attribute.set_buffers(library, query, column, sizes);
        }
        library.ok("query_submit", &[query]);
        library.ok("query_finalize", &[query]);
        library.ok("array_close", &[array]);
        let mut query = query;
        library.call("query_free", &[address(&mut query)]);
    }

    /// All cells in a layout.
    fn read(&self, library: &Library, uri: &CStr, layout: usize) -> Vec<Column> {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_open", &[array, 0]);
        let query = library.make("query_alloc", &[array, 0]);
        library.ok("query_set_layout", &[query, layout]);
        let all: Vec<(u64, u64)> = self.lens.iter().map(|len| (0, len - 1)).collect();
        library.ok(
            "query_set_subarray_t",
            &[query, self.subarray(library, array, &all)],
        );
        let cells = self.lens.iter().product::<u64>() as usize;
        let mut columns: Vec<Column> = self
            .attributes
            .iter()
            .map(|attribute| attribute.room(cells))
            .collect();
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((attribute, column), sizes) in self.attributes.iter().zip(&mut columns).zip(&mut sizes)
        {
            attribute.set_buffers(library, query, column, sizes);
        }
        library.ok("query_submit", &[query]);
        let mut status = 99i32;
        library.ok("query_get_status", &[query, address(&mut status)]);
        assert_eq!(status, 1, "{}: the read is not complete", library.name);
        for (column, sizes) in columns.iter_mut().zip(sizes) {
            column.data.truncate(sizes[0] as usize);
            column.offsets.truncate(sizes[1] as usize / 8);
            column.validity.truncate(sizes[2] as usize);
        }
        library.ok("array_close", &[array]);
        columns
    }
}

fn filter_list(library: &Library, filters: &[(u32, Option<i32>)]) -> usize {
    let list = library.make("filter_list_alloc", &[]);
    for (kind, level) in filters {
        let filter = library.make("filter_alloc", &[*kind as usize]);
        if let Some(level) = level {
            let mut level = *level;
            library.ok("filter_set_option", &[filter, 0, address(&mut level)]);
        }
        library.ok("filter_list_add_filter", &[list, filter]);
    }
    list
}

impl Column {
    fn sizes(&self) -> [u64; 3] {
        [
            self.data.len() as u64,
            self.offsets.len() as u64 * 8,
            self.validity.len() as u64,
        ]
    }
}

impl AttributeSpec {
    fn random(random: &mut Random, at: u64) -> Self {
        let (datatype, size) = random.one_of(&TYPES);
        let cell_val_num = if datatype == 17 {
            VAR
        } else {
            random.one_of(&[1, 1, 1, 2, 5, VAR, VAR])
        };
        let nullable = random.below(3) == 0;
        let cell = if cell_val_num == VAR {
            size
        } else {
            size * cell_val_num as usize
        };
        let fill =
            (random.below(3) == 0).then(|| (0..cell).map(|_| random.below(200) as u8).collect());
        // Checksums of nothing are written by libtiledb and not read again.
        let mut filters = filters(random);
        if cell_val_num == VAR {
            filters.retain(|(kind, _)| !matches!(kind, 9 | 12 | 13));
        }
        Self {
            name: CString::new(format!("a{at}")).expect("name"),
            datatype,
            size,
            cell_val_num,
            nullable,
            filters,
            fill,
        }
    }

    fn make(&self, library: &Library) -> usize {
        let attribute = library.make(
            "attribute_alloc",
            &[self.name.as_ptr() as usize, self.datatype as usize],
        );
        library.ok(
            "attribute_set_cell_val_num",
            &[attribute, self.cell_val_num as usize],
        );
        if self.nullable {
            library.ok("attribute_set_nullable", &[attribute, 1]);
        }
        match (&self.fill, self.nullable) {
            (Some(fill), false) => library.ok(
                "attribute_set_fill_value",
                &[attribute, fill.as_ptr() as usize, fill.len()],
            ),
            (Some(fill), true) => {
                library.ok(
                    "attribute_set_fill_value_nullable",
                    &[attribute, fill.as_ptr() as usize, fill.len(), 1],
                );
            }
            _ => {}
        }
        library.ok(
            "attribute_set_filter_list",
            &[attribute, filter_list(library, &self.filters)],
        );
        attribute
    }

    fn random_cells(&self, random: &mut Random, cells: usize) -> Column {
        let mut column = Column::default();
        let small = random.below(2) == 0;
        for _ in 0..cells {
            let values = if self.cell_val_num == VAR {
                column.offsets.push(column.data.len() as u64);
                random.below(6)
            } else {
                self.cell_val_num.into()
            };
            let bytes = values as usize * self.size;
            // Bytes below 128 in the top place keep reals away from NaN, whose order in statistics is its own tale.
            column
                .data
                .extend((0..bytes).map(|_| random.below(if small { 4 } else { 100 }) as u8 + 1));
            if self.nullable {
                column.validity.push(u8::from(random.below(4) > 0));
            }
        }
        column
    }

    fn room(&self, cells: usize) -> Column {
        let cell = if self.cell_val_num == VAR {
            8 * self.size
        } else {
            self.size * self.cell_val_num as usize
        };
        Column {
            data: vec![0; cells * cell],
            offsets: vec![0; if self.cell_val_num == VAR { cells } else { 0 }],
            validity: vec![0; if self.nullable { cells } else { 0 }],
        }
    }

    fn set_buffers(
        &self,
        library: &Library,
        query: usize,
        column: &mut Column,
        sizes: &mut [u64; 3],
    ) {
        let name = self.name.as_ptr() as usize;
        let [data, offsets, validity] = sizes;
        // An empty vector has no address of its own; libtiledb asks for one.
        column.data.reserve(1);
        library.ok(
            "query_set_data_buffer",
            &[
                query,
                name,
                column.data.as_mut_ptr() as usize,
                address(data),
            ],
        );
        if self.cell_val_num == VAR {
            library.ok(
                "query_set_offsets_buffer",
                &[
                    query,
                    name,
                    column.offsets.as_mut_ptr() as usize,
                    address(offsets),
                ],
            );
        }
        if self.nullable {
            library.ok(
                "query_set_validity_buffer",
                &[
                    query,
                    name,
                    column.validity.as_mut_ptr() as usize,
                    address(validity),
                ],
            );
        }
    }
}

/// The data files of an array's fragments, oldest first: name and bytes.
fn data_files(array: &Path) -> Vec<(String, Vec<u8>)> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<_> = fs::read_dir(path)
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .collect();
        found.sort();
        found
    };
    let mut files = Vec::new();
    for fragment in folders(&array.join("__fragments")) {
        for file in folders(&fragment) {
            let name = file
                .file_name()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            if true {
                files.push((name, fs::read(&file).expect("file")));
            }
        }
    }
    files
}

fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) {
    let spec = Spec::random(seed);
    let paths = [folder.join("ours"), folder.join("theirs")];
    for (library, path) in [ours, theirs].into_iter().zip(&paths) {
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        spec.create(library, &uri);
        for write in &spec.writes {
            assert!(write.cells > 0);
            spec.write(library, &uri, write);
            // Fragments of one millisecond have no order between them in libtiledb.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        for layout in [0, 1, 2] {
            let (a, b) = (
                spec.read(ours, &uri, layout),
                spec.read(theirs, &uri, layout),
            );
            assert_eq!(a, b, "written by {}, layout {layout}", library.name);
        }
    }
    let (ours, theirs) = (data_files(&paths[0]), data_files(&paths[1]));
    assert_eq!(ours.len(), theirs.len(), "the files differ in number");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.0, theirs.0);
        assert!(
            ours.1 == theirs.1,
            "the bytes of {} differ: {} and {}",
            ours.0,
            ours.1.len(),
            theirs.1.len()
        );
    }
}

#[test]
fn arrays_of_either_library_read_the_same_in_both() {
    let Some(upstream) = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty())
    else {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    };
    let ours = Library::open(&shared_library::path(), "tiledb_rs");
    let theirs = Library::open(Path::new(&upstream), "libtiledb");
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, cases) = match number("TILEDB_RS_SEED") {
        Some(seed) => (seed, 1),
        None => (1, number("TILEDB_RS_CASES").unwrap_or(300)),
    };
    let root = std::env::temp_dir().join(format!("tiledb-rs-upstream-{}", std::process::id()));
    for seed in first..first + cases {
        let folder = root.join(seed.to_string());
        fs::create_dir_all(&folder).expect("folder");
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            compare(&ours, &theirs, seed, &folder)
        }));
        assert!(
            run.is_ok(),
            "the case of seed {seed} failed; see {}",
            folder.display()
        );
        fs::remove_dir_all(&folder).expect("remove");
    }
    fs::remove_dir_all(&root).expect("remove");
    println!("{cases} random dense arrays agree, seeds from {first}");
}
