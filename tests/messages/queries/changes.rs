//! Random writes and deletes.

use std::ffi::{CStr, CString};
use std::path::Path;

use super::conditions::Condition;
use super::reads::Read;
use super::{SHAPES, Stored, exchange};
use crate::arrays::schema::{self, Shape};
use crate::arrays::write::{Cells, ROW_MAJOR, UNORDERED};
use crate::arrays::{DELETE, Done, OpenArray, Query, WRITE, c_path};
use crate::library::Library;
use crate::random::Random;

/// A change of a new array by a query.
#[derive(Debug)]
enum Change {
    Write(Cells),
    Delete(Condition),
}

impl Change {
    fn random(random: &mut Random, shape: Shape) -> Self {
        if shape.sparse && random.below(3) == 0 {
            // libtiledb cannot delete by the negation of a value that is not in an enumeration.
            let without_colors = Shape {
                enumerated: false,
                ..shape
            };
            loop {
                let condition = Condition::random(random, without_colors, 2);
                // libtiledb cannot read an array after a delete with a test of null.
                if !condition.has_null_test() {
                    return Self::Delete(condition);
                }
            }
        }
        let (first, last) = random.range_below(32);
        let mut xs: Vec<i64> = (first as i64..=last as i64).collect();
        if shape.sparse {
            xs.retain(|x| random.below(3) > 0 || *x == first as i64);
        }
        let layout = if shape.sparse { UNORDERED } else { ROW_MAJOR };
        let cells = Cells::new(shape, xs, 5).in_layout(layout);
        Self::Write(cells)
    }

    /// Changes the array through `submit`, which gets the query and its buffers.
    fn apply(&self, library: &Library, uri: &CStr, submit: impl Fn(&Query<'_>) -> Done) -> Done {
        match self {
            Self::Write(cells) => {
                let array = OpenArray::open(library, uri, WRITE, Some(30))?;
                let query = Query::new(&array, WRITE)?;
                query.set_layout(cells.layout)?;
                if let (false, [first, .., last] | [first @ last]) =
                    (cells.shape.sparse, &*cells.xs)
                {
                    query.set_ranges(&array, &[[*first, *last]])?;
                }
                let mut fields = cells.fields(&cells.xs);
                for (name, field) in &mut fields {
                    field.set(library, &query, name)?;
                }
                submit(&query)
            }
            Self::Delete(condition) => {
                let array = OpenArray::open(library, uri, DELETE, Some(30))?;
                let query = Query::new(&array, DELETE)?;
                condition.set(library, &query)?;
                submit(&query)
            }
        }
    }
}

/// Writes and deletes with each pair of client and server, each in a new array.
pub(crate) fn check_change(libraries: &[Library; 2], folder: &Path, seed: u64) -> Done {
    let random = &mut Random(seed);
    let index = random.below(SHAPES.len() as u64) as usize;
    let change = Change::random(random, SHAPES[index]);
    let create = |name: &str| -> Done<CString> {
        let uri = c_path(&folder.join(format!("{name}{seed}")));
        schema::create(&libraries[0], &uri, SHAPES[index])?;
        let cells = Cells::new(SHAPES[index], 1..30, 1).at(10);
        cells.write(&libraries[0], &uri)?;
        Ok(uri)
    };
    // One reader, so that only the change differs.
    let content = |uri: CString| {
        let all = Read::all(index);
        let found = all.local(&libraries[0], &Stored(vec![uri; SHAPES.len()]));
        found.unwrap_or_else(|error| panic!("{change:?}: {error}"))
    };
    let uri = create("local")?;
    change.apply(&libraries[1], &uri, |query| query.submit())?;
    let expected = content(uri);
    for client in libraries {
        for server in libraries {
            let uri = create(&format!("{}-{}-", client.name, server.name))?;
            change.apply(client, &uri, |query| {
                exchange(client, server, query, &uri, &[])
            })?;
            assert!(
                content(uri) == expected,
                "client {}, server {}, {change:?}",
                client.name,
                server.name
            );
        }
    }
    Ok(())
}
