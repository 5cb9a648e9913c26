//! Accounts with a hierarchical namespace (Data Lake Storage): directories are entries, which
//! requests of a second service create, move and remove.

use std::io::ErrorKind;

use super::super::store::{
    Directories, ListRequest, Location, ObjectStore, PageTokens, StoreResult, exists,
};
use super::{Authority, Azure};
use crate::http::exchange::{Request, Url};
use crate::http::failure::Failure;

/// The parts of host names by which the two services of an account differ.
const BLOB_HOST: &str = ".blob.";
const DATA_LAKE_HOST: &str = ".dfs.";
/// The header of a response that is incomplete, and the parameter of the request that continues it.
const CONTINUATION: &str = "x-ms-continuation";

impl Azure {
    /// Returns whether the account has a hierarchical namespace: as the parameter says, or else
    /// with one request.
    pub(super) fn is_hierarchical(&self, container: &str) -> StoreResult<bool> {
        if let Some(known) = self.config.is_data_lake {
            return Ok(known);
        }
        let detect = || self.detect_hierarchy(container);
        self.hierarchical.get_or_try_init(detect).copied()
    }

    /// Requests the properties of the account. If this is not permitted, those of the container as
    /// a file system. If that is not permitted either, the account is taken for a flat one.
    fn detect_hierarchy(&self, container: &str) -> StoreResult<bool> {
        let url = match self.authority {
            // A signature may be valid for the container only.
            Authority::Signature(_) => self.container_url(container),
            _ => self.endpoint.clone(),
        };
        let url = url.query("restype", "account").query("comp", "properties");
        let by_account = self.flag(Request::new("GET", url), "x-ms-is-hns-enabled")?;
        if let Some(known) = by_account {
            return Ok(known);
        }
        let url = self
            .data_lake_endpoint()
            .join(container)
            .query("resource", "filesystem");
        let by_file_system = self.flag(Request::new("HEAD", url), "x-ms-namespace-enabled")?;
        Ok(by_file_system.unwrap_or(false))
    }

    /// Returns a header of a response as a flag; `None` if the service refuses the request.
    fn flag(&self, request: Request<'_>, header: &str) -> StoreResult<Option<bool>> {
        match self.send(request) {
            Ok(response) => Ok(Some(response.header(header) == Some("true"))),
            Err(failure) if matches!(failure.status, 400..=405 | 409 | 501) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn data_lake_endpoint(&self) -> Url {
        let mut endpoint = self.endpoint.clone();
        if let Some((account, rest)) = endpoint.authority.rsplit_once(BLOB_HOST) {
            endpoint.authority = format!("{account}{DATA_LAKE_HOST}{rest}");
        }
        endpoint
    }

    fn data_lake_url(&self, path: &Location) -> Url {
        let container = self.data_lake_endpoint().join(&path.bucket);
        container.join(path.key.trim_end_matches('/'))
    }

    /// Sends a request until its response is complete.
    fn send_all(&self, request: &Request<'_>) -> StoreResult<()> {
        let mut continuation: Option<String> = None;
        let mut tokens = PageTokens::default();
        loop {
            let mut next = request.clone();
            if let Some(token) = &continuation {
                next.url = next.url.query("continuation", token.as_str());
            }
            let response = self.send(next)?;
            let token = response.header(CONTINUATION);
            continuation = token.filter(|token| !token.is_empty()).map(str::to_owned);
            match &continuation {
                Some(token) => tokens.advance(token, false)?,
                None => return Ok(()),
            }
        }
    }

    /// Returns whether a name above the listed ones is that of a file, which is an error for the
    /// service if directories are entries.
    pub(super) fn is_below_file(&self, request: &ListRequest<'_>) -> StoreResult<bool> {
        if !self.is_hierarchical(request.bucket)? {
            return Ok(false);
        }
        for (end, _) in request.prefix.rmatch_indices('/') {
            let parent = Location::new(
                request.bucket,
                request.prefix.get(..end).unwrap_or_default(),
            );
            match self.head(&parent) {
                Ok(_) => return Ok(true),
                Err(failure) if failure.is_not_found() => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(false)
    }

    /// Returns whether something exists at the target of a move, and nothing at the source.
    fn was_moved(&self, from: &Location, to: &Location) -> StoreResult<bool> {
        let is_entry = |entry: &Location| {
            let path = entry.with_key(entry.key.trim_end_matches('/'));
            exists(self.send(Request::new("HEAD", self.object_url(&path))))
        };
        Ok(!is_entry(from)? && is_entry(to)?)
    }

    /// The value that names the source of a move: a path, with the signature if there is one.
    fn rename_source(&self, from: &Location) -> StoreResult<String> {
        let mut source = Request::new("PUT", self.data_lake_url(from));
        if let Authority::Signature(_) = self.authority {
            self.sign(&mut source)?;
        }
        let query = source.url.encoded_query();
        let mark = if query.is_empty() { "" } else { "?" };
        Ok(format!("{}{mark}{query}", source.url.path()))
    }
}

impl Directories for Azure {
    fn is_directory(&self, directory: &Location) -> StoreResult<bool> {
        let path = directory.with_key(directory.key.trim_end_matches('/'));
        let request = Request::new("HEAD", self.object_url(&path));
        match self.send(request) {
            Ok(response) => Ok(super::is_folder(&response)),
            Err(failure) if failure.is_not_found() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    fn create_directory(&self, directory: &Location) -> StoreResult<()> {
        let url = self.data_lake_url(directory).query("resource", "directory");
        let request = Request::new("PUT", url).header("if-none-match", "*");
        match self.send(request) {
            Err(failure) if failure.kind == ErrorKind::AlreadyExists => Ok(()),
            created => created.map(drop),
        }
    }

    fn remove_directory(&self, directory: &Location, with_content: bool) -> StoreResult<bool> {
        let url = self
            .data_lake_url(directory)
            .query("recursive", with_content.to_string());
        match self.send_all(&Request::new("DELETE", url).slow()) {
            Ok(()) => Ok(true),
            Err(failure) if failure.is_not_found() && !failure.is_missing_bucket() => Ok(false),
            Err(failure) if failure.kind == ErrorKind::AlreadyExists && !with_content => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    fn rename(&self, from: &Location, to: &Location, replaces: bool) -> StoreResult<bool> {
        let url = self.data_lake_url(to).query("mode", "legacy");
        let mut request = Request::new("PUT", url)
            .header("x-ms-rename-source", self.rename_source(from)?)
            .slow();
        if !replaces {
            request.set_header("if-none-match", "*");
        }
        let mut moved = self.send_all(&request);
        let lacks_parent =
            |failure: &Failure| failure.code == "RenameDestinationParentPathNotFound";
        if moved.as_ref().is_err_and(lacks_parent)
            && let Some((parent, _)) = to.key.trim_end_matches('/').rsplit_once('/')
        {
            self.create_directory(&to.with_key(parent))?;
            moved = self.send_all(&request);
        }
        match moved {
            // The response to an earlier attempt that moved it may be lost.
            Err(failure) if failure.attempts > 1 && self.was_moved(from, to).unwrap_or(false) => {
                Ok(true)
            }
            Err(failure) if failure.kind == ErrorKind::AlreadyExists && !replaces => Ok(false),
            moved => moved.map(|()| true),
        }
    }
}
