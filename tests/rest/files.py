"""Files of the test server with the protocol of S3, as far as clients need it: objects are files, buckets are folders."""
import os
import shutil
import urllib.parse
from email.utils import formatdate
from xml.etree import ElementTree
from xml.sax.saxutils import escape


class Files:
    """The files in a folder, by bucket and key."""

    def __init__(self, folder):
        self.folder = folder
        # The parts of uploads, by the identifier of the upload.
        self.uploads = {}

    def handle(self, method, path, query, headers, body):
        """Handles a request. Returns the status, the headers and the body of the response."""
        bucket, _, key = urllib.parse.unquote(path).partition("/")
        folder = os.path.join(self.folder, bucket)
        file = os.path.normpath(os.path.join(folder, key))
        if not bucket or not file.startswith(self.folder + os.sep):
            return error(404, "NoSuchBucket")
        if headers.get("x-amz-content-sha256", "").startswith("STREAMING") or "aws-chunked" in headers.get("content-encoding", ""):
            body = unchunked(body)
        if key and ("uploads" in query or "uploadId" in query):
            return self.upload(method, file, query, headers, body)
        if key:
            return self.object(method, file, headers, body)
        if method == "PUT":
            os.makedirs(folder, exist_ok=True)
            return 200, {}, b""
        if not os.path.isdir(folder):
            return error(404, "NoSuchBucket")
        if method == "GET" and "uploads" in query:
            return 200, {}, b"<ListMultipartUploadsResult></ListMultipartUploadsResult>"
        if method == "GET":
            return 200, {}, listing(folder, query)
        if method == "POST" and "delete" in query:
            names = (item.text for item in ElementTree.fromstring(body).iter() if item.tag.endswith("Key"))
            for name in names:
                self.object("DELETE", os.path.normpath(os.path.join(folder, name)), headers, b"")
            return 200, {}, b"<DeleteResult></DeleteResult>"
        if method == "DELETE":
            shutil.rmtree(folder)
            return 204, {}, b""
        return 200, {}, b""

    def upload(self, method, file, query, headers, body):
        """Handles a request of an upload in parts."""
        if "uploads" in query:
            name = str(len(self.uploads))
            self.uploads[name] = {}
            return 200, {}, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>".encode()
        parts = self.uploads.get(query["uploadId"], {})
        if method == "PUT":
            parts[int(query["partNumber"])] = body
            return 200, {"ETag": f'"{query["partNumber"]}"'}, b""
        if method == "POST":
            self.object("PUT", file, headers, b"".join(parts[number] for number in sorted(parts)))
            return 200, {}, b"<CompleteMultipartUploadResult><ETag>&quot;0&quot;</ETag></CompleteMultipartUploadResult>"
        return 204, {}, b""

    def object(self, method, file, headers, body):
        """Handles a request about an object."""
        if method == "PUT":
            source = headers.get("x-amz-copy-source")
            if source:
                source = os.path.join(self.folder, urllib.parse.unquote(source).lstrip("/"))
                if not os.path.isfile(source):
                    return error(404, "NoSuchKey")
                with open(source, "rb") as content:
                    body = content.read()
            if os.path.isdir(file):
                return error(409, "Conflict")
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as content:
                content.write(body)
            if source:
                return 200, {}, b"<CopyObjectResult><ETag>&quot;0&quot;</ETag></CopyObjectResult>"
            return 200, {"ETag": '"0"'}, b""
        if method == "DELETE":
            if os.path.isfile(file) and file.startswith(self.folder + os.sep):
                os.remove(file)
                self.remove_empty(os.path.dirname(file))
            return 204, {}, b""
        if method not in ("GET", "HEAD") or not os.path.isfile(file):
            return error(404, "NoSuchKey")
        with open(file, "rb") as content:
            content = content.read()
        head = {"Last-Modified": formatdate(os.path.getmtime(file), usegmt=True), "ETag": '"0"'}
        if method == "HEAD":
            return 200, {**head, "Content-Length": str(len(content))}, b""
        if "range" not in headers:
            return 200, head, content
        first, last = headers["range"].removeprefix("bytes=").split("-")
        start = int(first) if first else max(0, len(content) - int(last))
        end = min(int(last), len(content) - 1) if first and last else len(content) - 1
        if start > end:
            return error(416, "InvalidRange")
        head["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
        return 206, head, content[start:end + 1]

    def remove_empty(self, folder):
        """Removes a folder without files and those above it, except for buckets: they would be no prefixes."""
        while os.path.dirname(folder) != self.folder and not os.listdir(folder):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def listing(folder, query):
    """Returns one page with all objects below a prefix."""
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    encode = urllib.parse.quote if query.get("encoding-type") == "url" else escape
    keys = []
    for path, _, files in os.walk(folder):
        keys += [os.path.relpath(os.path.join(path, file), folder) for file in files]
    objects, prefixes = [], set()
    for key in sorted(key for key in keys if key.startswith(prefix)):
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        if end >= 0:
            prefixes.add(key[:end + 1])
            continue
        size = os.path.getsize(os.path.join(folder, key))
        objects.append(f"<Contents><Key>{encode(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                       f"<ETag>&quot;0&quot;</ETag><Size>{size}</Size></Contents>")
    most = int(query.get("max-keys", 1000000))
    content = objects[:most]
    content += [f"<CommonPrefixes><Prefix>{encode(item)}</Prefix></CommonPrefixes>" for item in sorted(prefixes)]
    return (f"<ListBucketResult><Prefix>{encode(prefix)}</Prefix><KeyCount>{len(content)}</KeyCount>"
            f"<IsTruncated>false</IsTruncated>{''.join(content)}</ListBucketResult>").encode()


def unchunked(body):
    """Returns the content of a body in chunks of the client."""
    content = b""
    while body:
        head, _, body = body.partition(b"\r\n")
        size = int(head.split(b";")[0] or b"0", 16)
        if size == 0:
            break
        content, body = content + body[:size], body[size + 2:]
    return content


def error(status, code):
    """Returns a response with an error."""
    return status, {}, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
