//! Random reads: cells of any layout, with conditions, aggregates and several submits.

use std::ffi::{CStr, CString};

use super::conditions::Condition;
use super::{SHAPES, Stored, exchange};
use crate::arrays::buffers::FieldBuffers;
use crate::arrays::schema::{self, Shape};
use crate::arrays::write::{COL_MAJOR, GLOBAL_ORDER, ROW_MAJOR, UNORDERED};
use crate::arrays::{Done, OpenArray, Query, READ, text};
use crate::library::{Library, address};
use crate::random::Random;

const INCOMPLETE: u32 = 3;
/// The most submits of a read: more mean that it does not progress.
const MAX_SUBMITS: usize = 100;

/// A field of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static CStr,
    value_size: usize,
    pub(super) is_var: bool,
    pub(super) is_nullable: bool,
}

impl Field {
    const fn fixed(name: &'static CStr, value_size: usize) -> Self {
        Self {
            name,
            value_size,
            is_var: false,
            is_nullable: false,
        }
    }
}

const NUMBER: Field = Field::fixed(c"a", 4);
const COORDINATE: Field = Field::fixed(c"x", 8);
const COLOR: Field = Field::fixed(c"e", 4);
const TEXT: Field = Field {
    is_var: true,
    ..Field::fixed(c"v", 1)
};
const OPTIONAL: Field = Field {
    is_nullable: true,
    ..Field::fixed(c"n", 8)
};

fn fields_of(shape: Shape) -> Vec<Field> {
    let mut fields = vec![NUMBER, COORDINATE, TEXT, OPTIONAL];
    if shape.enumerated {
        fields.push(COLOR);
    }
    fields
}

/// The aggregates: operator, field and whether its result can be null.
const AGGREGATES: [(&str, &CStr, bool); 8] = [
    ("sum", c"a", false),
    ("min", c"a", false),
    ("max", c"a", false),
    ("mean", c"a", false),
    ("sum", c"n", true),
    ("max", c"n", true),
    ("mean", c"n", true),
    ("null_count", c"n", false),
];

/// The name of an aggregate's result.
fn result_name(index: usize) -> CString {
    CString::new(format!("result{index}")).expect("a name")
}

/// The values of each field; `None` is null.
type Results = Vec<Vec<Option<Vec<u8>>>>;

/// A read, which either library can run.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) shape: usize,
    pub(super) time: Option<u64>,
    layout: usize,
    ranges: Vec<[i64; 2]>,
    pub(super) fields: Vec<Field>,
    /// The number of cells that buffers can hold.
    cells: usize,
    condition: Option<Condition>,
    /// Indexes of `AGGREGATES`.
    pub(super) aggregates: Vec<usize>,
}

impl Read {
    pub(super) fn random(random: &mut Random) -> Self {
        let index = random.below(SHAPES.len() as u64) as usize;
        let shape = SHAPES[index];
        let last = schema::LAST[usize::from(shape.sparse)].min(40) as u64;
        let count = 1 + if random.below(3) == 0 {
            random.below(4)
        } else {
            0
        };
        let range = |random: &mut Random| {
            let (first, last) = random.range_below(1 + last);
            [first as i64, last as i64]
        };
        let mut ranges: Vec<[i64; 2]> = (0..count).map(|_| range(random)).collect();
        if !shape.sparse {
            // libtiledb corrupts its memory if ranges of a dense read descend or overlap.
            ranges.sort_unstable();
            ranges.dedup_by(|next, earlier| next[0] <= earlier[1]);
        }
        let mut aggregates = Vec::new();
        if random.below(3) == 0 {
            aggregates = (0..AGGREGATES.len())
                .filter(|_| random.below(3) == 0)
                .collect();
        }
        let layouts: &[usize] = match (shape.sparse, &*aggregates) {
            (false, _) => &[ROW_MAJOR, COL_MAJOR, GLOBAL_ORDER],
            (true, []) => &[ROW_MAJOR, COL_MAJOR, GLOBAL_ORDER, UNORDERED, UNORDERED],
            // libtiledb has no aggregates in the others.
            (true, _) => &[GLOBAL_ORDER, UNORDERED],
        };
        let mut fields = fields_of(shape);
        let may_be_empty = !aggregates.is_empty();
        fields.retain(|_| random.below(3) > 0);
        if fields.is_empty() && !may_be_empty {
            fields.push(NUMBER);
        }
        // Messages of incomplete reads have no aggregates.
        let cells = match &*aggregates {
            [] => random.one_of(&[4, 9, 200, 200]),
            _ => 200,
        };
        Self {
            shape: index,
            time: random.one_of(&[None, Some(15), Some(25)]),
            layout: random.one_of(layouts),
            ranges,
            fields,
            cells,
            condition: (random.below(2) == 0).then(|| Condition::random(random, shape, 3)),
            aggregates,
        }
    }

    /// Returns a read of all cells with all fields.
    pub(super) fn all(shape: usize) -> Self {
        Self {
            shape,
            time: None,
            layout: ROW_MAJOR,
            ranges: vec![[0, 31]],
            fields: fields_of(SHAPES[shape]),
            cells: 200,
            condition: None,
            aggregates: Vec::new(),
        }
    }

    pub(super) fn open<'a>(&self, library: &'a Library, stored: &Stored) -> Done<OpenArray<'a>> {
        OpenArray::open(library, &stored.0[self.shape], READ, self.time)
    }

    /// Returns a query without buffers.
    pub(super) fn query<'a>(&self, array: &OpenArray<'a>, library: &'a Library) -> Done<Query<'a>> {
        let query = Query::new(array, READ)?;
        query.set_layout(self.layout)?;
        let subarray = library.try_make("subarray_alloc", &[array.handle])?;
        for range in &self.ranges {
            let ends = range.each_ref().map(|end| std::ptr::from_ref(end) as usize);
            let arguments = [subarray, 0, ends[0], ends[1], 0];
            library.attempt("subarray_add_range", &arguments)?;
        }
        library.attempt("query_set_subarray_t", &[query.handle, subarray])?;
        library.free("subarray_free", subarray);
        if let Some(condition) = &self.condition {
            condition.set(library, &query)?;
        }
        self.add_aggregates(library, &query)?;
        Ok(query)
    }

    fn add_aggregates(&self, library: &Library, query: &Query<'_>) -> Done {
        if self.aggregates.is_empty() {
            return Ok(());
        }
        let mut channel = library.try_make("query_get_default_channel", &[query.handle])?;
        for index in &self.aggregates {
            let (operator, field, _) = AGGREGATES[*index];
            let operator = library.try_make(&format!("channel_operator_{operator}_get"), &[])?;
            let arguments = [query.handle, operator, text(field)];
            let mut operation = library.try_make("create_unary_aggregate", &arguments)?;
            let name = result_name(*index);
            let arguments = [channel, text(&name), operation];
            library.attempt("channel_apply_aggregate", &arguments)?;
            library.attempt("aggregate_free", &[address(&mut operation)])?;
        }
        library.attempt("query_channel_free", &[address(&mut channel)])
    }

    /// Returns new buffers of the results, with their names.
    pub(super) fn buffers(&self) -> Vec<(CString, FieldBuffers)> {
        let fields = self.fields.iter().map(|field| {
            let buffers = FieldBuffers::with_capacity(self.cells, field.is_var, field.is_nullable);
            (field.name.to_owned(), buffers)
        });
        let aggregates = self.aggregates.iter().map(|index| {
            let (operator, field, is_nullable) = AGGREGATES[*index];
            let is_number = matches!(operator, "min" | "max") && field == c"a";
            let data = vec![0; if is_number { 4 } else { 8 }];
            let validity = is_nullable.then(|| vec![0]);
            (result_name(*index), FieldBuffers::of(data, None, validity))
        });
        fields.chain(aggregates).collect()
    }

    /// Runs the query; `submit` submits it with the buffers. Returns the values that all submits
    /// delivered, by field.
    fn run(
        &self,
        library: &Library,
        query: &Query<'_>,
        submit: impl Fn() -> Done,
    ) -> Done<Results> {
        let mut all = vec![Vec::new(); self.fields.len() + self.aggregates.len()];
        // The buffers of a submit stay valid until the query is freed.
        let mut kept = Vec::new();
        for _ in 0..MAX_SUBMITS {
            let mut buffers = self.buffers();
            for (name, field) in &mut buffers {
                field.set(library, query, name)?;
            }
            submit()?;
            let status = status(library, query)?;
            for (index, (_, field)) in buffers.iter().enumerate() {
                let is_result = index >= self.fields.len();
                let size = match self.fields.get(index) {
                    Some(field) => field.value_size,
                    None => field.data().len().max(1),
                };
                let values = field.values(size).into_iter();
                if is_result {
                    // Results come with the last cells.
                    all[index].clear();
                }
                all[index].extend(values.map(|value| value.map(<[u8]>::to_vec)));
            }
            kept.push(buffers);
            if status != INCOMPLETE {
                return Ok(all);
            }
        }
        Err("the read does not progress".to_owned())
    }

    /// Returns the results without messages.
    pub(super) fn local(&self, library: &Library, stored: &Stored) -> Done<Results> {
        let array = self.open(library, stored)?;
        let query = self.query(&array, library)?;
        self.run(library, &query, || query.submit())
    }

    /// Returns what a client receives from a server.
    fn remote(&self, client: &Library, server: &Library, stored: &Stored) -> Done<Results> {
        let uri = &stored.0[self.shape];
        let array = self.open(client, stored)?;
        let query = self.query(&array, client)?;
        let mut names: Vec<CString> = Vec::new();
        names.extend(self.buffers().into_iter().map(|(name, _)| name));
        self.run(client, &query, || {
            exchange(client, server, &query, uri, &names)
        })
    }
}

fn status(library: &Library, query: &Query<'_>) -> Done<u32> {
    let mut status = 0u32;
    let arguments = [query.handle, address(&mut status)];
    library.attempt("query_get_status", &arguments)?;
    Ok(status)
}

/// Reads with each pair of client and server.
pub(crate) fn check_read(libraries: &[Library; 2], stored: &Stored, seed: u64) {
    let read = Read::random(&mut Random(seed));
    let [_, theirs] = libraries;
    let has_null_test = read
        .condition
        .as_ref()
        .is_some_and(Condition::has_null_test);
    for server in libraries {
        // libtiledb's server rejects tests of null on fields of fixed size.
        if has_null_test && server.name == theirs.name {
            continue;
        }
        let expected = read.local(server, stored);
        for client in libraries {
            let found = read.remote(client, server, stored);
            let is_same = match (&found, &expected) {
                (Ok(found), Ok(expected)) => found == expected,
                (found, expected) => found.is_err() && expected.is_err(),
            };
            assert!(
                is_same,
                "client {}, server {}, {read:?}:\n{found:?}\n{expected:?}",
                client.name, server.name
            );
        }
    }
}
