//! Floating-point numbers as text in dumps: as C's `%g` prints them, with six significant digits,
//! no trailing zeros, and an exponent if that is shorter.

/// Formats a floating-point number as C does with `%g`.
pub fn real_text(value: f64) -> String {
    real_text_with_digits(value, 6)
}

/// Formats a floating-point number as C does with `%.<digits>g`.
pub fn real_text_with_digits(value: f64, digits: i32) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() {
            "-nan"
        } else {
            "nan"
        }
        .to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits as usize - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits).contains(&exponent) {
        let decimals = (digits - 1 - exponent).max(0) as usize;
        return trim_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim_zeros(mantissa), exponent.abs())
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_equal_those_of_c() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (100000.0, "100000"),
            (1e6, "1e+06"),
            (123456789.0, "1.23457e+08"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (2.5e100, "2.5e+100"),
            (0.333333333, "0.333333"),
            (999999.5, "1e+06"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(real_text(value), text);
        }
    }
}
