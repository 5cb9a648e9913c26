//! TIFF files with several pictures.

mod program;

use std::io::Cursor;

use program::Folder;
use tiff::encoder::TiffEncoder;
use tiff::encoder::colortype::{Gray8, RGB16};

/// Returns a TIFF file with grey pictures of these sizes, whose samples are the index of the
/// picture plus that of the pixel.
fn grey(sizes: &[(u32, u32)]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).expect("header");
    for (index, (width, height)) in sizes.iter().enumerate() {
        let samples: Vec<u8> = (0..width * height)
            .map(|pixel| (pixel as usize + 100 * index) as u8)
            .collect();
        let written = encoder.write_image::<Gray8>(*width, *height, &samples);
        written.expect("picture");
    }
    file.into_inner()
}

#[test]
fn pictures_of_equal_form_become_a_dimension() {
    let folder = Folder::new();
    folder.write_bytes("in.tif", &grey(&[(5, 2); 3]));
    let printed = folder.output(&["import", "in.tif", "a"]);
    let expected = "imported 30 cells to a\n  picture: UINT64 [0, 2]\n  y: UINT64 [0, 1]\n  \
                    x: UINT64 [0, 4]\n  grey: UINT8\n";
    assert_eq!(printed, expected);
    let range = ["cat", "a", "--range", "picture=2", "--range", "y=1"];
    let printed = folder.output(&[&range[..], &["--columns", "grey", "--format", "csv"]].concat());
    assert_eq!(printed, "grey\n205\n206\n207\n208\n209\n");
    // One of the pictures is exported again.
    folder.output(&["export", "a", "out.tif", "--range", "picture=1"]);
    let printed = folder.output(&["import", "out.tif", "b"]);
    assert!(
        printed.starts_with("imported 10 cells to b\n  y: "),
        "{printed}"
    );
    let printed = folder.output(&["cat", "b", "-n", "2", "--format", "csv"]);
    assert_eq!(printed, "y,x,grey\n0,0,100\n0,1,101\n");
    let error = folder.error(&["export", "a", "all.tif"], 2);
    assert!(
        error.starts_with("error: the selection is not a picture"),
        "{error}"
    );
}

#[test]
fn channels_of_several_pictures_can_be_a_dimension() {
    let folder = Folder::new();
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).expect("header");
    for index in 0..2 {
        let samples: Vec<u16> = (0..7 * 6 * 3).map(|sample| sample + 1000 * index).collect();
        let written = encoder.write_image::<RGB16>(7, 6, &samples);
        written.expect("picture");
    }
    folder.write_bytes("in.tif", &file.into_inner());
    folder.output(&["import", "in.tif", "a", "--channels", "dimension"]);
    let last = ["--range", "picture=1", "--range", "y=5", "--range", "x=6"];
    let cells = folder.output(&[&["cat", "a", "--format", "csv"], &last[..]].concat());
    let expected = "picture,y,x,channel,value\n1,5,6,0,1123\n1,5,6,1,1124\n1,5,6,2,1125\n";
    assert_eq!(cells, expected);
    folder.output(&["export", "a", "out.tif", "--range", "picture=1"]);
    let printed = folder.output(&["import", "out.tif", "b"]);
    assert!(printed.contains("  red: UINT16\n"), "{printed}");
}

#[test]
fn pictures_of_other_sizes_are_left_out_with_a_note() {
    let folder = Folder::new();
    folder.write_bytes("in.tif", &grey(&[(6, 4), (3, 2)]));
    let printed = folder.output(&["import", "in.tif", "a"]);
    let expected = "imported 24 cells to a\n  y: UINT64 [0, 3]\n  x: UINT64 [0, 5]\n  grey: UINT8\n\
                    note: pictures of other sizes or types were left out: 1\n";
    assert_eq!(printed, expected);
    let printed = folder.output(&["import", "in.tif", "b", "--json"]);
    assert!(printed.contains("\"pictures_left_out\": 1"), "{printed}");
}
