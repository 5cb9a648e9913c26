//! Compares the loops compiled for the baseline with those compiled for this CPU, at all lengths
//! near block boundaries.

use super::*;
use crate::bytes::baseline;

/// Filters that contain vectorised loops.
const LOOPS: [FilterType; 9] = [
    FilterType::Rle,
    FilterType::DoubleDelta,
    FilterType::Delta,
    FilterType::BitWidthReduction,
    FilterType::PositiveDelta,
    FilterType::Xor,
    FilterType::Bitshuffle,
    FilterType::Byteshuffle,
    FilterType::ScaleFloat,
];

/// One datatype of each physical type.
const SHAPES: [Datatype; 12] = [
    Datatype::Int8,
    Datatype::Uint8,
    Datatype::Int16,
    Datatype::Uint16,
    Datatype::Int32,
    Datatype::Uint32,
    Datatype::Int64,
    Datatype::Uint64,
    Datatype::Float32,
    Datatype::Float64,
    Datatype::DatetimeNs,
    Datatype::TimeSec,
];

/// Returns ascending values with growing steps, which every filter accepts; small floating-point
/// numbers for those types.
fn ascending(datatype: Datatype, values: usize) -> Vec<u8> {
    let value = |index: usize| (index * index * index / 50 + index / 3) as u64;
    let size = datatype.size();
    let bytes = (0..values).flat_map(|index| match datatype {
        Datatype::Float32 => (value(index) as f32 / 8.0).to_le_bytes().to_vec(),
        Datatype::Float64 => (value(index) as f64 / 8.0).to_le_bytes().to_vec(),
        _ => value(index).min(u64::MAX >> (65 - 8 * size)).to_le_bytes()[..size].to_vec(),
    });
    bytes.collect()
}

#[test]
fn simd_and_baseline_code_agree_at_all_lengths_near_block_boundaries() {
    let around = |len: usize| len - 2..=len + 2;
    let lens = (0..=140)
        .chain(around(256))
        .chain(around(1024))
        .chain(around(2048));
    let lens: Vec<usize> = lens.chain(around(8192)).chain(around(16384)).collect();
    let mut compared = 0;
    for kind in LOOPS {
        for datatype in SHAPES {
            let filter = match kind {
                FilterType::ScaleFloat => Filter::ScaleFloat(ScaleFloat {
                    scale: 0.5,
                    offset: 3.0,
                    byte_width: 4,
                }),
                _ => filter(kind),
            };
            if !filter.accepts(datatype) {
                continue;
            }
            let list = Arc::new(FilterList::of(filter));
            let pipeline = Pipeline::new(list, datatype, None).expect("accepted");
            for len in &lens {
                let data = ascending(datatype, *len);
                let size = datatype.size() as u64;
                let starts = chunk_starts(&pipeline.list, data.len() as u64, size);
                let starts = starts.expect("small chunks");
                let simd = pipeline
                    .encode_tile(&data, &starts)
                    .expect("ascending values");
                let baseline = baseline::force(|| pipeline.encode_tile(&data, &starts));
                assert_eq!(
                    Some(&simd),
                    baseline.ok().as_ref(),
                    "{kind:?} {datatype:?} {len}"
                );
                let (mut one, mut other) = (vec![1; data.len()], vec![2; data.len()]);
                pipeline
                    .decode_tile(&simd, &mut one)
                    .expect("what was written");
                baseline::force(|| pipeline.decode_tile(&simd, &mut other)).expect("the same");
                assert_eq!(one, other, "{kind:?} {datatype:?} {len}");
                assert!(
                    one == data || kind == FilterType::ScaleFloat,
                    "{kind:?} {datatype:?} {len}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 96 * lens.len());
}
