//! Random conditions on the cells of queries.

use std::ffi::CStr;

use crate::arrays::schema::Shape;
use crate::arrays::{Done, Query, text};
use crate::library::Library;
use crate::random::Random;

/// A condition on the cells of a query.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Compare {
        field: &'static CStr,
        operator: usize,
        value: Vec<u8>,
    },
    IsNull {
        operator: usize,
    },
    Member {
        operator: usize,
        values: Vec<i32>,
    },
    Combined(usize, Box<[Self; 2]>),
    Not(Box<Self>),
}

impl Condition {
    pub(super) fn random(random: &mut Random, shape: Shape, depth: u64) -> Self {
        if depth > 0 && random.below(2) == 0 {
            if random.below(4) == 0 {
                return Self::Not(Box::new(Self::random(random, shape, depth - 1)));
            }
            let operator = random.below(2) as usize;
            let parts = [0; 2].map(|_| Self::random(random, shape, depth - 1));
            return Self::Combined(operator, Box::new(parts));
        }
        let operator = random.below(6) as usize;
        let compare = |field, value: &[u8]| Self::Compare {
            field,
            operator,
            value: value.to_vec(),
        };
        let number = 1000 * random.below(4) as i32 + random.below(30) as i32;
        match random.below(if shape.enumerated { 6 } else { 5 }) {
            0 => compare(c"n", &(random.below(40) as f64 / 2.0).to_le_bytes()),
            1 => Self::IsNull {
                operator: random.one_of(&[4, 5]),
            },
            2 => compare(c"v", random.one_of(&[&b"2-yy"[..], b"1-", b""])),
            3 => Self::Member {
                operator: random.one_of(&[6, 7]),
                values: (0..1 + random.below(5) as i32)
                    .map(|step| number + step)
                    .collect(),
            },
            4 => compare(c"a", &number.to_le_bytes()),
            // Enumerations that are not ordered have equality only.
            _ => Self::Compare {
                field: c"e",
                operator: random.one_of(&[4, 5]),
                value: random.one_of(&["red", "green", "none"]).into(),
            },
        }
    }

    /// Returns the condition of a library, which the caller frees.
    fn make(&self, library: &Library) -> Done<usize> {
        let free = |handle| library.free("query_condition_free", handle);
        match self {
            Self::Compare {
                field,
                operator,
                value,
            } => {
                let made = library.try_make("query_condition_alloc", &[])?;
                let value = [value.as_ptr() as usize, value.len()];
                let arguments = [&[made, text(field)][..], &value, &[*operator]].concat();
                library.attempt("query_condition_init", &arguments)?;
                Ok(made)
            }
            Self::IsNull { operator } => {
                let made = library.try_make("query_condition_alloc", &[])?;
                let arguments = [made, text(c"n"), 0, 0, *operator];
                library.attempt("query_condition_init", &arguments)?;
                Ok(made)
            }
            Self::Member { operator, values } => {
                let starts: Vec<u64> = (0..values.len() as u64).map(|index| 4 * index).collect();
                let data = [values.as_ptr() as usize, 4 * values.len()];
                let offsets = [starts.as_ptr() as usize, 8 * starts.len()];
                let arguments = [&[text(c"a")][..], &data, &offsets, &[*operator]].concat();
                library.try_make("query_condition_alloc_set_membership", &arguments)
            }
            Self::Combined(operator, parts) => {
                let [left, right] = [parts[0].make(library)?, parts[1].make(library)?];
                let made = library.try_make("query_condition_combine", &[left, right, *operator]);
                free(left);
                free(right);
                made
            }
            Self::Not(part) => {
                let part = part.make(library)?;
                let made = library.try_make("query_condition_negate", &[part]);
                free(part);
                made
            }
        }
    }

    pub(super) fn has_null_test(&self) -> bool {
        match self {
            Self::IsNull { .. } => true,
            Self::Combined(_, parts) => parts.iter().any(Self::has_null_test),
            Self::Not(part) => part.has_null_test(),
            Self::Compare { .. } | Self::Member { .. } => false,
        }
    }

    pub(super) fn set(&self, library: &Library, query: &Query<'_>) -> Done {
        let made = self.make(library)?;
        let set = library.attempt("query_set_condition", &[query.handle, made]);
        library.free("query_condition_free", made);
        set
    }
}
