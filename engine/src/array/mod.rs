//! One array: its directory, what one opening of it sees, its states.
