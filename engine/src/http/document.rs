//! The properties by which responses of a service differ from those of a proxy.

use std::fmt;

/// A property of all successful responses to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    Header(&'static str),
    Status(u16),
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header '{name}'"),
            Self::Status(status) => write!(f, "status {status}"),
        }
    }
}

/// The format of a document in the body of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Json,
    Xml,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Xml => "XML",
        })
    }
}

impl Document {
    /// Returns whether a body begins and ends like a document, which pages that proxies send
    /// instead, and damaged or incomplete bodies, do not.
    pub(crate) fn matches(self, body: &[u8]) -> bool {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let body = body.trim_ascii();
        let begins_with = |start: &[u8]| {
            let found = body.get(..start.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(start))
        };
        match self {
            Self::Json => begins_with(b"{") && body.ends_with(b"}"),
            Self::Xml => {
                let is_page = begins_with(b"<!doctype") || begins_with(b"<html");
                begins_with(b"<") && !is_page && body.ends_with(b">")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_proxies_and_parts_of_documents_do_not_match() {
        let xml = ["<?xml version='1.0'?><Error/>", "\u{feff}<R/>", "\n <R>"];
        let others = [
            "",
            "<R>a</",
            "{\"a\":1",
            "x<R/>",
            "<!DOCTYPE html><html>",
            " <HTML>",
            "[]",
            "\0",
        ];
        assert!(
            xml.iter()
                .all(|body| Document::Xml.matches(body.as_bytes()))
        );
        assert!(Document::Json.matches(b" {\"a\":1}\n"));
        for body in others {
            assert!(!Document::Xml.matches(body.as_bytes()), "{body}");
            assert!(!Document::Json.matches(body.as_bytes()), "{body}");
        }
    }
}
