//! `multipart/form-data`: values, and files among them.

use bytes::Bytes;
use memchr::memmem;
use serde_json::Value;

use super::{Params, Upload};

/// Reads the parts that are whole.
pub(super) fn read(content_type: &str, body: &Bytes, params: &mut Params) {
    let Some(boundary) = attribute(content_type, "boundary") else {
        return;
    };
    let line = format!("--{boundary}");
    let mut at = memmem::find(body, line.as_bytes());
    let between = format!("\r\n{line}");
    while let Some(begin) = at.map(|at| at + line.len()) {
        let Some(rest) = body[begin..].strip_prefix(b"\r\n") else {
            return;
        };
        let Some(end) = memmem::find(rest, between.as_bytes()) else {
            return;
        };
        let start = begin + 2;
        take(&body.slice(start..start + end), params);
        at = Some(start + end + 2);
    }
}

/// Takes one part: a file if it has a name for it.
fn take(part: &Bytes, params: &mut Params) {
    let Some(end) = memmem::find(part, b"\r\n\r\n") else {
        return;
    };
    let head = String::from_utf8_lossy(&part[..end]);
    let content = part.slice(end + 4..);
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let disposition = header("content-disposition").unwrap_or_default();
    let Some(name) = attribute(&disposition, "name") else {
        return;
    };
    match attribute(&disposition, "filename") {
        Some(file) => {
            let upload = Upload {
                name: file,
                mime: header("content-type")
                    .unwrap_or_else(|| "application/octet-stream".to_owned()),
                bytes: content,
            };
            params.files.entry(name).or_insert(upload);
        }
        None => {
            let value = String::from_utf8_lossy(&content).into_owned();
            params.put(name, Value::String(value));
        }
    }
}

/// Its parts between semicolons; one in quotes is part of a name.
fn parts(header: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    header.split(move |it| {
        is_quoted ^= it == '"';
        it == ';' && !is_quoted
    })
}

/// What a header says after `name=`.
fn attribute(header: &str, name: &str) -> Option<String> {
    parts(header).skip(1).find_map(|part| {
        let (key, value) = part.split_once('=')?;
        let is_it = key.trim().eq_ignore_ascii_case(name);
        is_it.then(|| value.trim().trim_matches('"').to_owned())
    })
}
