//! Random changes of subarrays: both libraries accept and reject the same ranges with the same
//! errors, and return the same ranges afterwards.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::library::{Library, address, bytes_of};
use crate::random::Random;

const ROUNDS: u64 = 12;

/// The datatype of a dimension and coordinates at, inside and outside of the ends of its domain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// From -10 to 10.
    Int32,
    /// From 0 to 20.
    Uint64,
    /// From -10 to 10.
    Float64,
    Text,
}

impl Kind {
    fn datatype(self) -> usize {
        match self {
            Self::Int32 => 0,
            Self::Uint64 => 10,
            Self::Float64 => 3,
            Self::Text => 11,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Int32 => 4,
            Self::Uint64 | Self::Float64 => 8,
            Self::Text => 0,
        }
    }

    fn bytes(self, number: i64) -> Vec<u8> {
        match self {
            Self::Int32 => (number as i32).to_le_bytes().to_vec(),
            Self::Uint64 => (number as u64).to_le_bytes().to_vec(),
            Self::Float64 => (number as f64).to_le_bytes().to_vec(),
            Self::Text => Vec::new(),
        }
    }

    fn ends(self) -> [i64; 2] {
        match self {
            Self::Uint64 => [0, 20],
            _ => [-10, 10],
        }
    }

    fn coordinate(self, random: &mut Random) -> Vec<u8> {
        match self {
            Self::Text => random
                .one_of(&[&b""[..], b"a", b"ab", b"b", b"a\0b"])
                .into(),
            Self::Float64 if random.below(8) == 0 => {
                let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
                random.one_of(&special).to_le_bytes().to_vec()
            }
            Self::Uint64 => {
                let number = random.one_of(&[0, 1, 4, 5, 6, 19, 20, 21, -1]);
                self.bytes(number)
            }
            _ => {
                let number = random.one_of(&[-99, -11, -10, -9, 0, 4, 5, 6, 9, 10, 11]);
                self.bytes(number)
            }
        }
    }
}

/// A change of a subarray.
#[derive(Debug)]
enum Change {
    /// Adds a range to a dimension, by its name if the flag is set.
    Range(usize, bool, [Vec<u8>; 2]),
    /// Adds ranges of one coordinate.
    Points(usize, Vec<Vec<u8>>),
    /// Replaces all ranges by a box.
    Box(Vec<u8>),
    Coalesce(usize),
}

impl Change {
    fn random(random: &mut Random, kinds: &[Kind]) -> Self {
        let dim = random.below(kinds.len() as u64) as usize;
        match random.below(8) {
            0 => Self::Coalesce(random.below(2) as usize),
            1 if !kinds.contains(&Kind::Text) => {
                let ends = kinds.iter().flat_map(|kind| {
                    let [low, high] = kind.ends();
                    [low + random.below(3) as i64, high - random.below(3) as i64]
                        .map(|number| kind.bytes(number))
                });
                Self::Box(ends.flatten().collect())
            }
            2 | 3 => {
                let points = (0..1 + random.below(4)).map(|_| kinds[dim].coordinate(random));
                Self::Points(dim, points.collect())
            }
            by_name => {
                let ends = [(); 2].map(|()| kinds[dim].coordinate(random));
                Self::Range(dim, by_name == 4, ends)
            }
        }
    }

    fn apply(&self, library: &Library, subarray: usize, kinds: &[Kind]) -> Result<(), String> {
        match self {
            Self::Range(dim, by_name, ends) => {
                let name = name(*dim);
                let key = if *by_name {
                    name.as_ptr() as usize
                } else {
                    *dim
                };
                let suffix = if *by_name { "_by_name" } else { "" };
                let [low, high] = ends.each_ref().map(|end| end.as_ptr() as usize);
                if kinds[*dim] == Kind::Text {
                    let function = format!("subarray_add_range_var{suffix}");
                    let [low_size, high_size] = ends.each_ref().map(Vec::len);
                    let range = [subarray, key, low, low_size, high, high_size];
                    return library.attempt(&function, &range);
                }
                let function = format!("subarray_add_range{suffix}");
                library.attempt(&function, &[subarray, key, low, high, 0])
            }
            Self::Points(dim, points) => {
                let data = points.concat();
                let start = data.as_ptr() as usize;
                if kinds[*dim] != Kind::Text {
                    let points = [subarray, *dim, start, points.len()];
                    return library.attempt("subarray_add_point_ranges", &points);
                }
                let starts = points.iter().scan(0u64, |end, point| {
                    let start = *end;
                    *end += point.len() as u64;
                    Some(start)
                });
                let starts: Vec<u64> = starts.collect();
                let offsets = [starts.as_ptr() as usize, starts.len()];
                let points = [&[subarray, *dim, start, data.len()][..], &offsets].concat();
                library.attempt("subarray_add_point_ranges_var", &points)
            }
            Self::Box(ends) => {
                library.attempt("subarray_set_subarray", &[subarray, ends.as_ptr() as usize])
            }
            Self::Coalesce(flag) => {
                library.attempt("subarray_set_coalesce_ranges", &[subarray, *flag])
            }
        }
    }
}

fn name(dim: usize) -> CString {
    CString::new(format!("d{dim}")).expect("name")
}

fn create(library: &Library, uri: &CStr, kinds: &[Kind]) {
    let domain = library.make("domain_alloc", &[]);
    for (dim, kind) in kinds.iter().enumerate() {
        let ends = kind.ends().map(|end| kind.bytes(end)).concat();
        let pointer = match kind {
            Kind::Text => 0,
            _ => ends.as_ptr() as usize,
        };
        let name = name(dim);
        let dimension = [name.as_ptr() as usize, kind.datatype(), pointer, 0];
        let dimension = library.make("dimension_alloc", &dimension);
        library.ok("domain_add_dimension", &[domain, dimension]);
        library.free("dimension_free", dimension);
    }
    let schema = library.make("array_schema_alloc", &[1]);
    library.ok("array_schema_set_domain", &[schema, domain]);
    let attribute = library.make("attribute_alloc", &[c"a".as_ptr() as usize, 0]);
    library.ok("array_schema_add_attribute", &[schema, attribute]);
    library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    library.free("attribute_free", attribute);
    library.free("array_schema_free", schema);
    library.free("domain_free", domain);
}

/// Returns the ranges of all dimensions.
fn ranges(library: &Library, subarray: usize, kinds: &[Kind]) -> Vec<Vec<[Vec<u8>; 2]>> {
    let range = |dim: usize, index: u64, kind: Kind| {
        if kind != Kind::Text {
            let [mut low, mut high, mut stride] = [0usize; 3];
            let outputs = [address(&mut low), address(&mut high), address(&mut stride)];
            let range = [&[subarray, dim, index as usize][..], &outputs].concat();
            library.ok("subarray_get_range", &range);
            return [low, high].map(|end| bytes_of(end as *const u8, kind.size()));
        }
        let [mut low, mut high] = [0u64; 2];
        let sizes = [address(&mut low), address(&mut high)];
        let range = [&[subarray, dim, index as usize][..], &sizes].concat();
        library.ok("subarray_get_range_var_size", &range);
        let mut ends = [low, high].map(|size| vec![0u8; size as usize + 1]);
        let pointers = ends.each_mut().map(|end| end.as_mut_ptr() as usize);
        let range = [&[subarray, dim, index as usize][..], &pointers].concat();
        library.ok("subarray_get_range_var", &range);
        ends
    };
    let of_dimension = |(dim, kind): (usize, &Kind)| {
        let mut number = 0u64;
        let number_of = [subarray, dim, address(&mut number)];
        library.ok("subarray_get_range_num", &number_of);
        (0..number).map(|index| range(dim, index, *kind)).collect()
    };
    kinds.iter().enumerate().map(of_dimension).collect()
}

/// Changes subarrays of one random array.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let mut random = Random(seed ^ 0x5ab);
    let kinds = [Kind::Int32, Kind::Uint64, Kind::Float64, Kind::Text];
    let kinds: Vec<Kind> = (0..1 + random.below(2))
        .map(|_| random.one_of(&kinds))
        .collect();
    let path = folder.join("array");
    let uri = CString::new(path.to_str().expect("path")).expect("path");
    create(theirs, &uri, &kinds);
    for _ in 0..ROUNDS {
        let out_of_bounds = random.one_of(&[c"warn", c"error"]);
        let changes: Vec<Change> = (0..1 + random.below(5))
            .map(|_| Change::random(&mut random, &kinds))
            .collect();
        let run = |library: &Library| {
            let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
            library.ok("array_open", &[array, 0]);
            let subarray = library.make("subarray_alloc", &[array]);
            let config = library.context_config(&[(c"sm.read_range_oob", out_of_bounds)]);
            library.ok("subarray_set_config", &[subarray, config]);
            let results: Vec<_> = changes
                .iter()
                .map(|change| {
                    let changed = change.apply(library, subarray, &kinds);
                    (changed, ranges(library, subarray, &kinds))
                })
                .collect();
            library.free("config_free", config);
            library.free("subarray_free", subarray);
            library.ok("array_close", &[array]);
            library.free("array_free", array);
            results
        };
        for (change, (one, other)) in changes.iter().zip(run(ours).into_iter().zip(run(theirs))) {
            assert!(
                one == other,
                "{change:?} of {kinds:?}: {one:?}, not {other:?}, after {changes:?}"
            );
        }
    }
    true
}
