//! Filters on empty parts: fields of variable length with a tile that has no bytes, with every list
//! of up to two filters, in dense and sparse arrays, plain and encrypted. Both libraries must
//! store equal bytes, apart from encrypted ones, and read the arrays of both alike.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs;
use std::path::Path;

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::filters::{DICTIONARY, KINDS, ListSpec, RLE, SCALE_FLOAT};
use crate::library::Library;
use crate::query::{Query, READ, ROW_MAJOR, UNORDERED, WRITE};

/// The number of fields of an array.
const FIELDS: usize = 80;
/// The tile extent of dense arrays and the capacity of sparse ones.
const EXTENT: i32 = 2;

/// The types of fields: code and size. They are STRING_UTF8, because libtiledb crashes if an array
/// of a few tiles has many fields of STRING_ASCII, INT32, and FLOAT32 for lists with float scaling,
/// which has no meaning for integers.
const TYPES: [(u32, usize); 3] = [(TEXT, 1), (INTEGER, 4), (REAL, 4)];
const TEXT: u32 = 12;
const INTEGER: u32 = 0;
const REAL: u32 = 2;

/// The arrays that are compared.
#[derive(Clone, Copy, Debug)]
struct Case {
    datatype: u32,
    size: usize,
    dense: bool,
    encrypted: bool,
    /// The number of values of each cell; a tile has two cells.
    cells: &'static [usize],
}

/// One empty cell; an empty tile between two others.
const CELLS: [&[usize]; 2] = [&[0], &[3, 1, 0, 0, 2, 2]];

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for (datatype, size) in TYPES {
            for dense in [true, false] {
                for encrypted in [false, true] {
                    cases.extend(CELLS.map(|cells| Self {
                        datatype,
                        size,
                        dense,
                        encrypted,
                        cells,
                    }));
                }
            }
        }
        cases
    }

    fn field(&self, index: usize, filters: ListSpec) -> AttributeSpec {
        AttributeSpec {
            name: CString::new(format!("a{index}")).expect("name"),
            datatype: self.datatype,
            size: self.size,
            cell_val_num: VAR,
            nullable: false,
            filters,
            fill: None,
            coordinates: None,
        }
    }

    /// Returns the cells of each field. All values ascend.
    fn column(&self) -> Column {
        let mut column = Column::default();
        let mut value = 0u8;
        for number in self.cells {
            column.offsets.push(column.data.len() as u64);
            for _ in 0..*number {
                value += 1;
                let bytes = match self.datatype {
                    TEXT => vec![b'a' + value],
                    REAL => f32::from(value).to_le_bytes().to_vec(),
                    _ => i32::from(value).to_le_bytes().to_vec(),
                };
                column.data.extend(bytes);
            }
        }
        column
    }

    fn coordinates(&self) -> Column {
        Column {
            data: (1..=self.cells.len() as i32)
                .flat_map(i32::to_le_bytes)
                .collect(),
            ..Column::default()
        }
    }

    fn create(&self, library: &Library, uri: &CStr, fields: &[AttributeSpec]) {
        let ends = [1i32, 100];
        let extent = EXTENT;
        let domain = library.make("domain_alloc", &[]);
        let dimension = [
            c"x".as_ptr() as usize,
            0,
            ends.as_ptr() as usize,
            std::ptr::from_ref(&extent) as usize,
        ];
        let dimension = library.make("dimension_alloc", &dimension);
        library.ok("domain_add_dimension", &[domain, dimension]);
        let schema = library.make("array_schema_alloc", &[usize::from(!self.dense)]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_capacity", &[schema, EXTENT as usize]);
        for field in fields {
            let attribute = field.make(library);
            library.ok("array_schema_add_attribute", &[schema, attribute]);
            library.free("attribute_free", attribute);
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
        library.free("array_schema_free", schema);
        library.free("dimension_free", dimension);
        library.free("domain_free", domain);
    }

    fn write(&self, library: &Library, uri: &CStr, fields: &[AttributeSpec]) -> Result<(), String> {
        let query = Query::open_within(library, uri, WRITE, Some((1, 1)));
        let dimension = AttributeSpec::of_dimension(c"x".to_owned(), 0, 4);
        let mut columns = vec![self.column(); fields.len()];
        let mut fields: Vec<_> = fields.iter().collect();
        if self.dense {
            query.set_layout(ROW_MAJOR);
            let last = self.cells.len() as i32;
            query.set_ranges([(0, false, 1i32.to_le_bytes(), last.to_le_bytes())]);
        } else {
            query.set_layout(UNORDERED);
            fields.push(&dimension);
            columns.push(self.coordinates());
        }
        query.write(&fields, &[columns])
    }

    /// Reads fields together.
    fn read_together(
        &self,
        library: &Library,
        uri: &CStr,
        fields: &[AttributeSpec],
    ) -> Result<Vec<Column>, String> {
        let query = Query::open(library, uri, READ);
        query.set_layout(if self.dense { ROW_MAJOR } else { UNORDERED });
        if self.dense {
            let last = self.cells.len() as i32;
            query.set_ranges([(0, false, 1i32.to_le_bytes(), last.to_le_bytes())]);
        }
        let fields: Vec<_> = fields.iter().collect();
        query.read(&fields, 3, |_| Column {
            data: vec![0; 1000],
            offsets: vec![0; 100],
            ..Column::default()
        })
    }

    /// Reads each field; on its own if one of them cannot be read.
    fn read(
        &self,
        library: &Library,
        uri: &CStr,
        fields: &[AttributeSpec],
    ) -> Vec<Result<Column, String>> {
        if let Ok(columns) = self.read_together(library, uri, fields) {
            return columns.into_iter().map(Ok).collect();
        }
        let fields = fields.chunks(1).map(|field| {
            self.read_together(library, uri, field)
                .map(|mut columns| columns.remove(0))
        });
        fields.collect()
    }
}

/// Returns every list of one to `most` filters.
fn lists(most: u32) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..most {
        let longer: Vec<_> = lists[from..]
            .iter()
            .flat_map(|list| KINDS.map(|kind| [&list[..], &[kind]].concat()))
            .collect();
        from = lists.len();
        lists.extend(longer);
    }
    lists
}

/// Returns whether libtiledb crashes with a list, or loses values of parts that are not empty: it
/// divides by the size of an empty window, takes a second string encoding for one that has offsets,
/// and filters of values drop the rest of a part that does not consist of whole values.
fn loses_values(case: &Case, list: &[u32]) -> bool {
    // Float scaling and XOR pass on integers.
    let mut has_integers = case.datatype == INTEGER;
    let divides = list.iter().any(|kind| {
        has_integers |= matches!(*kind, 15 | 16);
        has_integers && matches!(*kind, 7 | 10)
    });
    // Bytes in another order, or differences of bits, are not real numbers.
    let scales_others = list
        .iter()
        .skip_while(|kind| matches!(**kind, 0 | 12 | 13))
        .skip(1)
        .any(|kind| *kind == SCALE_FLOAT);
    if divides || scales_others {
        return true;
    }
    let is_text = |kind: &u32| matches!(*kind, RLE | DICTIONARY);
    if case.size == 1 {
        return list.iter().filter(|kind| is_text(kind)).count() > 1;
    }
    let mut whole = true;
    list.iter().any(|kind| {
        let needs_values = matches!(*kind, 4 | 6 | 7 | 10 | 15 | 16 | 19);
        let loses = needs_values && !whole;
        whole &= matches!(*kind, 0 | 9 | 12 | 13 | 16);
        loses
    })
}

/// The faults of libtiledb with an empty part and a list of filters.
#[derive(Default)]
struct Faults {
    /// A delta filter encodes an empty part: libtiledb stores values from beyond the part as the
    /// first ones, which differ from run to run, and cannot decode them.
    reads_beyond_part: bool,
    /// A filter that needs a part to decode finds none: the filter after it in the list stored an
    /// empty part, or leaves it unchanged, which is no part when libtiledb decodes it.
    loses_part: bool,
}

impl Faults {
    /// Follows the part that is empty at first through the filters of a list.
    fn of(case: &Case, list: &[u32]) -> Self {
        #[derive(Clone, Copy, PartialEq)]
        enum Part {
            /// An empty part that no filter made.
            Given,
            Empty,
            Missing,
            Filled,
        }
        let (mut part, mut has_metadata, mut faults) = (Part::Given, false, Self::default());
        let mut is_integer = case.datatype == INTEGER;
        for kind in list.iter().copied().chain(case.encrypted.then_some(AES)) {
            let leaves = matches!(kind, 0 | 12 | 13) || !is_integer && matches!(kind, 7 | 10);
            let adds_metadata = !leaves || matches!(kind, 12 | 13);
            faults.loses_part |= part == Part::Empty && (leaves || matches!(kind, RLE | AES));
            part = match (kind, part) {
                (_, Part::Filled) => Part::Filled,
                // String encodings store the offsets.
                (RLE | DICTIONARY, Part::Given) if case.datatype == TEXT => Part::Filled,
                _ if leaves => Part::Missing,
                (SCALE_FLOAT, Part::Missing) => Part::Missing,
                (8 | 9 | 16 | SCALE_FLOAT, _) => Part::Empty,
                // Compressors compress metadata too; run lengths of nothing are nothing.
                (RLE, _) | (_, Part::Missing) if !has_metadata => Part::Empty,
                (6 | 19, Part::Given | Part::Empty) => {
                    faults.reads_beyond_part = true;
                    Part::Filled
                }
                _ => Part::Filled,
            };
            has_metadata |= adds_metadata;
            // Float scaling and XOR pass on integers.
            is_integer |= case.datatype == REAL && matches!(kind, SCALE_FLOAT | 16);
        }
        faults
    }

    /// Returns whether libtiledb reads what either library stores.
    fn is_readable(&self) -> bool {
        !self.reads_beyond_part && !self.loses_part
    }
}

/// The code of the filter that encrypts, which libtiledb appends.
const AES: u32 = 11;

/// Returns the files of the fragment with the values of fields. In encrypted ones everything is
/// blanked that the key and the vectors decide: what remains are the lengths of chunks and parts.
fn stored(uri: &CStr, encrypted: bool) -> BTreeMap<String, Vec<u8>> {
    let fragments = Path::new(uri.to_str().expect("path")).join("__fragments");
    let mut files = BTreeMap::new();
    let Some(fragment) = fs::read_dir(fragments).expect("folder").next() else {
        return files;
    };
    for file in fs::read_dir(fragment.expect("entry").path()).expect("folder") {
        let path = file.expect("entry").path();
        let name = path
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        if name.starts_with('a') {
            let mut bytes = fs::read(&path).expect("file");
            if encrypted {
                blank(&mut bytes).expect("tiles of chunks");
            }
            files.insert(name, bytes);
        }
    }
    files
}

/// Blanks the encrypted data, the vectors and the tags of the tiles of a file.
fn blank(mut rest: &mut [u8]) -> Option<()> {
    let number = |bytes: &[u8], start: usize| {
        let bytes = bytes.get(start..start + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    while !rest.is_empty() {
        let chunks = number(rest, 0)?;
        rest = rest.get_mut(8..)?;
        for _ in 0..chunks {
            let (data, metadata) = (number(rest, 4)?, number(rest, 8)?);
            let (chunk, others) = rest.get_mut(12..)?.split_at_mut_checked(metadata + data)?;
            let (entries, data) = chunk.split_at_mut_checked(metadata)?;
            data.fill(0);
            for entry in entries.get_mut(8..)?.chunks_exact_mut(36) {
                entry[8..].fill(0);
            }
            rest = others;
        }
    }
    Some(())
}

/// Compares the arrays of a case with fields of these lists, which both libraries accept. Returns
/// the numbers of fields that were written, and that libtiledb read.
fn compare(
    case: &Case,
    libraries: [&Library; 2],
    folder: &Path,
    lists: &[Vec<u32>],
    failures: &mut Vec<String>,
) -> [usize; 2] {
    let fields: Vec<_> = lists
        .iter()
        .enumerate()
        .map(|(index, list)| case.field(index, ListSpec::of_kinds(list)))
        .collect();
    let mut uris = Vec::new();
    let mut results = Vec::new();
    for library in libraries {
        let path = folder.join(library.name);
        let _ = fs::remove_dir_all(&path);
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        case.create(library, &uri, &fields);
        results.push(case.write(library, &uri, &fields));
        uris.push(uri);
    }
    if let [Err(_), _] | [_, Err(_)] = &results[..] {
        if let [_] = lists {
            if results[0].is_ok() != results[1].is_ok() {
                failures.push(format!("{case:?} {lists:?}: write {results:?}"));
            }
            return [0, 0];
        }
        let (first, second) = lists.split_at(lists.len() / 2);
        let [a, b] = [first, second].map(|lists| compare(case, libraries, folder, lists, failures));
        return [a[0] + b[0], a[1] + b[1]];
    }
    let [ours, theirs] = [0, 1].map(|writer| stored(&uris[writer], case.encrypted));
    let faults: Vec<Faults> = lists.iter().map(|list| Faults::of(case, list)).collect();
    // One of the cases shows that libtiledb reads none of the others.
    let reads_all = !case.dense && !case.encrypted;
    let is_read = |faults: &&Faults| reads_all || faults.is_readable();
    let read_by_theirs: Vec<AttributeSpec> = fields
        .iter()
        .zip(&faults)
        .filter(|(_, faults)| is_read(faults))
        .map(|(field, _)| field.clone())
        .collect();
    let reads = [(0, &fields), (1, &read_by_theirs)].map(|(reader, fields)| {
        let read = |uri: &CString| case.read(libraries[reader], uri, fields).into_iter();
        [read(&uris[0]), read(&uris[1])]
    });
    let [mut our_reads, mut their_reads] = reads;
    let expected = case.column();
    for (index, (list, faults)) in lists.iter().zip(&faults).enumerate() {
        for name in [format!("a{index}.tdb"), format!("a{index}_var.tdb")] {
            let files = [&ours, &theirs].map(|files| files.get(&name));
            if files[0] != files[1] && !faults.reads_beyond_part {
                failures.push(format!("{case:?} {list:?} {name}: {files:02x?}"));
            }
        }
        for read in our_reads.each_mut().map(Iterator::next) {
            if !matches!(&read, Some(Ok(column)) if *column == expected) {
                failures.push(format!("{case:?} {list:?} read by this library: {read:?}"));
            }
        }
        if !is_read(&faults) {
            continue;
        }
        for read in their_reads.each_mut().map(Iterator::next) {
            let is_right = matches!(&read, Some(Ok(column)) if *column == expected);
            if is_right != faults.is_readable() {
                failures.push(format!("{case:?} {list:?} read by libtiledb: {read:?}"));
            }
        }
    }
    let read = faults.iter().filter(|faults| faults.is_readable()).count();
    [lists.len(), read]
}

/// Compares all cases with lists of up to `most` filters.
pub(crate) fn check(libraries: [[&Library; 2]; 2], folder: &Path, most: u32) -> [usize; 2] {
    let mut total = [0; 2];
    let mut failures = Vec::new();
    for case in &Case::all() {
        let libraries = libraries[usize::from(case.encrypted)];
        let mut accepted = Vec::new();
        for list in lists(most) {
            let is_scaled = list.contains(&SCALE_FLOAT);
            if loses_values(case, &list) || is_scaled != (case.datatype == REAL) {
                continue;
            }
            let mut field = case.field(0, ListSpec::of_kinds(&list));
            field.settle(libraries[0], libraries[1]);
            if list.is_empty() || !field.filters.filters.is_empty() {
                accepted.push(list);
            }
        }
        for lists in accepted.chunks(FIELDS) {
            let [written, read] = compare(case, libraries, folder, lists, &mut failures);
            total[0] += written;
            total[1] += read;
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures, the first is {}",
        failures.len(),
        failures[0]
    );
    total
}
