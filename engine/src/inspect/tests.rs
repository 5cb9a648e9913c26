//! Fragment info.
