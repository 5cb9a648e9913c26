//! Random arrays with dimension labels: written by either library, read by label ranges with both.
//! The files must be equal.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::encryption::is_encrypted;
use crate::files::compare_files;
use crate::filters::GZIP;
use crate::library::{Library, address};
use crate::random::Random;

const VAR: u32 = u32::MAX;
const TEXT: u32 = 11;
/// Datatypes of labels, code and size: integers, floating-point numbers, a date, a time.
const LABELS: [(u32, usize); 12] = [
    (0, 4),
    (1, 8),
    (2, 4),
    (3, 8),
    (5, 1),
    (6, 1),
    (7, 2),
    (8, 2),
    (9, 4),
    (10, 8),
    (21, 8),
    (31, 8),
];
/// Datatypes of dimensions: code, size, whether signed.
const INDEXES: [(u32, usize, bool); 5] = [
    (0, 4, true),
    (1, 8, true),
    (8, 2, false),
    (10, 8, false),
    (21, 8, true),
];

/// A label of the first dimension with a value for each of its indexes.
struct Label {
    name: CString,
    datatype: u32,
    size: usize,
    decreasing: bool,
    values: Vec<Vec<u8>>,
    /// The values at which ranges begin and end, ascending.
    ends: Vec<Vec<u8>>,
}

struct Spec {
    sparse: bool,
    index: (u32, usize, bool),
    low: i64,
    len: usize,
    extent: u64,
    labels: Vec<Label>,
    /// The first index of each fragment, and the end of the last one.
    parts: Vec<usize>,
    label_extent: Option<u64>,
    filter: Option<u32>,
}

/// The ends of a label range as bytes.
type Ends = (Vec<u8>, Vec<u8>);

/// The result of a read.
type ReadResult = Result<Vec<Vec<Vec<u8>>>, String>;

fn number(label: &Label, value: i64) -> Vec<u8> {
    match label.datatype {
        2 => (value as f32 / 4.0).to_le_bytes().to_vec(),
        3 => (value as f64 / 4.0).to_le_bytes().to_vec(),
        _ => value.to_le_bytes()[..label.size].to_vec(),
    }
}

impl Label {
    fn random(random: &mut Random, index: usize, len: usize) -> Self {
        let (datatype, size) = match random.below(3) {
            0 => (TEXT, 1),
            _ => random.one_of(&LABELS),
        };
        let mut label = Self {
            name: CString::new(format!("label{index}")).expect("name"),
            datatype,
            size,
            decreasing: random.below(2) == 0,
            values: Vec::new(),
            ends: Vec::new(),
        };
        label.ends = match datatype {
            TEXT => texts(random, 3 * len),
            _ => {
                let unsigned = [6, 8, 9, 10].contains(&datatype);
                let mut next = if unsigned { 0 } else { -100 };
                let gap = if size == 1 { 1 } else { 1 + random.below(6) };
                let mut numbers = Vec::new();
                for _ in 0..3 * len {
                    numbers.push(number(&label, next));
                    next += 1 + random.below(gap) as i64;
                }
                numbers
            }
        };
        label.values = (0..len)
            .map(|index| label.ends[3 * index + 1 + random.below(2) as usize].clone())
            .collect();
        if label.decreasing {
            label.values.reverse();
        }
        label
    }

    /// Returns a range that may be empty.
    fn range(&self, random: &mut Random) -> Ends {
        let mut ends = [
            random.below(self.ends.len() as u64),
            random.below(self.ends.len() as u64),
        ];
        ends.sort_unstable();
        let [first, last] = ends.map(|index| self.ends[index as usize].clone());
        (first, last)
    }
}

fn texts(random: &mut Random, number: usize) -> Vec<Vec<u8>> {
    let mut texts = std::collections::BTreeSet::new();
    while texts.len() < number {
        let len = 1 + random.below(5);
        texts.insert((0..len).map(|_| b'a' + random.below(6) as u8).collect());
    }
    texts.into_iter().collect()
}

impl Spec {
    fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let index = random.one_of(&INDEXES);
        let len = 1 + random.below(40) as usize;
        let mut parts = vec![0, len];
        for _ in 0..random.below(3) {
            parts.push(random.below(len as u64) as usize);
        }
        // In some cases the indexes at one end have no labels.
        if random.below(4) == 0 && len > 2 {
            parts.retain(|position| *position != 0);
            parts.push(1);
        }
        parts.sort_unstable();
        parts.dedup();
        let extent = 1 + random.below(len as u64);
        Self {
            sparse: random.below(3) == 0,
            index,
            low: random.below(50) as i64 - if index.2 { 25 } else { 0 },
            len,
            extent,
            labels: (0..1 + random.below(3))
                .map(|position| Label::random(&mut random, position as usize, len))
                .collect(),
            parts,
            label_extent: (random.below(3) == 0).then(|| 1 + random.below(len as u64)),
            filter: (random.below(2) == 0).then(|| random.one_of(&[1, 2, 3, 5])),
        }
    }

    fn coordinate(&self, position: usize) -> Vec<u8> {
        (self.low + position as i64).to_le_bytes()[..self.index.1].to_vec()
    }

    fn create(&self, library: &Library, uri: &CStr) {
        let domain = library.make("domain_alloc", &[]);
        let ends = [self.coordinate(0), self.coordinate(self.len - 1)].concat();
        let extent = self.extent.to_le_bytes();
        let dimension = library.make(
            "dimension_alloc",
            &[
                c"x".as_ptr() as usize,
                self.index.0 as usize,
                ends.as_ptr() as usize,
                extent.as_ptr() as usize,
            ],
        );
        library.ok("domain_add_dimension", &[domain, dimension]);
        let schema = library.make("array_schema_alloc", &[usize::from(self.sparse)]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        let attribute = library.make("attribute_alloc", &[c"a".as_ptr() as usize, 0]);
        library.ok("array_schema_add_attribute", &[schema, attribute]);
        for label in &self.labels {
            let name = label.name.as_ptr() as usize;
            let order = if label.decreasing { 2 } else { 1 };
            library.ok(
                "array_schema_add_dimension_label",
                &[schema, 0, name, order, label.datatype as usize],
            );
            if let Some(extent) = self.label_extent {
                let extent = extent.to_le_bytes();
                library.ok(
                    "array_schema_set_dimension_label_tile_extent",
                    &[
                        schema,
                        name,
                        self.index.0 as usize,
                        extent.as_ptr() as usize,
                    ],
                );
            }
            if let Some(kind) = self.filter {
                let list = library.make("filter_list_alloc", &[]);
                let filter = library.make("filter_alloc", &[kind as usize]);
                library.ok("filter_list_add_filter", &[list, filter]);
                library.ok(
                    "array_schema_set_dimension_label_filter_list",
                    &[schema, name, list],
                );
            }
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    /// Writes one part: cells, and the values of all labels.
    fn write(&self, library: &Library, uri: &CStr, part: std::ops::Range<usize>) {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_open", &[array, 1]);
        let query = library.make("query_alloc", &[array, 1]);
        let mut keep = Vec::new();
        let set = |name: &CStr, data: Vec<u8>, keep: &mut Vec<(Vec<u8>, Box<u64>)>| {
            let mut size = Box::new(data.len() as u64);
            let index = [
                query,
                name.as_ptr() as usize,
                data.as_ptr() as usize,
                address(&mut *size),
            ];
            library.ok("query_set_data_buffer", &index);
            keep.push((data, size));
        };
        if self.sparse {
            let points = part
                .clone()
                .flat_map(|index| self.coordinate(index))
                .collect();
            set(c"x", points, &mut keep);
        } else {
            let subarray = library.make("subarray_alloc", &[array]);
            let ends = [self.coordinate(part.start), self.coordinate(part.end - 1)];
            let ends = [ends[0].as_ptr() as usize, ends[1].as_ptr() as usize];
            library.ok("subarray_add_range", &[subarray, 0, ends[0], ends[1], 0]);
            library.ok("query_set_subarray_t", &[query, subarray]);
        }
        let cells = part
            .clone()
            .flat_map(|index| (index as i32).to_le_bytes())
            .collect();
        set(c"a", cells, &mut keep);
        for label in &self.labels {
            let values = &label.values[part.clone()];
            set(&label.name, values.concat(), &mut keep);
            if label.datatype == TEXT {
                let mut offsets = Vec::new();
                let mut index = 0u64;
                for value in values {
                    offsets.extend(index.to_le_bytes());
                    index += value.len() as u64;
                }
                let mut size = Box::new(offsets.len() as u64);
                let index = [
                    query,
                    label.name.as_ptr() as usize,
                    offsets.as_ptr() as usize,
                    address(&mut *size),
                ];
                library.ok("query_set_offsets_buffer", &index);
                keep.push((offsets, size));
            }
        }
        library.ok("query_submit", &[query]);
        library.ok("array_close", &[array]);
        drop(keep);
        // libtiledb does not order fragments with equal timestamps.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }

    /// Reads the cells in label ranges, with coordinates and the values of all labels.
    fn read(
        &self,
        library: &Library,
        uri: &CStr,
        (range_label, ranges): (&Label, &[Ends]),
        cells: bool,
    ) -> ReadResult {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_open", &[array, 0]);
        let subarray = library.make("subarray_alloc", &[array]);
        for (first, last) in ranges {
            let ends = [first.as_ptr() as usize, last.as_ptr() as usize];
            let name = range_label.name.as_ptr() as usize;
            match range_label.datatype {
                TEXT => library.ok(
                    "subarray_add_label_range_var",
                    &[subarray, name, ends[0], first.len(), ends[1], last.len()],
                ),
                _ => library.ok(
                    "subarray_add_label_range",
                    &[subarray, name, ends[0], ends[1], 0],
                ),
            }
        }
        let query = library.make("query_alloc", &[array, 0]);
        library.ok("query_set_subarray_t", &[query, subarray]);
        library.ok("query_set_layout", &[query, 0]);
        let capacity = 16 * (1 + self.len) * ranges.len();
        let mut fields: Vec<(&CStr, u32, usize)> = Vec::new();
        if cells {
            fields.extend([(c"a", 1, 4), (c"x", 1, self.index.1)]);
        }
        for label in &self.labels {
            let values = if label.datatype == TEXT { VAR } else { 1 };
            fields.push((&label.name, values, label.size));
        }
        let mut data = vec![vec![0u8; 8 * capacity]; fields.len()];
        let mut offsets = vec![vec![0u8; 8 * capacity]; fields.len()];
        let mut sizes = vec![[8 * capacity as u64; 2]; fields.len()];
        for (position, (name, values, _)) in fields.iter().enumerate() {
            let name = name.as_ptr() as usize;
            let arguments = [
                query,
                name,
                data[position].as_mut_ptr() as usize,
                address(&mut sizes[position][0]),
            ];
            library.ok("query_set_data_buffer", &arguments);
            if *values == VAR {
                let arguments = [
                    query,
                    name,
                    offsets[position].as_mut_ptr() as usize,
                    address(&mut sizes[position][1]),
                ];
                library.ok("query_set_offsets_buffer", &arguments);
            }
        }
        let submitted = library.attempt("query_submit", &[query]);
        let mut status = 9u32;
        library.ok("query_get_status", &[query, address(&mut status)]);
        library.ok("array_close", &[array]);
        submitted?;
        assert_eq!(status, 1, "{} is not done", library.name);
        let read = |position: usize| {
            let (_, values, size) = fields[position];
            let all = &data[position][..sizes[position][0] as usize];
            if values != VAR {
                return all.chunks_exact(size).map(<[u8]>::to_vec).collect();
            }
            let starts = offsets[position][..sizes[position][1] as usize].chunks_exact(8);
            let starts: Vec<usize> = starts
                .map(|start| u64::from_le_bytes(start.try_into().expect("eight")) as usize)
                .chain([all.len()])
                .collect();
            starts
                .windows(2)
                .map(|pair| all[pair[0]..pair[1]].to_vec())
                .collect()
        };
        Ok((0..fields.len()).map(read).collect())
    }

    /// Returns the indexes whose labels are in a range, or `None`.
    fn expected(
        &self,
        range_label: &Label,
        (first, last): &Ends,
    ) -> Option<std::ops::RangeInclusive<usize>> {
        let position = |value: &Vec<u8>| range_label.ends.iter().position(|end| end == value);
        let (first, last) = (position(first), position(last));
        let written = self.parts[0]..self.parts[self.parts.len() - 1];
        let mut inside = written.filter(|index| {
            let value = position(&range_label.values[*index]);
            first <= value && value <= last
        });
        let start = inside.next()?;
        Some(start..=inside.next_back().unwrap_or(start))
    }
}

/// Writes an array with each library, and reads each with both by random label ranges.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) {
    let spec = Spec::random(seed);
    let paths = [folder.join("ours"), folder.join("theirs")];
    for (library, path) in [ours, theirs].into_iter().zip(&paths) {
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        spec.create(library, &uri);
        let mut parts: Vec<_> = spec.parts.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let mut random = Random(seed.wrapping_mul(31));
        if random.below(2) == 0 {
            parts.reverse();
        }
        if random.below(3) == 0 {
            // All cells again: older fragments must be hidden.
            parts.push(spec.parts[0]..spec.parts[spec.parts.len() - 1]);
        }
        parts
            .iter()
            .for_each(|part| spec.write(library, &uri, part.clone()));
        for _ in 0..6 {
            let range_label = &spec.labels[random.below(spec.labels.len() as u64) as usize];
            let mut ranges: Vec<_> = (0..1 + random.below(3))
                .map(|_| range_label.range(&mut random))
                .collect();
            // If index ranges do not ascend, libtiledb corrupts memory for strings and returns
            // sparse cells in another order.
            ranges.sort_by_key(|range| {
                spec.expected(range_label, range)
                    .map(|found| *found.start())
            });
            let mut last = None;
            ranges.retain(|range| match spec.expected(range_label, range) {
                Some(found) if last < Some(*found.start()) => {
                    last = Some(*found.end());
                    true
                }
                Some(_) => false,
                None => true,
            });
            let cells = random.below(4) > 0;
            let asked = (range_label, &ranges[..]);
            let (one, other) = (
                spec.read(ours, &uri, asked, cells),
                spec.read(theirs, &uri, asked, cells),
            );
            assert_eq!(one, other, "by {:?} of {}", range_label.name, library.name);
            if let (Ok(found), true, [range]) = (&one, cells, &ranges[..]) {
                let inside = spec.expected(range_label, range).expect("some are found");
                let numbers: Vec<_> = inside
                    .map(|index| (index as i32).to_le_bytes().to_vec())
                    .collect();
                assert_eq!(
                    found[0], numbers,
                    "by {:?} from {range:?}",
                    range_label.name
                );
            }
        }
    }
    if is_encrypted(seed) {
        return;
    }
    // GZIP produces other bytes than libtiledb at its default level.
    let comparable = if spec.filter == Some(GZIP) {
        0
    } else {
        spec.labels.len()
    };
    for index in 0..comparable {
        let label = format!("__labels/l{index}");
        compare_files(&paths[0].join(&label), &paths[1].join(&label), |_| true);
    }
    let schemas = |path: &Path| std::fs::metadata(path.join("__labels/l0/__schema")).is_ok();
    assert!(paths.iter().all(|path| schemas(path)));
}
