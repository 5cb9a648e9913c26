//! A recursive-descent parser of conditions. The grammar is in the documentation of the module.

use std::str::FromStr;

use super::condition::{Condition, ConditionNode, FieldName, KEYWORDS, Literal};
use super::lexer::{ConditionToken, Lexer};
use super::scalar::Scalar;
use crate::error::{ConditionTextError, Error, Result};
use crate::types::condition::Operator;

/// The maximum nesting depth of parentheses and NOT, which bounds recursion.
const MAX_NESTING: usize = 256;

/// Parses a condition.
///
/// # Errors
///
/// Returns an error with the position of the first character that does not follow the grammar.
pub fn parse(text: &str) -> Result<Condition> {
    let mut lexer = Lexer::new(text);
    let (next, position) = lexer.next()?;
    let mut parser = Parser {
        lexer,
        next,
        position,
        depth: 0,
    };
    if parser.next == ConditionToken::End {
        return Err(Error::condition(1, ConditionTextError::Empty));
    }
    let condition = parser.condition()?;
    match parser.next {
        ConditionToken::End => Ok(condition),
        _ => Err(parser.expected("AND, OR or the end of the condition")),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token.
    next: ConditionToken,
    /// The position of its first character, counted from 1.
    position: usize,
    depth: usize,
}

/// One side of a comparison.
enum Side {
    Field(FieldName),
    Value(Literal),
}

impl Parser<'_> {
    /// Skips the next token and returns it.
    fn advance(&mut self) -> Result<ConditionToken> {
        let (next, position) = self.lexer.next()?;
        self.position = position;
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(&self.next, ConditionToken::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Skips a keyword; returns whether it was there.
    fn skip_keyword(&mut self, keyword: &str) -> Result<bool> {
        let found = self.is_keyword(keyword);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn require(&mut self, token: &ConditionToken, expected_token: &'static str) -> Result<()> {
        if self.next != *token {
            return Err(self.expected(expected_token));
        }
        self.advance().map(drop)
    }

    fn expected(&self, expected_token: &'static str) -> Error {
        let found = match &self.next {
            ConditionToken::Word(word) => format!("'{word}'"),
            ConditionToken::Name(name) => format!("\"{name}\""),
            ConditionToken::Value(value) => value.to_string(),
            ConditionToken::Operator(_) => "an operator".to_owned(),
            ConditionToken::Open => "'('".to_owned(),
            ConditionToken::Close => "')'".to_owned(),
            ConditionToken::Comma => "','".to_owned(),
            ConditionToken::End => "the end".to_owned(),
        };
        Error::condition(
            self.position,
            ConditionTextError::Expected {
                expected_token,
                found,
            },
        )
    }

    fn condition(&mut self) -> Result<Condition> {
        let mut all = self.conjunction()?;
        while self.skip_keyword("OR")? {
            all = all | self.conjunction()?;
        }
        Ok(all)
    }

    fn conjunction(&mut self) -> Result<Condition> {
        let mut all = self.term()?;
        while self.skip_keyword("AND")? {
            all = all & self.term()?;
        }
        Ok(all)
    }

    fn term(&mut self) -> Result<Condition> {
        if self.depth == MAX_NESTING {
            let cause = ConditionTextError::TooDeep {
                levels: MAX_NESTING,
            };
            return Err(Error::condition(self.position, cause));
        }
        self.depth += 1;
        let term = if self.skip_keyword("NOT")? {
            !self.term()?
        } else if self.next == ConditionToken::Open {
            self.advance()?;
            let inner = self.condition()?;
            self.require(&ConditionToken::Close, "')'")?;
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(term)
    }

    fn comparison(&mut self) -> Result<Condition> {
        match self.side()? {
            Side::Field(field) => self.after_field(field),
            Side::Value(value) => {
                let operator = self.operator()?;
                let field = match self.side()? {
                    Side::Field(field) => field,
                    Side::Value(second) => {
                        let position = second.position.unwrap_or_default();
                        return Err(Error::condition(position, ConditionTextError::NoField));
                    }
                };
                let node = ConditionNode::Compare(field, mirrored(operator), value);
                Ok(Condition::of(node))
            }
        }
    }

    /// Parses the rest of a comparison that begins with a field.
    fn after_field(&mut self, field: FieldName) -> Result<Condition> {
        if self.skip_keyword("IS")? {
            let negated = self.skip_keyword("NOT")?;
            if !self.skip_keyword("NULL")? {
                return Err(self.expected("NULL"));
            }
            return Ok(negate_if(negated, field.is_null()));
        }
        let negated = self.skip_keyword("NOT")?;
        if self.skip_keyword("IN")? {
            let values = self.list()?;
            let member = Condition::of(ConditionNode::Member(field, values));
            return Ok(negate_if(negated, member));
        }
        if self.skip_keyword("BETWEEN")? {
            let low = self.value()?;
            if !self.skip_keyword("AND")? {
                return Err(self.expected("AND"));
            }
            let high = self.value()?;
            let low = ConditionNode::Compare(field.clone(), Operator::Ge, low);
            let high = ConditionNode::Compare(field, Operator::Le, high);
            let bounds = Condition::of(low) & Condition::of(high);
            return Ok(negate_if(negated, bounds));
        }
        if negated {
            return Err(self.expected("IN or BETWEEN"));
        }
        if self.is_keyword("LIKE") {
            return Err(Error::condition(self.position, ConditionTextError::Like));
        }
        self.operator_and_value(field)
    }

    fn operator_and_value(&mut self, field: FieldName) -> Result<Condition> {
        let operator = self.operator()?;
        let position = self.position;
        if self.is_keyword("NULL") {
            return Err(Error::condition(
                position,
                ConditionTextError::ComparedWithNull,
            ));
        }
        let value = match self.side()? {
            Side::Value(value) => value,
            Side::Field(field) => {
                let name = field.name.clone();
                return Err(Error::condition(
                    position,
                    ConditionTextError::NotAValue { name },
                ));
            }
        };
        Ok(Condition::of(ConditionNode::Compare(
            field, operator, value,
        )))
    }

    fn list(&mut self) -> Result<Vec<Literal>> {
        self.require(&ConditionToken::Open, "'('")?;
        let mut values = vec![self.value()?];
        while self.next == ConditionToken::Comma {
            self.advance()?;
            values.push(self.value()?);
        }
        self.require(&ConditionToken::Close, "',' or ')'")?;
        Ok(values)
    }

    fn operator(&mut self) -> Result<Operator> {
        match self.next {
            ConditionToken::Operator(operator) => {
                self.advance()?;
                Ok(operator)
            }
            _ => Err(self.expected("an operator such as =")),
        }
    }

    fn value(&mut self) -> Result<Literal> {
        let unexpected = self.expected("a value");
        if !matches!(
            self.next,
            ConditionToken::Value(_) | ConditionToken::Word(_)
        ) {
            return Err(unexpected);
        }
        match self.side()? {
            Side::Value(value) => Ok(value),
            Side::Field(_) => Err(unexpected),
        }
    }

    /// Parses a field or a value.
    fn side(&mut self) -> Result<Side> {
        let expected_token = "the name of a field or a value";
        let position = Some(self.position);
        let value = |value: Scalar| Side::Value(Literal { value, position });
        let side = match self.next.clone() {
            ConditionToken::Value(scalar) => value(scalar),
            ConditionToken::Name(name) => Side::Field(FieldName { name, position }),
            ConditionToken::Word(word) => match word.to_ascii_uppercase().as_str() {
                "TRUE" => value(Scalar::Bool(true)),
                "FALSE" => value(Scalar::Bool(false)),
                "INF" => value(Scalar::Real(f64::INFINITY)),
                "NAN" => value(Scalar::Real(f64::NAN)),
                keyword if KEYWORDS.contains(&keyword) => return Err(self.expected(expected_token)),
                _ => Side::Field(FieldName {
                    name: word,
                    position,
                }),
            },
            _ => return Err(self.expected(expected_token)),
        };
        self.advance()?;
        Ok(side)
    }
}

fn negate_if(negated: bool, condition: Condition) -> Condition {
    if negated { !condition } else { condition }
}

/// Returns the operator with exchanged sides.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Lt => Operator::Gt,
        Operator::Le => Operator::Ge,
        Operator::Gt => Operator::Lt,
        Operator::Ge => Operator::Le,
        other => other,
    }
}

impl Condition {
    /// Parses a condition from text, such as `a > 3 AND b = 'x'`. The grammar is that of SQL: the
    /// operators `=`, `!=`, `<>`, `<`, `<=`, `>`, `>=`, `IN`, `BETWEEN`, `IS NULL`, `NOT`, `AND`,
    /// `OR` and parentheses; texts and datetimes in single quotes, names with special characters
    /// in double quotes.
    ///
    /// # Errors
    ///
    /// Returns an error with the position of the first character that does not follow the grammar.
    pub fn parse(text: &str) -> Result<Self> {
        parse(text)
    }
}

impl FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse(text)
    }
}
