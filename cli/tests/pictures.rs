//! Import of pictures to dense arrays and their export.

mod program;

use program::Folder;
use serde_json::Value;

/// Writes a PNG file with samples in rows.
fn png(folder: &Folder, name: &str, form: (u32, u32), color: png::ColorType, samples: &[u8]) {
    let pixel = color.samples() * (form.0 * form.1) as usize;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, form.0, form.1);
    encoder.set_color(color);
    encoder.set_depth(if samples.len() == 2 * pixel {
        png::BitDepth::Sixteen
    } else {
        png::BitDepth::Eight
    });
    let mut writer = encoder.write_header().expect("header");
    writer.write_image_data(samples).expect("samples");
    writer.finish().expect("end");
    folder.write_bytes(name, &file);
}

/// Returns the size, the type and the samples of a PNG file.
fn decoded(folder: &Folder, name: &str) -> (u32, u32, png::ColorType, Vec<u8>) {
    let file = folder.read_bytes(name);
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .expect("header");
    let mut samples = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut samples).expect("samples");
    samples.truncate(info.buffer_size());
    (info.width, info.height, info.color_type, samples)
}

fn noise(len: usize) -> Vec<u8> {
    (0..len)
        .map(|index| (index * index / 7 % 251) as u8)
        .collect()
}

#[test]
fn png_pictures_survive_import_and_export() {
    let folder = Folder::new();
    // Larger than a tile in both directions.
    let (width, height) = (300, 520);
    for (color, bytes) in [
        (png::ColorType::Grayscale, 1),
        (png::ColorType::Grayscale, 2),
        (png::ColorType::Rgb, 1),
        (png::ColorType::Rgba, 2),
        (png::ColorType::GrayscaleAlpha, 1),
    ] {
        let samples = noise((width * height) as usize * color.samples() * bytes);
        png(&folder, "in.png", (width, height), color, &samples);
        for channels in ["attributes", "dimension"] {
            let uri = format!("{color:?}{bytes}{channels}");
            let import = ["import", "in.png", &uri, "--channels", channels];
            let printed = folder.output(&import);
            let start = format!("imported 156000 cells to {uri}\n  y: UINT64 [0, 519]\n");
            assert!(printed.starts_with(&start), "{printed}");
            folder.output(&["export", &uri, "out.png"]);
            let expected = (width, height, color, samples.clone());
            assert!(decoded(&folder, "out.png") == expected, "{uri}");
        }
    }
}

#[test]
fn slices_and_single_channels_are_exported() {
    let folder = Folder::new();
    let samples = noise(10 * 6 * 3);
    png(&folder, "in.png", (10, 6), png::ColorType::Rgb, &samples);
    folder.output(&["import", "in.png", "p"]);
    let schema: Value =
        serde_json::from_str(&folder.output(&["schema", "p", "--json"])).expect("JSON");
    let names = [0, 1, 2].map(|index: usize| schema["attributes"][index]["name"].clone());
    assert_eq!(names, ["red", "green", "blue"]);
    let slice = ["--range", "y=2..3", "--range", "x=4..8"];
    let export = ["export", "p", "green.png", "--columns", "green"];
    folder.output(&[&export[..], &slice].concat());
    let pixel = |y: usize, x: usize, channel: usize| samples[(y * 10 + x) * 3 + channel];
    let green = (2..4).flat_map(|y| (4..9).map(move |x| (y, x)));
    let green: Vec<u8> = green.map(|(y, x)| pixel(y, x, 1)).collect();
    let expected = (5, 2, png::ColorType::Grayscale, green);
    assert_eq!(decoded(&folder, "green.png"), expected);
}

#[test]
fn tiff_pictures_survive_import_and_export() {
    let folder = Folder::new();
    // A picture of numbers.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 20), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").into_bytes());
    npy.extend((0..6000).flat_map(|value| (value as f32 / 3.0).to_le_bytes()));
    folder.write_bytes("f.npy", &npy);
    folder.output(&["import", "f.npy", "f"]);
    folder.output(&["export", "f", "f.tiff"]);
    let printed = folder.output(&["import", "f.tiff", "g"]);
    let expected = "imported 6000 cells to g\n  y: UINT64 [0, 299]\n  x: UINT64 [0, 19]\n  \
                    grey: FLOAT32\n";
    let reasons = printed.strip_prefix(expected);
    let reasons = reasons.and_then(|rest| rest.strip_prefix("the schema was chosen from a sample"));
    assert!(
        reasons.is_some_and(|reasons| reasons.contains("  grey: ")),
        "{printed}"
    );
    folder.output(&["export", "g", "g.npy", "--columns", "grey"]);
    assert!(
        folder
            .read_bytes("g.npy")
            .ends_with(&npy[npy.len() - 24_000..])
    );
    for (color, bytes) in [
        (png::ColorType::Grayscale, 1),
        (png::ColorType::Rgb, 2),
        (png::ColorType::Rgba, 1),
    ] {
        let samples = noise(40 * 300 * color.samples() * bytes);
        png(&folder, "in.png", (40, 300), color, &samples);
        let (first, second) = (format!("first{color:?}"), format!("second{color:?}"));
        folder.output(&["import", "in.png", &first]);
        folder.output(&["export", &first, "out.tif"]);
        folder.output(&["import", "out.tif", &second]);
        let diff = folder.output(&["diff", &first, &second]);
        assert_eq!(diff, "the arrays are equal\n", "{color:?}");
    }
}

#[test]
fn what_is_not_a_picture_is_an_error() {
    let folder = Folder::new();
    for file in ["bad.png", "bad.tif"] {
        folder.write(file, "a text and not a picture");
        let error = folder.error(&["import", file, "bad"], 2);
        assert!(
            error.starts_with("error: the picture cannot be converted: "),
            "{error}"
        );
    }
    folder.write("t.csv", "a,b\n1,2\n");
    folder.output(&["import", "t.csv", "t"]);
    for file in ["t.png", "t.tiff"] {
        let error = folder.error(&["export", "t", file], 2);
        assert!(
            error.starts_with("error: the selection is not a picture: "),
            "{error}"
        );
    }
    png(&folder, "in.png", (4, 4), png::ColorType::Rgb, &noise(48));
    folder.output(&["import", "in.png", "p"]);
    let error = folder.error(
        &["export", "p", "p.png", "--range", "y=1", "--range", "y=3"],
        2,
    );
    assert!(error.contains("a dimension has several ranges"), "{error}");
    let whole = folder.read_bytes("in.png");
    folder.write_bytes("short.png", &whole[..whole.len() - 30]);
    folder.error(&["import", "short.png", "short"], 2);
    let names = [
        "bad.png",
        "bad.tif",
        "in.png",
        "p",
        "short.png",
        "t",
        "t.csv",
    ];
    assert_eq!(folder.names(), names);
}

#[test]
fn png_files_with_wrong_checksums_are_errors() {
    let folder = Folder::new();
    png(
        &folder,
        "in.png",
        (30, 40),
        png::ColorType::Rgb,
        &noise(3600),
    );
    let mut file = folder.read_bytes("in.png");
    // The checksum of the last chunk with samples precedes the end, which has 12 bytes.
    let position = file.len() - 14;
    file[position] ^= 1;
    folder.write_bytes("in.png", &file);
    let error = folder.error(&["import", "in.png", "p"], 2);
    assert!(
        error.starts_with("error: the picture cannot be converted: "),
        "{error}"
    );
    assert_eq!(folder.names(), ["in.png"]);
}

/// Returns a TIFF file with these tags, each with its number of values, and with 64 bytes of
/// samples at byte 8.
fn tiff(tags: &[(u16, u32, u32)]) -> Vec<u8> {
    let mut file = b"II\x2a\x00\x48\x00\x00\x00".to_vec();
    file.extend([0x55; 64]);
    file.extend((tags.len() as u16).to_le_bytes());
    for (tag, number, value) in tags {
        file.extend(tag.to_le_bytes());
        // Values have 32 bits; several are at a position in the file.
        file.extend([4, 0]);
        file.extend(number.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]);
    file
}

#[test]
fn tiff_files_with_unsupported_samples_are_errors_with_their_reason() {
    let folder = Folder::new();
    let with_size = |width: u32, height: u32, bits: u32| {
        let tags = [(256, width), (257, height), (258, bits), (259, 1), (262, 1)];
        tags.map(|(tag, value)| (tag, 1, value)).to_vec()
    };
    let mut bits = with_size(8, 8, 1);
    bits.extend([(273, 1, 8), (277, 1, 1), (278, 1, 8), (279, 1, 8)]);
    // Ten tiles.
    let mut wide = with_size(1_000_000, 2_000, 8);
    wide.extend([
        (277, 1, 1),
        (322, 1, 100_000),
        (323, 1, 2_000),
        (324, 10, 8),
        (325, 10, 8),
    ]);
    let mut damaged = with_size(8, 8, 8);
    damaged[3] = (259, 1, 8);
    damaged.extend([(273, 1, 8), (277, 1, 1), (278, 1, 8), (279, 1, 64)]);
    folder.write_bytes("in.tif", &tiff(&damaged));
    let error = folder.error(&["import", "in.tif", "p"], 2);
    let expected = "error: the picture cannot be converted: ";
    assert!(error.starts_with(expected), "{error}");
    for (tags, reason) in [
        (bits, "samples with less than 8 bits"),
        (wide, "rows of tiles with more than 1 GiB"),
    ] {
        folder.write_bytes("in.tif", &tiff(&tags));
        let error = folder.error(&["import", "in.tif", "p"], 2);
        let expected = format!("error: the TIFF file has {reason}\nhint: ");
        assert!(error.starts_with(&expected), "{error}");
        assert_eq!(folder.names(), ["in.tif"]);
    }
}
