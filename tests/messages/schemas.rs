//! Random schemas and evolutions, made by the same calls of either library.

use std::ffi::CString;

use crate::arrays::schema::packed;
use crate::library::{Library, address};
use crate::random::Random;

const ASCII: usize = 11;
const VAR: usize = u32::MAX as usize;

/// Integers with their sizes; dates and times have the size 8.
const INTEGERS: [(usize, usize); 8] = [
    (0, 4),
    (1, 8),
    (5, 1),
    (6, 1),
    (7, 2),
    (8, 2),
    (9, 4),
    (10, 8),
];

/// Returns a datatype of dimensions, with its size.
fn dimension_type(random: &mut Random, dense: bool) -> (usize, usize) {
    match random.below(8) {
        0 if !dense => (ASCII, 0),
        1 if !dense => (2, 4),
        2 if !dense => (3, 8),
        0..=3 => (18 + random.below(22) as usize, 8),
        _ => random.one_of(&INTEGERS),
    }
}

/// Returns a number as bytes of a datatype.
fn number(datatype: usize, size: usize, value: u32) -> Vec<u8> {
    match datatype {
        2 => (value as f32 + 0.25).to_le_bytes().to_vec(),
        3 => (f64::from(value) + 1.0 / 3.0).to_le_bytes().to_vec(),
        _ => u64::from(value).to_le_bytes()[..size].to_vec(),
    }
}

struct Dimension {
    name: CString,
    datatype: usize,
    size: usize,
}

impl Dimension {
    fn random(
        random: &mut Random,
        index: usize,
        given_type: Option<(usize, usize)>,
        dense: bool,
    ) -> Self {
        let (datatype, size) = given_type.unwrap_or_else(|| dimension_type(random, dense));
        let name = match random.below(8) {
            0 => format!("d\u{20ac}\"\\\n\u{1}{index}"),
            _ => format!("d{index}"),
        };
        Self {
            name: CString::new(name).expect("name"),
            datatype,
            size,
        }
    }

    fn make(&self, library: &Library, random: &mut Random, dense: bool) -> usize {
        let bounds: Vec<u8> = [random.below(10) as u32, 50 + random.below(50) as u32]
            .iter()
            .flat_map(|bound| number(self.datatype, self.size, *bound))
            .collect();
        let extent = number(self.datatype, self.size, 1 + random.below(10) as u32);
        let has_extent = dense || random.below(3) > 0;
        let is_text = self.datatype == ASCII;
        let pointer = |given: bool, bytes: &[u8]| {
            if given && !is_text {
                bytes.as_ptr() as usize
            } else {
                0
            }
        };
        let made = library.make(
            "dimension_alloc",
            &[
                self.name.as_ptr() as usize,
                self.datatype,
                pointer(true, &bounds),
                pointer(has_extent, &extent),
            ],
        );
        if random.below(3) == 0 {
            let filters = filters(library, random);
            library.ok("dimension_set_filter_list", &[made, filters]);
            library.free("filter_list_free", filters);
        }
        made
    }
}

/// Returns random filters that every field accepts.
fn filters(library: &Library, random: &mut Random) -> usize {
    let list = library.make("filter_list_alloc", &[]);
    for _ in 0..random.below(4) {
        let kind = random.one_of(&[0, 1, 2, 3, 5, 8, 9, 12, 13]);
        let filter = library.make("filter_alloc", &[kind]);
        if matches!(kind, 1 | 2 | 3 | 5) && random.below(2) == 0 {
            let mut level = random.below(9) as i32 - 1;
            library.ok("filter_set_option", &[filter, 0, address(&mut level)]);
        }
        library.ok("filter_list_add_filter", &[list, filter]);
        library.free("filter_free", filter);
    }
    list
}

/// Returns random filters of integers with their options.
fn integer_filters(library: &Library, random: &mut Random) -> usize {
    let list = library.make("filter_list_alloc", &[]);
    let kind = random.one_of(&[4, 6, 7, 10, 16, 19]);
    let filter = library.make("filter_alloc", &[kind]);
    let mut window = 1 + random.below(5000) as u32;
    match kind {
        7 => library.ok("filter_set_option", &[filter, 1, address(&mut window)]),
        10 => library.ok("filter_set_option", &[filter, 2, address(&mut window)]),
        6 | 19 if random.below(2) == 0 => {
            let mut datatype = 6u8;
            library.ok("filter_set_option", &[filter, 9, address(&mut datatype)]);
        }
        _ => {}
    }
    library.ok("filter_list_add_filter", &[list, filter]);
    library.free("filter_free", filter);
    list
}

/// Returns the scaling of floating-point numbers.
fn scaling(library: &Library, random: &mut Random) -> usize {
    let list = library.make("filter_list_alloc", &[]);
    let filter = library.make("filter_alloc", &[15]);
    let mut width: u64 = random.one_of(&[1, 2, 4, 8]);
    let mut factor: f64 = random.one_of(&[1.0, 0.1, 1e-300, 3e20]);
    let mut offset: f64 = random.one_of(&[0.0, -2.5, 1.0 / 3.0]);
    library.ok("filter_set_option", &[filter, 3, address(&mut width)]);
    library.ok("filter_set_option", &[filter, 4, address(&mut factor)]);
    library.ok("filter_set_option", &[filter, 5, address(&mut offset)]);
    library.ok("filter_list_add_filter", &[list, filter]);
    library.free("filter_free", filter);
    list
}

/// Returns an enumeration of texts or of numbers.
fn enumeration(library: &Library, random: &mut Random, name: &str) -> usize {
    let name = CString::new(name).expect("name");
    let ordered = random.below(2) as usize;
    if random.below(2) == 0 {
        let texts = ["", "a", "bc", "\u{20ac}"];
        let (data, offsets) = packed(&texts[..1 + random.below(4) as usize]);
        let kind = random.one_of(&[ASCII, 12]);
        let values = [
            data.as_ptr() as usize,
            data.len(),
            offsets.as_ptr() as usize,
            8 * offsets.len(),
        ];
        let first = [name.as_ptr() as usize, kind, VAR, ordered];
        return library.make("enumeration_alloc", &[&first[..], &values].concat());
    }
    let numbers: Vec<i32> = (0..1 + random.below(9) as i32).map(|n| 7 - n).collect();
    let values = [numbers.as_ptr() as usize, 4 * numbers.len(), 0, 0];
    let first = [name.as_ptr() as usize, 0, 1, ordered];
    library.make("enumeration_alloc", &[&first[..], &values].concat())
}

/// Returns an attribute of any datatype.
fn attribute(library: &Library, random: &mut Random, name: &str, enumerations: u64) -> usize {
    let datatypes: Vec<usize> = (0..44).filter(|datatype| *datatype != 17).collect();
    let datatype = random.one_of(&datatypes);
    let name = CString::new(name).expect("name");
    let made = library.make("attribute_alloc", &[name.as_ptr() as usize, datatype]);
    let values = match random.below(4) {
        0 => VAR,
        1 => 2 + random.below(3) as usize,
        _ => 1,
    };
    library.ok("attribute_set_cell_val_num", &[made, values]);
    let nullable = random.below(3) == 0;
    library.ok("attribute_set_nullable", &[made, usize::from(nullable)]);
    let list = match datatype {
        2 | 3 if values == 1 && random.below(2) == 0 => Some(scaling(library, random)),
        0 | 1 | 5..=10 if values == 1 && random.below(2) == 0 => {
            Some(integer_filters(library, random))
        }
        _ if random.below(2) == 0 => Some(filters(library, random)),
        _ => None,
    };
    if let Some(list) = list {
        library.ok("attribute_set_filter_list", &[made, list]);
        library.free("filter_list_free", list);
    }
    if random.below(2) == 0 {
        set_fill_value(library, random, made, nullable);
    }
    if enumerations > 0 && matches!(datatype, 0 | 1 | 9 | 10) && values == 1 {
        let name = CString::new(format!("e{}", random.below(enumerations))).expect("name");
        let name = name.as_ptr() as usize;
        library.ok("attribute_set_enumeration_name", &[made, name]);
    }
    made
}

fn set_fill_value(library: &Library, random: &mut Random, attribute: usize, nullable: bool) {
    let mut size = 0u64;
    library.ok("attribute_get_cell_size", &[attribute, address(&mut size)]);
    let size = if size == u64::MAX {
        1 + random.below(5)
    } else {
        size
    };
    let value: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
    let arguments = [attribute, value.as_ptr() as usize, value.len()];
    if nullable {
        let validity = random.below(2) as usize;
        let arguments = [&arguments[..], &[validity]].concat();
        library.ok("attribute_set_fill_value_nullable", &arguments);
    } else {
        library.ok("attribute_set_fill_value", &arguments);
    }
}

/// A range as the C API takes it.
#[repr(C)]
struct CRange {
    min: usize,
    min_size: u64,
    max: usize,
    max_size: u64,
}

/// Returns a current domain inside the bounds of all dimensions.
fn current_domain(library: &Library, domain: usize, dimensions: &[Dimension]) -> usize {
    let current = library.make("current_domain_create", &[]);
    let rectangle = library.make("ndrectangle_alloc", &[domain]);
    for (index, dimension) in dimensions.iter().enumerate() {
        let bounds = if dimension.datatype == ASCII {
            [b"b".to_vec(), b"yy".to_vec()]
        } else {
            [12, 40].map(|bound| number(dimension.datatype, dimension.size, bound))
        };
        let mut range = CRange {
            min: bounds[0].as_ptr() as usize,
            min_size: bounds[0].len() as u64,
            max: bounds[1].as_ptr() as usize,
            max_size: bounds[1].len() as u64,
        };
        let range = address(&mut range);
        library.ok("ndrectangle_set_range", &[rectangle, index, range]);
    }
    library.ok("current_domain_set_ndrectangle", &[current, rectangle]);
    library.free("ndrectangle_free", rectangle);
    current
}

/// Adds a label to a dimension of a schema, if dimensions of its datatype can have labels.
fn add_label(
    library: &Library,
    random: &mut Random,
    schema: usize,
    index: u64,
    dimensions: &[Dimension],
) {
    let dimension = random.below(dimensions.len() as u64) as usize;
    let name = CString::new(format!("l{index}")).expect("name");
    let order = 1 + random.below(2) as usize;
    let (datatype, _) = dimension_type(random, false);
    let arguments = [schema, dimension, name.as_ptr() as usize, order, datatype];
    let extent = number(
        dimensions[dimension].datatype,
        dimensions[dimension].size,
        1 + random.below(5) as u32,
    );
    let (has_filters, has_extent) = (random.below(2) == 0, random.below(3) == 0);
    let list = filters(library, random);
    if library
        .attempt("array_schema_add_dimension_label", &arguments)
        .is_ok()
    {
        if has_filters {
            let set = "array_schema_set_dimension_label_filter_list";
            library.ok(set, &[schema, name.as_ptr() as usize, list]);
        }
        if has_extent {
            let set = "array_schema_set_dimension_label_tile_extent";
            let datatype = dimensions[dimension].datatype;
            let arguments = [
                schema,
                name.as_ptr() as usize,
                datatype,
                extent.as_ptr() as usize,
            ];
            library.ok(set, &arguments);
        }
    }
    library.free("filter_list_free", list);
}

/// Returns a random schema. Schemas of one seed are equal in both libraries.
pub(crate) fn schema(library: &Library, random: &mut Random) -> usize {
    let dense = random.below(5) < 2;
    let time = random.one_of(&[1, 5, 1_700_000_000_123]);
    let kind = usize::from(!dense);
    let made = library.make("array_schema_alloc_at_timestamp", &[kind, time]);
    let tile_order = random.below(2) as usize;
    library.ok("array_schema_set_tile_order", &[made, tile_order]);
    let orders: &[usize] = if dense { &[0, 1] } else { &[0, 1, 4] };
    let cell_order = random.one_of(orders);
    library.ok("array_schema_set_cell_order", &[made, cell_order]);
    let domain = library.make("domain_alloc", &[]);
    let mut dimensions: Vec<Dimension> = Vec::new();
    for index in 0..1 + random.below(3) as usize {
        let first = dimensions.first().map(|first| (first.datatype, first.size));
        let dimension = Dimension::random(random, index, first.filter(|_| dense), dense);
        let handle = dimension.make(library, random, dense);
        library.ok("domain_add_dimension", &[domain, handle]);
        library.free("dimension_free", handle);
        dimensions.push(dimension);
    }
    library.ok("array_schema_set_domain", &[made, domain]);
    for index in 0..random.below(3).saturating_sub(1) {
        add_label(library, random, made, index, &dimensions);
    }
    if random.below(3) == 0 {
        let current = current_domain(library, domain, &dimensions);
        library.ok("array_schema_set_current_domain", &[made, current]);
        library.free("current_domain_free", current);
    }
    library.free("domain_free", domain);
    if random.below(2) == 0 {
        let capacity = 1 + random.below(1 << 40) as usize;
        library.ok("array_schema_set_capacity", &[made, capacity]);
    }
    if !dense {
        let allows = random.below(2) as usize;
        library.ok("array_schema_set_allows_dups", &[made, allows]);
    }
    for case in ["coords", "offsets", "validity"] {
        if random.below(2) == 0 {
            let filters = filters(library, random);
            let name = format!("array_schema_set_{case}_filter_list");
            library.ok(&name, &[made, filters]);
            library.free("filter_list_free", filters);
        }
    }
    let enumerations = random.below(3);
    for index in 0..enumerations {
        let enumeration = enumeration(library, random, &format!("e{index}"));
        library.ok("array_schema_add_enumeration", &[made, enumeration]);
        library.free("enumeration_free", enumeration);
    }
    for index in 0..1 + random.below(4) {
        let attribute = attribute(library, random, &format!("a\t{index}"), enumerations);
        library.ok("array_schema_add_attribute", &[made, attribute]);
        library.free("attribute_free", attribute);
    }
    made
}

/// Returns an enumeration with values that another one did not have.
fn extended_enumeration(library: &Library, random: &mut Random, index: u64) -> usize {
    let name = CString::new(format!("z{index}")).expect("name");
    let numbers: Vec<u16> = (0..random.below(4) as u16).collect();
    let ordered = random.below(2) as usize;
    let first = [name.as_ptr() as usize, 8, 1, ordered];
    let values = [numbers.as_ptr() as usize, 2 * numbers.len(), 0, 0];
    // Values need an address.
    let values = if numbers.is_empty() { [0; 4] } else { values };
    let old = library.make("enumeration_alloc", &[&first[..], &values].concat());
    let added: Vec<u16> = (10..11 + random.below(4) as u16).collect();
    let values = [added.as_ptr() as usize, 2 * added.len(), 0, 0];
    let extended = library.make("enumeration_extend", &[&[old][..], &values].concat());
    library.free("enumeration_free", old);
    extended
}

/// Expands the current domain to a box of random dimensions.
fn expand_current_domain(library: &Library, random: &mut Random, evolution: usize) {
    let domain = library.make("domain_alloc", &[]);
    let mut dimensions = Vec::new();
    for index in 0..1 + random.below(3) as usize {
        let dimension = Dimension::random(random, index, None, false);
        let handle = dimension.make(library, random, false);
        library.ok("domain_add_dimension", &[domain, handle]);
        library.free("dimension_free", handle);
        dimensions.push(dimension);
    }
    let current = current_domain(library, domain, &dimensions);
    let name = "array_schema_evolution_expand_current_domain";
    library.ok(name, &[evolution, current]);
    library.free("current_domain_free", current);
    library.free("domain_free", domain);
}

/// Returns a random evolution. Evolutions of one seed are equal in both libraries.
pub(crate) fn evolution(library: &Library, random: &mut Random) -> usize {
    let made = library.make("array_schema_evolution_alloc", &[]);
    for index in 0..random.below(4) {
        let attribute = attribute(library, random, &format!("a{index}"), 0);
        let name = "array_schema_evolution_add_attribute";
        library.ok(name, &[made, attribute]);
        library.free("attribute_free", attribute);
    }
    for (case, prefix) in [("attribute", "x"), ("enumeration", "y")] {
        for index in 0..random.below(3) {
            let name = CString::new(format!("{prefix}{index}")).expect("name");
            let drop = format!("array_schema_evolution_drop_{case}");
            library.ok(&drop, &[made, name.as_ptr() as usize]);
        }
    }
    for index in 0..random.below(3) {
        let enumeration = enumeration(library, random, &format!("e{index}"));
        let name = "array_schema_evolution_add_enumeration";
        library.ok(name, &[made, enumeration]);
        library.free("enumeration_free", enumeration);
    }
    for index in 0..random.below(3) {
        let extended = extended_enumeration(library, random, index);
        let name = "array_schema_evolution_extend_enumeration";
        library.ok(name, &[made, extended]);
        library.free("enumeration_free", extended);
    }
    if random.below(2) == 0 {
        expand_current_domain(library, random, made);
    }
    if random.below(2) == 0 {
        let time = random.below(1 << 41) as usize;
        let name = "array_schema_evolution_set_timestamp_range";
        library.ok(name, &[made, time, time]);
    }
    made
}
