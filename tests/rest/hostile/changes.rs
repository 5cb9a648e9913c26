//! Changes of responses.

use crate::mutation::mutated;
use crate::random::Random;
use crate::replay::{Key, Reply};

fn below(random: &mut Random, end: usize) -> usize {
    random.below(end.max(1) as u64) as usize
}

/// Changes a response.
pub(super) fn changed(
    reply: &Reply,
    others: &[(Key, Reply)],
    is_json: bool,
    random: &mut Random,
) -> Reply {
    let body = match random.below(14) {
        0..=9 => {
            let is_json = is_json && reply.body.first() == Some(&b'{');
            let others: Vec<&[u8]> = others.iter().map(|(_, reply)| &reply.body[..]).collect();
            mutated(&reply.body, is_json, &others, random)
        }
        10 => others[below(random, others.len())].1.body.clone(),
        11 => reply.body.repeat(2 + below(random, 4)),
        12 => return damaged(reply, random),
        _ => (0..random.below(300))
            .map(|_| random.next() as u8)
            .collect(),
    };
    Reply::of("200 OK", body)
}

/// Changes the head of a response, or where it ends.
fn damaged(reply: &Reply, random: &mut Random) -> Reply {
    let mut reply = reply.clone();
    let more = reply.body.len() + 1 + below(random, 1000);
    match random.below(9) {
        0 => reply.end = Some(below(random, reply.body.len())),
        1 => {
            reply.set("content-length", &more.to_string());
            reply.end = Some(reply.body.len());
        }
        2 => reply.set("content-length", &(reply.body.len() / 2).to_string()),
        3 => reply.set("content-type", "text/html"),
        4 => reply.set(
            "content-encoding",
            ["gzip", "deflate", "zstd", "br"][below(random, 4)],
        ),
        5 => {
            reply.headers = vec![("transfer-encoding".to_owned(), "chunked".to_owned())];
            reply.end = Some(reply.body.len());
        }
        6 => {
            reply.status = ["204 None", "206 Part", "404 No", "500 Error", "999 ?"]
                [below(random, 5)]
            .to_owned()
        }
        7 => reply.status = "two hundred".to_owned(),
        _ => reply.headers = vec![("content-length".to_owned(), "-1".to_owned())],
    }
    reply
}
