//! Errors of messages and of the client for TileDB servers.

use std::fmt;

use super::table::{CauseTable, Text, causes};
use super::{Cause, Error, ErrorKind};

causes! {
    /// Causes of errors of messages.
    SerializationError, "[TileDB::Serialization] Error" {
        Write { kind: MessageKind, cause: Error } [(cause.kind())]: "Cannot write the message ({kind}): {cause}"
            => { message_text("serializing", *kind, cause) };
        Read { kind: MessageKind, cause: Error } [(cause.kind())]: "Cannot read the message ({kind}): {cause}"
            => { message_text("deserializing", *kind, cause) };
        UnknownEncoding { code: u32 }: "{code} is not the code of an encoding of messages";
        Capnp { problem: String }: "The message is not Cap'n Proto: {problem}";
        Json { problem: String }: "The message is not JSON: {problem}";
        JsonValue { field: String, expected: &'static str }: "The value of '{field}' is not {expected}";
        NotUtf8: "A text is not UTF-8";
        UnknownName { subject: &'static str, name: String }: "'{name}' is not {subject}"
            => { Text::new("[TileDB::Serialization] Error", unknown_name(subject, name)) };
        TooLarge { subject: &'static str, size: u64, limit: u64 }: "{subject} has {size} elements or bytes; a message can have {limit}";
        TraversalLimit { limit: u64 } [OutOfBudget]: "The message needs more than {limit} bytes of memory";
        IncompleteMember { field: &'static str }: "A member of a group has no {field}";
        NoFragments: "The request names no fragments";
        MixedDatatypes: "The dimensions have different datatypes";
        AbsoluteLabel: "A message cannot contain a dimension label whose URI is absolute";
        Unaligned: "The message is not aligned to 8 bytes";
        DatatypeOf { datatype: &'static str, part: &'static str }: "Values of type {datatype} cannot be in {part}";
        MetadataSize { key: String, size: u64, expected: u64 }: "The value of key '{key}' has {size} bytes instead of {expected}";
        ValueSize { subject: &'static str, size: u64, expected: u64 }: "{subject} has {size} bytes instead of {expected}";
    }

    /// Causes of errors of the messages of queries.
    QueryMessageError, "[TileDB::Serialization] Error" {
        Json { writes: bool } [Unsupported]: "The messages of queries have no JSON form"
            => { Text::new("[TileDB::Serialization] Error", format!("Cannot {} query; json format not supported.", if *writes { "serialize" } else { "deserialize" })) };
        NoArray: "The message contains no array";
        OtherType { query: &'static str, message: &'static str }: "The query is of type {query}, but the message is of a query of type {message}"
            => "Cannot deserialize; Query opened for {query} but got serialized type for {message}";
        UnsupportedType [Unsupported]: "Queries of this type have no messages"
            => "Cannot deserialize; Unsupported query type.";
        NoHeaders: "The message describes no buffers"
            => "Cannot deserialize; no attribute buffer headers in message.";
        UnknownField { name: String } [NotFound]: "There is no field '{name}' in the query";
        NoBuffer { name: String }: "The buffer of '{name}' is not set";
        BufferTooSmall { name: String }: "The buffer of '{name}' is too small for the received cells"
            => "Error deserializing query; buffer too small for buffer '{name}'.";
        ServerBuffers: "The query of a server already has buffers"
            => "Error deserializing query; unexpected buffer set on server-side.";
        DuplicateField { name: String }: "The message describes the buffers of '{name}' twice";
        MissingContent { has: u64, needs: u64 }: "The message is followed by {has} bytes; its buffers have {needs}";
        BadOffsets { name: String }: "The offsets of '{name}' do not ascend to the end of its values";
        EmptyCondition: "A condition has no comparisons";
        AttributeRanges [Unsupported]: "Ranges of attributes are not supported";
        DuplicateAggregate { name: String }: "The results of two aggregates are named '{name}'";
        IncompleteAggregates [Unsupported]: "A server cannot send incomplete results of aggregates"
            => "Aggregates are not currently supported in incomplete remote queries";
        LabelOrder [Unsupported]: "The message is of a read of the values of a label in order";
    }

    /// Causes of errors of the client for TileDB servers.
    RestError, "[TileDB::REST] Error" {
        NoServer: "The parameter rest.server_address is empty"
            => "Error initializing rest client; server address is empty.";
        NoLogin: "A server needs a token, or a user name and a password"
            => "Missing TileDB authentication: either token or username/password must be set using the appropriate configuration parameters.";
        IncompleteLogin { parameter: &'static str }: "The login is incomplete: {parameter} is not set"
            => "Invalid REST authentication configuration: {parameter} is missing. Either configure both rest.username and rest.password, or use rest.token for authentication.";
        LoginSources: "The user name and the password come from sources of different precedence"
            => "Invalid REST authentication configuration: rest.username and rest.password are set at different priority levels. Both must be configured at the same level (e.g., both via environment variables, or both via config file).";
        BadUri { uri: String, form: &'static str }: "'{uri}' does not have the form {form}"
            => "Invalid array URI for REST service: '{uri}'; expected format is '{form}'.";
        OwnStorage { uri: String } [Unsupported]: "The server chooses the storage, so that '{uri}' cannot name one";
        NoData { content: &'static str } [Remote]: "The server's response to the request for {content} is empty";
        Failed { method: &'static str, status: u16, response: String } [(status_kind(*status))]: "The server failed a {method} request with HTTP status {status}: {response}"
            => {
                let response = match response.as_str() {
                    "" => "server response was empty.".to_owned(),
                    body => format!("server response data '{body}'."),
                };
                Text::new("[TileDB::REST] Error", format!("Error in libcurl {method} operation: libcurl error message 'CURLE_OK'; HTTP code {status}; {response}"))
            };
        NoResponse { method: &'static str, reason: String } [Remote]: "A {method} request has no response: {reason}"
            => "Error in libcurl {method} operation: libcurl error message '{reason}'; ";
        Unsupported { action: &'static str } [Unsupported]: "A server cannot {action}";
        Encrypted { object: &'static str } [Unsupported]: "Arrays and groups on servers cannot be encrypted: cannot open the {object}"
            => { Text::new(if *object == "group" { "Group" } else { "Array" }, format!("Cannot open {object}; encrypted remote {object}s are not supported.")) };
        CutResult { size: u64, announced: u64 } [Remote]: "The response to a query ends after {size} of {announced} bytes";
        LargeResult { size: u64, most: u64 } [Remote]: "The response to a query has {size} bytes, but the buffers of the query have {most}";
        RecordAfterEnd [Remote]: "The response to a query has another record after the last one";
        FinalizeAlone [Unsupported]: "A write in global order on a server ends with a submit that also finalizes it"
            => ("Query", "Failed to finalize query; remote global order writes are only allowed to call submit_and_finalize to submit the last tile");
        FragmentSize [Unsupported]: "A write in global order to a dense array on a server has no maximum fragment size"
            => ("Query", "[submit] Fragment size is not supported for remote global order writes to dense arrays.");
    }
}

/// Defines the kinds of messages: each with its name in the engine's sentences, and its origin and
/// name in libtiledb's.
macro_rules! message_kinds {
    ($($kind:ident: $name:literal => ($origin:literal, $noun:literal);)*) => {
        /// The kind of object that a message describes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum MessageKind { $($kind),* }

        impl fmt::Display for MessageKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$kind => $name),* })
            }
        }

        impl MessageKind {
            fn origin_and_noun(self) -> (&'static str, &'static str) {
                match self { $(Self::$kind => ($origin, $noun)),* }
            }
        }
    };
}

message_kinds! {
    Array: "array" => ("[TileDB::Serialization] Error", "array");
    ArrayCreate: "array creation" => ("[TileDB::Serialization][ArraySchema]", "array creation request");
    ArrayMetadata: "array metadata" => ("[TileDB::Serialization] Error", "array metadata");
    ArrayOpen: "array open" => ("[TileDB::Serialization] Error", "array open");
    ArraySchema: "array schema" => ("[TileDB::Serialization] Error", "array schema");
    ArraySchemaEvolution: "array schema evolution" => ("[TileDB::Serialization] Error", "array schema evolution");
    Capabilities: "server versions" => ("[TileDB::Serialization] Error", "REST version");
    Config: "configuration" => ("[TileDB::Serialization] Error", "config");
    ConsolidationPlanRequest: "consolidation plan request" => ("[TileDB::Serialization][Consolidation]", "consolidation plan request");
    ConsolidationPlanResponse: "consolidation plan response" => ("[TileDB::Serialization][Consolidation]", "consolidation plan response");
    ConsolidationRequest: "consolidation request" => ("[TileDB::Serialization] Error", "consolidation request");
    DeleteFragmentsListRequest: "request to delete listed fragments" => ("[TileDB::Serialization][Fragments]", "fragments list delete request");
    DeleteFragmentsTimestampsRequest: "request to delete fragments by time" => ("[TileDB::Serialization][Fragments]", "fragments timestamps delete request");
    FragmentInfo: "fragment information" => ("[TileDB::Serialization] Error", "fragment info");
    FragmentInfoRequest: "request for fragment information" => ("[TileDB::Serialization] Error", "fragment info request");
    Group: "group" => ("[TileDB::Serialization] Error", "group");
    GroupCreate: "group creation" => ("[TileDB::Serialization] Error", "group create");
    GroupMetadata: "group metadata" => ("[TileDB::Serialization] Error", "group metadata");
    GroupUpdate: "group update" => ("[TileDB::Serialization] Error", "group update");
    LoadArraySchemaRequest: "request for schemas" => ("[TileDB::Serialization][ArraySchema]", "load array schema request");
    LoadArraySchemaResponse: "response with schemas" => ("[TileDB::Serialization][ArraySchema]", "load array schema response");
    LoadEnumerationsRequest: "request for enumerations" => ("[TileDB::Serialization][Enumeration]", "load enumerations request");
    LoadEnumerationsResponse: "response with enumerations" => ("[TileDB::Serialization][Enumeration]", "load enumerations response");
    NonEmptyDomain: "non-empty domain" => ("[TileDB::Serialization] Error", "nonempty domain");
    Query: "query" => ("[TileDB::Serialization] Error", "query");
    QueryPlanRequest: "query plan request" => ("[TileDB::Serialization][QueryPlan]", "query plan request");
    QueryPlanResponse: "query plan response" => ("[TileDB::Serialization][QueryPlan]", "query plan response");
    ResultSizes: "estimated result sizes" => ("[TileDB::Serialization] Error", "query est result size");
    VacuumRequest: "vacuum request" => ("[TileDB::Serialization] Error", "vacuum request");
}

const MESSAGES: &str = "[TileDB::Serialization] Error";

/// Returns the text of an error that ended the reading or writing of a message.
fn message_text(verb: &str, kind: MessageKind, cause: &Error) -> Text {
    if kind == MessageKind::Query {
        return query_message_text(verb, cause);
    }
    use SerializationError as E;
    let (origin, noun) = kind.origin_and_noun();
    let problem = match cause.cause() {
        Cause::Serialization(E::UnknownEncoding { .. }) => {
            "Unknown serialization type passed".to_owned()
        }
        Cause::Serialization(E::IncompleteMember { field }) => {
            let message =
                format!("Incomplete group member type in deserialization, missing {field}");
            return Text::new(origin, message);
        }
        Cause::Serialization(E::MetadataSize { key, .. }) => {
            format!("value size sanity check failed for {key}.")
        }
        Cause::Serialization(E::UnknownName {
            subject: "a query type",
            name,
        }) if kind == MessageKind::ArrayOpen => {
            return Text::new("Error", format!("Invalid QueryType {name}"));
        }
        Cause::Serialization(E::UnknownName { subject, name }) => {
            format!("exception {}", unknown_name(subject, name))
        }
        Cause::Serialization(cause) => format!("kj::Exception: {}", cause.text().message),
        _ => format!("exception {}", cause.text()),
    };
    Text::new(origin, format!("Error {verb} {noun}; {problem}"))
}

/// Returns the text of an error of the message of a query.
fn query_message_text(verb: &str, cause: &Error) -> Text {
    use SerializationError as E;
    let verb = verb.replace("ializing", "ialize");
    let message = match cause.cause() {
        Cause::QueryMessage(cause) => return cause.text(),
        Cause::Serialization(E::Unaligned) => {
            "Could not deserialize query; buffer is not 8-byte aligned.".to_owned()
        }
        Cause::Serialization(E::UnknownEncoding { .. }) => {
            format!("Cannot {verb}; unknown serialization type")
        }
        Cause::Serialization(cause) => {
            format!("Cannot {verb}; kj::Exception: {}", cause.text().message)
        }
        _ => format!("Cannot {verb}; exception: {}", cause.text()),
    };
    Text::new(MESSAGES, message)
}

fn unknown_name(subject: &str, name: &str) -> String {
    let identifier = match subject {
        "an array type" => "ArrayType",
        "an order of tiles" => "tile order",
        "an order of cells" => "cell order",
        "a datatype" => return format!("Invalid Datatype string (\"{name}\")"),
        _ => return format!("'{name}' is not {subject}"),
    };
    // "identifer" is libtiledb's spelling.
    format!(
        "[Deserialization::array_schema_from_capnp] {name} is not a valid {identifier} identifer."
    )
}

fn status_kind(status: u16) -> ErrorKind {
    match status {
        401 | 403 => ErrorKind::PermissionDenied,
        404 => ErrorKind::NotFound,
        _ => ErrorKind::Remote,
    }
}
