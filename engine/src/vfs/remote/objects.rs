//! Operations for which an object store needs fewer requests than through the methods of a backend:
//! complete listings, bulk removals, copies, buckets, uploads.

use std::io::ErrorKind;

use super::backend::{ListDepth, Remote, entries};
use super::store::{ListRequest, first_entries};
use crate::error::Result;
use crate::http::failure::Failure;
use crate::memory::tuning::MAX_FLAT_PAGES;
use crate::vfs::backend::{Backend, Objects, Source};
use crate::vfs::{Entry, ListingScope, StorageListing, Uri};

impl Objects for Remote {
    fn parallel(&self) -> Result<usize> {
        Ok(self.store()?.parallel())
    }

    fn has_directories(&self, uri: &Uri) -> Result<bool> {
        let found = self.store()?.directories(&self.locate(uri)?.bucket);
        let found = found.map_err(|failure| failure.into_error("look up", uri.as_str()))?;
        Ok(found.is_some())
    }

    fn open_sized(&self, uri: &Uri, size: u64) -> Result<Box<dyn Source>> {
        self.source(uri, Some(size))
    }

    fn listing(&self, root: &Uri, scope: ListingScope) -> Result<StorageListing> {
        let prefix = self.locate(root)?.prefix();
        let mut listing = StorageListing::new(root, scope);
        let mut pages = 0;
        self.pages_of(
            "list directory",
            root,
            scope.names(),
            ListDepth::All,
            |page| {
                pages += 1;
                listing.set_covered(
                    page.objects
                        .last()
                        .filter(|_| page.next.is_some())
                        .and_then(|object| object.key.strip_prefix(&prefix)),
                );
                for object in &page.objects {
                    if let Some(name) = object.key.strip_prefix(&prefix) {
                        listing.add(name, object.info);
                    }
                }
                Ok(!is_long(&listing, pages))
            },
        )?;
        Ok(listing)
    }

    fn list_own(&self, uri: &Uri) -> Result<Vec<Entry>> {
        let prefix = self.locate(uri)?.prefix();
        let mut found = Vec::new();
        self.pages_of(
            "list directory",
            uri,
            ListingScope::Own.names(),
            ListDepth::Folder,
            |page| {
                found.extend(entries(&prefix, page));
                Ok(true)
            },
        )?;
        Ok(found)
    }

    fn walk(
        &self,
        root: &Uri,
        scope: ListingScope,
        take: &mut dyn FnMut(&str, u64) -> Result<bool>,
    ) -> Result<()> {
        let prefix = self.locate(root)?.prefix();
        self.pages_of(
            "list directory",
            root,
            scope.names(),
            ListDepth::All,
            |page| {
                for object in page.objects {
                    let rest = object.key.strip_prefix(&prefix).unwrap_or_default();
                    if !rest.is_empty() && !take(rest, object.info.size)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            },
        )
    }

    fn remove_files(&self, uris: &[Uri]) -> Result<()> {
        let mut by_bucket: Vec<(String, Vec<String>)> = Vec::new();
        for uri in uris {
            let object = self.locate(uri)?;
            match by_bucket.last_mut() {
                Some((bucket, keys)) if *bucket == object.bucket => keys.push(object.key),
                _ => by_bucket.push((object.bucket, vec![object.key])),
            }
        }
        by_bucket
            .iter()
            .try_for_each(|(bucket, keys)| self.delete_keys("delete file", bucket, keys))
    }

    fn remove_stages(&self, stages: &[Vec<Uri>]) -> Result<()> {
        if stages.iter().map(Vec::len).sum::<usize>() <= self.delete_limit()? {
            return self.remove_files(&stages.concat());
        }
        stages.iter().try_for_each(|stage| self.remove_files(stage))
    }

    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let source = self.locate_object("copy file", from)?;
        let target = self.locate_object("copy file", to)?;
        let store = self.store()?;
        let failed = |failure: Failure| failure.into_error("copy file", from.as_str());
        let size = store.head(&source).map_err(failed)?.size;
        store.copy(&source, &target, size).map_err(failed)
    }

    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        let copied = self.copy_folder("copy directory", from, to)?;
        if copied.is_empty() && self.is_file(from)? {
            return Objects::copy_file(self, from, to);
        }
        Ok(())
    }

    fn create_bucket(&self, uri: &Uri) -> Result<()> {
        let bucket = self.locate(uri)?.bucket;
        let store = self.store()?;
        let created = store.create_bucket(&bucket).or_else(|failure| {
            // An earlier attempt whose response was lost may have created it.
            let may_exist = failure.attempts > 1 && failure.kind == ErrorKind::AlreadyExists;
            if may_exist && store.is_bucket(&bucket).unwrap_or(false) {
                Ok(())
            } else {
                Err(failure)
            }
        });
        created.map_err(|failure| failure.into_error("create bucket", uri.as_str()))
    }

    fn remove_bucket(&self, uri: &Uri) -> Result<()> {
        self.empty_bucket(uri)?;
        match self.store()?.remove_bucket(&self.locate(uri)?.bucket) {
            // An earlier attempt whose response was lost has removed it.
            Err(failure) if failure.attempts > 1 && failure.is_not_found() => Ok(()),
            removed => removed.map_err(|failure| failure.into_error("remove bucket", uri.as_str())),
        }
    }

    fn empty_bucket(&self, uri: &Uri) -> Result<()> {
        let bucket = self.locate(uri)?.bucket;
        let whole = Uri::parse(&format!("{}://{bucket}", self.scheme.service()))?;
        self.remove_folder("empty bucket", &whole)
    }

    fn is_bucket(&self, uri: &Uri) -> Result<bool> {
        let found = self.store()?.is_bucket(&self.locate(uri)?.bucket);
        found.map_err(|failure| failure.into_error("look up", uri.as_str()))
    }

    fn is_empty_bucket(&self, uri: &Uri) -> Result<bool> {
        let bucket = self.locate(uri)?.bucket;
        let request = ListRequest {
            bucket: &bucket,
            prefix: "",
            by_folder: true,
            most: 1,
            next: None,
        };
        let page = first_entries(&**self.store()?, request)
            .map_err(|failure| failure.into_error("list", uri.as_str()))?;
        Ok(page.is_empty())
    }

    fn uploads(&self, uri: &Uri) -> Result<Vec<String>> {
        let folder = self.locate(uri)?;
        let found = self
            .store()?
            .uploads(&folder.bucket, &folder.key)
            .map_err(|failure| failure.into_error("list uploads of", uri.as_str()))?;
        let bucket = format!("{}://{}", self.scheme.service(), folder.bucket);
        Ok(found
            .iter()
            .map(|upload| format!("{bucket}/{}", upload.key))
            .collect())
    }

    fn abort_uploads(&self, uri: &Uri) -> Result<u64> {
        let folder = self.locate(uri)?;
        let store = self.store()?;
        let failed = |failure: Failure| failure.into_error("abort uploads of", uri.as_str());
        let found = store.uploads(&folder.bucket, &folder.key).map_err(failed)?;
        self.context
            .for_each_request(store.parallel(), found.len(), |index| {
                let object = folder.with_key(found[index].key.clone());
                store
                    .abort_upload(&object, &found[index].id)
                    .map_err(failed)
            })?;
        Ok(found.len() as u64)
    }
}

/// Returns whether a complete listing would take many more pages. A listing that has reached only
/// the commits, which come first, gives no estimate; otherwise the other fragments are assumed to
/// be similar.
fn is_long(listing: &StorageListing, pages: usize) -> bool {
    let Some(last) = listing.covered() else {
        return false;
    };
    const COMMITS: &str = "__commits/";
    const FRAGMENTS: &str = "__fragments/";
    let Some(last) = last.strip_prefix(FRAGMENTS) else {
        return last.starts_with(COMMITS) || pages >= MAX_FLAT_PAGES;
    };
    let folder = last.split('/').next().unwrap_or_default();
    let names = listing
        .names()
        .filter_map(|name| name.strip_prefix(FRAGMENTS));
    let listed = names.clone().count();
    let mut folders: Vec<&str> = names.filter_map(|name| name.split('/').next()).collect();
    folders.dedup();
    let commits = listing
        .names()
        .filter(|name| name.starts_with(COMMITS))
        .count();
    let after = commits.saturating_sub(folders.iter().filter(|name| **name <= folder).count());
    let estimated = listed / folders.len().max(1) * after;
    estimated > 1000 * MAX_FLAT_PAGES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::super::test_server::{TestRequest, TestServer};
    use super::*;
    use crate::config::Config;
    use crate::context::Context;
    use crate::http::exchange::decode;
    use crate::vfs::Vfs;

    /// The keys of a page of S3.
    const PAGE: usize = 1000;

    /// Returns a page of a listing of sorted keys, as S3 does.
    fn page(keys: &BTreeSet<String>, request: &TestRequest) -> String {
        let query = request.path.split_once('?').map_or("", |(_, query)| query);
        let value = |name: &str| {
            let found = query.split('&').find_map(|item| item.strip_prefix(name));
            decode(found.unwrap_or_default())
        };
        let (prefix, next) = (value("prefix="), value("continuation-token="));
        let by_folder = !value("delimiter=").is_empty();
        let (mut xml, mut number, mut last) = (String::new(), 0, String::new());
        for key in keys.range(prefix.clone()..) {
            let Some(rest) = key.strip_prefix(&prefix) else {
                break;
            };
            let folder = rest.split_once('/').filter(|_| by_folder);
            let name = folder.map_or(key.clone(), |(folder, _)| format!("{prefix}{folder}/"));
            if name <= next || name == last {
                continue;
            }
            if number == PAGE {
                let token = format!("<NextContinuationToken>{last}</NextContinuationToken>");
                let rest = format!("<IsTruncated>true</IsTruncated>{token}");
                return format!("<ListBucketResult>{xml}{rest}</ListBucketResult>");
            }
            let entry = match folder {
                Some(_) => format!("<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>"),
                None => format!("<Contents><Key>{name}</Key><Size>1</Size></Contents>"),
            };
            let _ = write!(xml, "{entry}");
            (number, last) = (number + 1, name);
        }
        format!("<ListBucketResult>{xml}<IsTruncated>false</IsTruncated></ListBucketResult>")
    }

    /// Starts a server with the files of an array of `fragments` fragments of `files` files each.
    fn start(fragments: usize, files: usize) -> (TestServer, Arc<Vfs>) {
        let mut keys = BTreeSet::from(["a/__schema/__1_1_x".to_owned()]);
        for fragment in 0..fragments {
            let name = format!("__{fragment:03}_{fragment:03}_x_22");
            keys.insert(format!("a/__commits/{name}.wrt"));
            keys.extend((0..files).map(|file| format!("a/__fragments/{name}/a{file:05}.tdb")));
        }
        let server = TestServer::start(move |request| (200, page(&keys, request)));
        let mut config = Config::new();
        for (name, value) in [
            ("vfs.s3.endpoint_override", server.address()),
            ("vfs.s3.scheme", "http"),
            ("vfs.s3.use_virtual_addressing", "false"),
            ("vfs.s3.no_sign_request", "true"),
        ] {
            config.set(name, value).expect("parameter");
        }
        let vfs = Vfs::new(&Context::new(config).expect("context")).expect("vfs");
        (server, vfs)
    }

    fn uri(path: &str) -> Uri {
        Uri::parse(&format!("s3://bucket/a{path}")).expect("URI")
    }

    #[test]
    fn folders_are_listed_one_by_one_if_a_complete_listing_takes_many_pages() {
        let (server, vfs) = start(20, 3000);
        let seen = vfs.snapshot(&uri("")).expect("lists");
        assert_eq!(server.take_received().len(), 1, "of 61 pages");
        assert_eq!(seen.list(&uri("/__commits")).expect("lists").len(), 20);
        assert_eq!(
            server.take_received().len(),
            0,
            "the page contains the commits"
        );
        assert_eq!(seen.list(&uri("/__fragments")).expect("lists").len(), 20);
        assert_eq!(seen.list(&uri("/__schema")).expect("lists").len(), 1);
        let requests = server.take_received();
        assert_eq!(requests.len(), 2);
        assert!(
            requests
                .iter()
                .all(|request| request.path.contains("delimiter"))
        );
        let fragment = uri("/__fragments/__007_007_x_22");
        assert_eq!(seen.list(&fragment).expect("lists").len(), 3000);
        assert_eq!(server.take_received().len(), 3);
    }

    #[test]
    fn all_pages_are_requested_if_they_are_few() {
        let (server, vfs) = start(20, 150);
        let seen = vfs.snapshot(&uri("")).expect("lists");
        assert_eq!(server.take_received().len(), 4, "3,021 keys");
        assert_eq!(seen.list(&uri("/__fragments")).expect("lists").len(), 20);
        assert_eq!(seen.list(&uri("/__schema")).expect("lists").len(), 1);
        let fragment = uri("/__fragments/__019_019_x_22");
        assert_eq!(seen.list(&fragment).expect("lists").len(), 150);
        assert_eq!(server.take_received().len(), 0);
    }
}
