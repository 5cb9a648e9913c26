//! The color map.

/// Colors from the least to the greatest value, of increasing brightness.
const STOPS: [[u8; 3]; 6] = [
    [68, 1, 84],
    [65, 68, 135],
    [42, 120, 142],
    [34, 168, 132],
    [122, 209, 81],
    [253, 231, 37],
];

/// Returns the color of a position between 0 and 1.
pub(super) fn color(share: f64) -> [u8; 3] {
    let position = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let first = (position as usize).min(STOPS.len() - 2);
    let fraction = position - first as f64;
    let mut color = [0; 3];
    for (channel, value) in color.iter_mut().enumerate() {
        let (low, high) = (
            f64::from(STOPS[first][channel]),
            f64::from(STOPS[first + 1][channel]),
        );
        *value = (low + (high - low) * fraction).round() as u8;
    }
    color
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middles_have_their_colors() {
        assert_eq!(color(0.0), STOPS[0]);
        assert_eq!(color(1.0), STOPS[5]);
        assert_eq!(color(0.2), STOPS[1]);
        assert_eq!(color(f64::NAN.max(0.0)), STOPS[0]);
    }
}
