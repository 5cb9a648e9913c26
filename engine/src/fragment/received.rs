//! Fragments as messages describe them: opened without reading their metadata.

use std::sync::Arc;

use super::open::{dense_tile_num, outside_of_domain};
use super::sections::Sections;
use super::{Fragment, FragmentLocation};
use crate::error::Result;
use crate::format::fragment::{Footer, RTree};
use crate::format::names::FragmentName;
use crate::schema::ArraySchema;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// A fragment as a message describes it.
#[derive(Debug)]
pub struct ReceivedFragment {
    /// The folder.
    pub uri: Uri,
    /// The name of the folder.
    pub name: FragmentName,
    /// The schema with which it was written.
    pub schema: Arc<ArraySchema>,
    /// The footer.
    pub footer: Footer,
    /// The R-tree, if the message has it.
    pub rtree: Option<RTree>,
    /// The size of all files in bytes, if the message has it.
    pub size: Option<u64>,
    /// Whether the footer is in consolidated metadata.
    pub consolidated: bool,
}

impl Fragment {
    /// Opens the fragment of a message. Sections that the message does not have are read from
    /// storage when they are first needed.
    pub fn of_message(
        vfs: &Arc<Vfs>,
        key: Option<&EncryptionKey>,
        received: ReceivedFragment,
    ) -> Result<Self> {
        let ReceivedFragment { schema, footer, .. } = received;
        let tile_num = if footer.dense {
            dense_tile_num(&schema, footer.non_empty_domain.as_ref())
        } else {
            Some(footer.sparse_tile_num)
        };
        let Some(tile_num) = tile_num else {
            return Err(outside_of_domain(&received.uri));
        };
        Ok(Self {
            vfs: vfs.clone(),
            location: FragmentLocation::of_folder(received.uri, received.name),
            schema,
            key: key.cloned(),
            footer,
            tile_num,
            tail: None,
            sections: Sections::of_rtree(received.rtree),
            consolidated: received.consolidated,
            known_size: received.size,
        })
    }

    /// Returns the R-tree if it is loaded.
    pub fn loaded_rtree(&self) -> Option<&RTree> {
        self.sections.rtree.peek()
    }

    /// Returns the footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }
}
