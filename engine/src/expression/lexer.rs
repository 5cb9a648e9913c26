//! The tokens of the text of a condition.

use super::scalar::Scalar;
use crate::error::{ConditionTextError, Error, Result};
use crate::types::condition::Operator;

/// A token of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConditionToken {
    /// An unquoted name or keyword.
    Word(String),
    /// A quoted name.
    Name(String),
    /// A value.
    Value(Scalar),
    Operator(Operator),
    Open,
    Close,
    Comma,
    /// The end of the text.
    End,
}

/// Reads the tokens of a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// The number of bytes that have been read.
    read: usize,
    /// The number of characters that have been read.
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            read: 0,
            position: 0,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.read..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        if let Some(c) = self.peek() {
            self.read += c.len_utf8();
            self.position += 1;
        }
    }

    fn skip_if(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.skip();
        }
        found
    }

    /// Reads characters while they satisfy a predicate.
    fn take(&mut self, while_true: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !while_true(c)).unwrap_or(rest.len());
        let taken = &rest[..len];
        self.read += len;
        self.position += taken.chars().count();
        taken
    }

    /// Returns the next token and the position of its first character, counted from 1.
    pub(super) fn next(&mut self) -> Result<(ConditionToken, usize)> {
        self.take(char::is_whitespace);
        let position = self.position + 1;
        Ok((self.token(position)?, position))
    }

    fn token(&mut self, position: usize) -> Result<ConditionToken> {
        let Some(first) = self.peek() else {
            return Ok(ConditionToken::End);
        };
        match first {
            '(' | ')' | ',' => {
                self.skip();
                Ok(match first {
                    '(' => ConditionToken::Open,
                    ')' => ConditionToken::Close,
                    _ => ConditionToken::Comma,
                })
            }
            '=' | '!' | '<' | '>' => self.operator(first, position),
            '\'' => Ok(ConditionToken::Value(Scalar::Text(
                self.quoted('\'', position)?,
            ))),
            '"' => Ok(ConditionToken::Name(self.quoted('"', position)?)),
            '0'..='9' | '.' | '-' | '+' => self.number(position).map(ConditionToken::Value),
            'x' | 'X' if self.rest()[1..].starts_with('\'') => {
                self.skip();
                self.bytes(position).map(ConditionToken::Value)
            }
            _ if first == '_' || first.is_alphabetic() => Ok(ConditionToken::Word(
                self.take(|c| c == '_' || c == '.' || c.is_alphanumeric())
                    .to_owned(),
            )),
            _ => Err(Error::condition(
                position,
                ConditionTextError::Unexpected { found: first },
            )),
        }
    }

    fn operator(&mut self, first: char, position: usize) -> Result<ConditionToken> {
        self.skip();
        let operator = match first {
            '=' => {
                self.skip_if('=');
                Operator::Eq
            }
            '<' if self.skip_if('=') => Operator::Le,
            '<' if self.skip_if('>') => Operator::Ne,
            '<' => Operator::Lt,
            '>' if self.skip_if('=') => Operator::Ge,
            '>' => Operator::Gt,
            _ if self.skip_if('=') => Operator::Ne,
            _ => {
                return Err(Error::condition(position, ConditionTextError::NotOperator));
            }
        };
        Ok(ConditionToken::Operator(operator))
    }

    /// Reads a text in quotes. A quote inside it is doubled.
    fn quoted(&mut self, quote: char, position: usize) -> Result<String> {
        self.skip();
        let mut text = String::new();
        loop {
            text.push_str(self.take(|c| c != quote));
            if !self.skip_if(quote) {
                return Err(Error::condition(
                    position,
                    ConditionTextError::OpenQuote { quote },
                ));
            }
            if !self.skip_if(quote) {
                return Ok(text);
            }
            text.push(quote);
        }
    }

    /// Reads bytes such as `X'00ff'`, after the `X`.
    fn bytes(&mut self, position: usize) -> Result<Scalar> {
        let invalid = || Error::condition(position, ConditionTextError::BadBytes);
        let digits: Vec<u8> = self
            .quoted('\'', position)?
            .chars()
            .map(|c| c.to_digit(16).map(|digit| digit as u8))
            .collect::<Option<_>>()
            .ok_or_else(invalid)?;
        if !digits.len().is_multiple_of(2) {
            return Err(invalid());
        }
        Ok(Scalar::Bytes(
            digits
                .chunks_exact(2)
                .map(|pair| pair[0] << 4 | pair[1])
                .collect(),
        ))
    }

    fn number(&mut self, position: usize) -> Result<Scalar> {
        let negative = match self.peek() {
            Some(sign @ ('-' | '+')) => {
                self.skip();
                sign == '-'
            }
            _ => false,
        };
        let word = self.take(|c| c.is_ascii_alphanumeric() || c == '.');
        let mut text = word.to_owned();
        let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        if hexadecimal.is_none() && word.ends_with(['e', 'E']) {
            // The sign of the exponent and its digits.
            text.push_str(self.take(|c| c == '-' || c == '+'));
            text.push_str(self.take(|c| c.is_ascii_digit()));
        }
        let invalid = || {
            let text = text.clone();
            Error::condition(position, ConditionTextError::NotANumber { text })
        };
        if let Some(digits) = hexadecimal {
            let valid = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let value = i128::from_str_radix(digits, 16)
                .ok()
                .filter(|_| valid)
                .ok_or_else(invalid)?;
            return Ok(Scalar::Integer(if negative { -value } else { value }));
        }
        if text.eq_ignore_ascii_case("inf") {
            let infinity = f64::INFINITY;
            return Ok(Scalar::Real(if negative { -infinity } else { infinity }));
        }
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        if plain && let Ok(value) = text.parse::<i128>() {
            return Ok(Scalar::Integer(if negative { -value } else { value }));
        }
        let starts = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let value = text
            .parse::<f64>()
            .ok()
            .filter(|_| starts)
            .ok_or_else(invalid)?;
        Ok(Scalar::Real(if negative { -value } else { value }))
    }
}
