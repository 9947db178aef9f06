//! What people send: the end of what they began last, then the next photo. Each moves the dialogue on and gets one reply; none
//! writes a business record, whose cost is the database's.

use std::time::{SystemTime, UNIX_EPOCH};

/// What a person sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// `/cancel`, in place of an answer to the question about the last photo.
    End,
    /// A photo, which is asked about.
    Photo,
}

/// A file id as long as Telegram's.
pub const FILE_ID: &str =
    "AgACAgIAAxkBAAIBQ2Zx5l0h7oQn0zq1v8nJkq2t6H5XAAKF4TEbY0eRSxq3mY0mJX5fAQADAgADeQADNQQ";

/// The body of an update, as Telegram sends it.
pub fn body(update: u32, person: u64, sends: Sends) -> String {
    let content = match sends {
        Sends::End => {
            r#""text":"/cancel","entities":[{"offset":0,"length":7,"type":"bot_command"}]"#
                .to_owned()
        }
        Sends::Photo => photo(),
    };
    let date = SystemTime::now().duration_since(UNIX_EPOCH);
    let date = date.map_or(0, |since| since.as_secs());
    format!(
        r#"{{"update_id":{update},"message":{{"message_id":{update},"from":{{"id":{person},"is_bot":false,"first_name":"Anna","last_name":"Lind","username":"anna_lind","language_code":"en"}},"chat":{{"id":{person},"first_name":"Anna","last_name":"Lind","username":"anna_lind","type":"private"}},"date":{date},{content}}}}}"#
    )
}

fn photo() -> String {
    let sizes = [(90, 51, 1318), (320, 180, 19_455), (800, 450, 91_215)].map(|(width, height, bytes)| {
        format!(
            r#"{{"file_id":"{FILE_ID}","file_unique_id":"AQADheExG2NHkUt-","file_size":{bytes},"width":{width},"height":{height}}}"#
        )
    });
    format!(r#""photo":[{}]"#, sizes.join(","))
}

/// The request that carries it.
pub fn request(path: &str, secret: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         X-Telegram-Bot-Api-Secret-Token: {secret}\r\n\r\n{body}"
    )
    .into_bytes()
}
