//! Real numbers as dumps show them: six significant digits, no trailing zeros, an exponent where it is shorter.

/// The text of a real number in a dump, as C prints it with `%g`.
pub fn real_text(value: f64) -> String {
    real_text_of(value, 6)
}

/// The same with up to so many digits.
pub fn real_text_of(value: f64, digits: i32) -> String {
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
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

fn without_zeros(text: &str) -> &str {
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
    fn texts_are_those_of_c() {
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
