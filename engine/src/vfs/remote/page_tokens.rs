//! The tokens with which pages of a listing refer to the next page.

use std::io::ErrorKind;

use super::store::StoreResult;
use crate::http::failure::Failure;

/// Detects a listing whose pages repeat. One earlier token is kept and replaced after 1, 2, 4, ...
/// pages, so that a cycle of any length is found in constant memory.
#[derive(Debug, Default)]
pub(super) struct PageTokens {
    earlier: Option<String>,
    /// The number of pages since the token was kept.
    pages: u64,
    /// The number of pages after which it is replaced.
    max_pages: u64,
}

impl PageTokens {
    /// Takes the token of the next page.
    ///
    /// # Errors
    ///
    /// If the listing has had a page with this token.
    pub(super) fn advance(&mut self, token: &str) -> StoreResult<()> {
        if self.earlier.as_deref() == Some(token) {
            let message = "the listing does not advance";
            return Err(Failure::new(ErrorKind::InvalidData, message));
        }
        if self.pages == self.max_pages {
            self.earlier = Some(token.to_owned());
            self.max_pages = self.max_pages.saturating_mul(2).max(1);
            self.pages = 0;
        }
        self.pages += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_tokens_are_errors() {
        for length in 1..20 {
            let mut tokens = PageTokens::default();
            let mut pages = (0..100).map(|page| (page % length).to_string());
            assert!(
                pages.any(|token| tokens.advance(&token).is_err()),
                "{length}"
            );
        }
    }

    #[test]
    fn different_tokens_are_accepted() {
        let mut tokens = PageTokens::default();
        for page in 0..1000 {
            tokens.advance(&page.to_string()).expect("advances");
        }
    }
}
