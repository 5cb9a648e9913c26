//! XML responses as a tree of elements. They are small: the longest is a page of a listing.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The maximum nesting depth. Services use at most 4.
const MAX_DEPTH: usize = 32;

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The names and values of the attributes that can be read.
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// Returns the first child with a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns all children with a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the text of the first child with a name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        Some(self.child(name)?.text.as_str())
    }
}

/// Reads a document; returns its root element.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut open: Vec<Element> = Vec::new();
    loop {
        let closed = match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) => {
                if open.len() >= MAX_DEPTH {
                    return Err("elements are nested too deeply".to_owned());
                }
                open.push(started(&start));
                None
            }
            Event::Empty(start) => Some(started(&start)),
            Event::End(_) => open.pop(),
            Event::Text(text) => {
                if let Some(last) = open.last_mut() {
                    last.text
                        .push_str(&text.decode().map_err(|error| error.to_string())?);
                }
                None
            }
            Event::CData(data) => {
                if let Some(last) = open.last_mut() {
                    last.text.push_str(&String::from_utf8_lossy(&data));
                }
                None
            }
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|error| error.to_string())?;
                let escaped = format!("&{name};");
                let text =
                    quick_xml::escape::unescape(&escaped).map_err(|error| error.to_string())?;
                if let Some(last) = open.last_mut() {
                    last.text.push_str(&text);
                }
                None
            }
            Event::Eof => return Err("the document ends early".to_owned()),
            _ => None,
        };
        let Some(closed) = closed else { continue };
        match open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None => return Ok(closed),
        }
    }
}

fn started(start: &BytesStart<'_>) -> Element {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let attributes = start.attributes().flatten();
    Element {
        name: text(start.local_name().as_ref()),
        attributes: attributes
            .map(|attribute| (text(attribute.key.as_ref()), text(&attribute.value)))
            .collect(),
        ..Element::default()
    }
}

/// Returns whether a document can contain a character, escaped or not.
pub(crate) fn can_contain(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => other >= ' ',
    }
}

/// Escapes a text for use in an element.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\r' => escaped.push_str("&#13;"),
            '\n' => escaped.push_str("&#10;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_nest_and_texts_are_unescaped() {
        let root = parse(
            b"<?xml version='1.0'?><a xmlns='x'><b>1 &amp; 2&#65;</b><b/><c><d>x</d></c></a>",
        )
        .expect("parses");
        assert_eq!(root.text_of("b"), Some("1 & 2A"));
        assert_eq!(root.all("b").count(), 2);
        assert_eq!(root.child("c").and_then(|c| c.text_of("d")), Some("x"));
    }

    #[test]
    fn damaged_documents_are_errors() {
        let deep = "<a>".repeat(100);
        for text in ["", "x", "<a>", "<a></b>", &deep, "{}"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn escaped_texts_come_back() {
        let text = "a<b>&\"c\"";
        let root = parse(format!("<r>{}</r>", escape(text)).as_bytes()).expect("parses");
        assert_eq!(root.text, text);
    }
}
