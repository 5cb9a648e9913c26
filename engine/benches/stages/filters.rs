//! Filters: each codec and transform, on a tile of half a megabyte in chunks of 64 KiB.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::BytesCount;
use tiledb_engine::internal::filter::{
    Filter, FilterList, FilterType, Pipeline, Texts, Webp, WebpFormat, chunk_starts,
};
use tiledb_engine::internal::types::{Datatype, EncryptionKey};

use crate::data::{mixed, text_of};
use crate::setup::bytes;

/// The number of values of a tile.
const VALUES: u64 = 1 << 16;
/// The filters of numbers. Encryption and images have benchmarks of their own.
const KINDS: [FilterType; 15] = [
    FilterType::Gzip,
    FilterType::Zstd,
    FilterType::Lz4,
    FilterType::Bzip2,
    FilterType::Rle,
    FilterType::DoubleDelta,
    FilterType::Delta,
    FilterType::BitWidthReduction,
    FilterType::PositiveDelta,
    FilterType::Bitshuffle,
    FilterType::Byteshuffle,
    FilterType::ChecksumMd5,
    FilterType::ChecksumSha256,
    FilterType::ScaleFloat,
    FilterType::Xor,
];
const TEXT_KINDS: [FilterType; 2] = [FilterType::Rle, FilterType::Dictionary];

/// A tile and the pipeline that encodes it.
struct Tile {
    pipeline: Pipeline,
    data: Vec<u8>,
    starts: Vec<u64>,
}

impl Tile {
    fn new(
        list: FilterList,
        datatype: Datatype,
        data: Vec<u8>,
        key: Option<&EncryptionKey>,
    ) -> Self {
        let size = datatype.size() as u64;
        let starts = chunk_starts(&list, data.len() as u64, size).expect("chunks");
        let pipeline = Pipeline::new(Arc::new(list), datatype, key).expect("pipeline");
        Self {
            pipeline,
            data,
            starts,
        }
    }

    /// Creates a tile of ascending numbers with some noise, or of prices with two decimals.
    fn of_numbers(kind: FilterType) -> Self {
        let list = FilterList::of(Filter::new(kind).expect("filter"));
        if kind == FilterType::ScaleFloat {
            let prices = (0..VALUES).map(|index| (mixed(index) >> 50) as f64 / 100.0);
            return Self::new(list, Datatype::Float64, bytes(prices), None);
        }
        let numbers = (0..VALUES).map(|index| (index * 20 + (mixed(index) >> 60)) as i64);
        Self::new(list, Datatype::Int64, bytes(numbers), None)
    }

    fn encode(&self, bencher: Bencher<'_, '_>) {
        bencher
            .counter(BytesCount::new(self.data.len()))
            .bench_local(|| {
                let stored = self.pipeline.encode_tile(&self.data, &self.starts);
                stored.expect("encoded")
            });
    }

    fn decode(&self, bencher: Bencher<'_, '_>) {
        let stored = self.pipeline.encode_tile(&self.data, &self.starts);
        let stored = stored.expect("encoded");
        let mut to = vec![0; self.data.len()];
        bencher
            .counter(BytesCount::new(self.data.len()))
            .bench_local(|| {
                self.pipeline
                    .decode_tile(&stored, &mut to)
                    .expect("decoded")
            });
    }
}

#[divan::bench(args = KINDS)]
fn encode(bencher: Bencher<'_, '_>, kind: FilterType) {
    Tile::of_numbers(kind).encode(bencher);
}

#[divan::bench(args = KINDS)]
fn decode(bencher: Bencher<'_, '_>, kind: FilterType) {
    Tile::of_numbers(kind).decode(bencher);
}

fn encrypted() -> Tile {
    let key = EncryptionKey::new(&[7; 32]).expect("a key");
    let data = bytes((0..VALUES).map(mixed));
    Tile::new(FilterList::default(), Datatype::Int64, data, Some(&key))
}

#[divan::bench]
fn encrypt(bencher: Bencher<'_, '_>) {
    encrypted().encode(bencher);
}

#[divan::bench]
fn decrypt(bencher: Bencher<'_, '_>) {
    encrypted().decode(bencher);
}

/// Returns a tile of one image of 128 x 128 pixels in three colours.
fn image() -> Tile {
    let webp = Filter::Webp(Webp {
        quality: 90.0,
        format: WebpFormat::Rgb,
        lossless: false,
        extents: (128, 384),
    });
    let pixels = (0..128u64 * 384).map(|index| (index % 384 / 3 + mixed(index) % 8) as u8);
    Tile::new(
        FilterList::of(webp),
        Datatype::Uint8,
        pixels.collect(),
        None,
    )
}

#[divan::bench]
fn encode_webp(bencher: Bencher<'_, '_>) {
    image().encode(bencher);
}

#[divan::bench]
fn decode_webp(bencher: Bencher<'_, '_>) {
    image().decode(bencher);
}

/// The texts of a tile: runs of repeated words.
fn texts() -> (Vec<u8>, Vec<u64>) {
    let (mut values, mut starts) = (Vec::new(), vec![0]);
    for index in 0..VALUES {
        values.extend_from_slice(text_of(index / 4 % 200).as_bytes());
        starts.push(values.len() as u64);
    }
    (values, starts)
}

fn text_pipeline(kind: FilterType) -> Pipeline {
    let list = Arc::new(FilterList::of(Filter::new(kind).expect("filter")));
    Pipeline::for_texts(list, Datatype::StringAscii, None).expect("pipeline")
}

#[divan::bench(args = TEXT_KINDS)]
fn encode_texts(bencher: Bencher<'_, '_>, kind: FilterType) {
    let (values, starts) = texts();
    let pipeline = text_pipeline(kind);
    let texts = Texts {
        values: &values,
        starts: &starts,
    };
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| pipeline.encode_texts(texts).expect("encoded"));
}

#[divan::bench(args = TEXT_KINDS)]
fn decode_texts(bencher: Bencher<'_, '_>, kind: FilterType) {
    let (mut values, mut starts) = texts();
    let pipeline = text_pipeline(kind);
    let texts = Texts {
        values: &values,
        starts: &starts,
    };
    let stored = pipeline.encode_texts(texts).expect("encoded");
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| {
            pipeline
                .decode_texts(&stored, &mut values, VALUES as usize, &mut starts)
                .expect("decoded");
        });
}

/// Small tiles, on both sides of the size below which zlib is used instead of libdeflate.
#[divan::bench(args = [16, 32, 64, 128, 256])]
fn encode_small_gzip(bencher: Bencher<'_, '_>, len: u64) {
    let list = FilterList::of(Filter::new(FilterType::Gzip).expect("filter"));
    let data = bytes((0..len / 8).map(|index| index * 20));
    Tile::new(list, Datatype::Int64, data, None).encode(bencher);
}
