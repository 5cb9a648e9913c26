//! The layout of unfiltered tiles: the caller's bytes between chunk headers, without a copy.

use std::io::IoSlice;

/// Returns the headers of an unfiltered tile of `len` bytes: of the tile, then of each chunk.
pub fn plain_headers(starts: &[u64], len: u64) -> Vec<u8> {
    let mut headers = Vec::with_capacity(8 + 12 * starts.len());
    headers.extend_from_slice(&(starts.len() as u64).to_le_bytes());
    for (index, start) in starts.iter().enumerate() {
        let size = (starts.get(index + 1).copied().unwrap_or(len) - start) as u32;
        headers.extend_from_slice(&size.to_le_bytes());
        headers.extend_from_slice(&size.to_le_bytes());
        headers.extend_from_slice(&0u32.to_le_bytes());
    }
    headers
}

/// Returns the stored form of an unfiltered tile as slices: parts of `headers` between parts of
/// `runs`, whose concatenation is the tile.
pub fn plain_pieces<'a>(headers: &'a [u8], starts: &[u64], runs: &[&'a [u8]]) -> Vec<IoSlice<'a>> {
    let mut pieces = Vec::with_capacity(2 * starts.len() + runs.len());
    let (mut chunk, mut offset, mut headers_at) = (0, 0u64, 0);
    for run in runs {
        let mut rest = *run;
        while !rest.is_empty() {
            if starts.get(chunk) == Some(&offset) {
                let header_end = 8 + 12 * (chunk + 1);
                pieces.push(IoSlice::new(&headers[headers_at..header_end]));
                headers_at = header_end;
                chunk += 1;
            }
            let len = starts
                .get(chunk)
                .map_or(rest.len(), |next| rest.len().min((next - offset) as usize));
            let (part, remaining) = rest.split_at(len);
            pieces.push(IoSlice::new(part));
            offset += len as u64;
            rest = remaining;
        }
    }
    // An empty tile, and empty chunks at the end, consist of headers only.
    if headers_at < headers.len() {
        pieces.push(IoSlice::new(&headers[headers_at..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_precede_the_data_of_each_chunk() {
        let data: Vec<u8> = (0..10).collect();
        let headers = plain_headers(&[0, 4, 8], 10);
        let pieces = plain_pieces(&headers, &[0, 4, 8], &[&data[..5], &data[5..]]);
        let stored: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
        let mut expected = Vec::new();
        expected.extend_from_slice(&3u64.to_le_bytes());
        for chunk in [&data[..4], &data[4..8], &data[8..]] {
            for word in [chunk.len() as u32, chunk.len() as u32, 0] {
                expected.extend_from_slice(&word.to_le_bytes());
            }
            expected.extend_from_slice(chunk);
        }
        assert_eq!(stored, expected);
    }

    #[test]
    fn an_empty_tile_consists_of_headers() {
        let headers = plain_headers(&[0], 0);
        let pieces = plain_pieces(&headers, &[0], &[]);
        assert_eq!(pieces.iter().map(|piece| piece.len()).sum::<usize>(), 20);
    }
}
