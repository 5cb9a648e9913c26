//! Environment variables, which tests replace per thread.

/// Returns the value of an environment variable that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    #[cfg(test)]
    if let Some(value) = tests::replaced(name) {
        return value;
    }
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    thread_local! {
        static VARIABLES: RefCell<Option<HashMap<String, String>>> = const { RefCell::new(None) };
    }

    /// Returns the value in the replaced environment of this thread; `None` if it is not replaced.
    pub(super) fn replaced(name: &str) -> Option<Option<String>> {
        VARIABLES.with_borrow(|variables| Some(variables.as_ref()?.get(name).cloned()))
    }

    /// Runs `body` with these environment variables on this thread, and no others.
    pub(in super::super) fn with_variables<R>(
        variables: &[(&str, &str)],
        body: impl FnOnce() -> R,
    ) -> R {
        let owned = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        VARIABLES.set(Some(owned.collect()));
        let result = body();
        VARIABLES.set(None);
        result
    }
}
