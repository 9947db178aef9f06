//! Buttons that come with a message: under it, or instead of the keyboard.

use serde_json::{Value, json};

use super::message::{Button, Keyboard};
use super::params::Params;

/// What a bot can do about buttons.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Markup {
    /// Nothing was said.
    None,
    /// Buttons under the message.
    Inline(Keyboard),
    /// Buttons instead of the keyboard, or a question that wants a reply.
    Reply(Value),
    /// The keyboard comes back.
    Remove,
}

/// What cannot be read as JSON, or is no list of lists.
const UNREADABLE: &str = "can't parse reply keyboard markup JSON object";

/// Reads the `reply_markup` of a call.
pub(super) fn of(params: &Params) -> Result<Markup, String> {
    let markup = params.json("reply_markup");
    let is_null = |text: &str| text.trim() == "null";
    match (&markup, params.text("reply_markup")) {
        (Some(Value::Null), Some(text)) if !is_null(&text) => Err(UNREADABLE.to_owned()),
        _ => read(markup.as_ref()),
    }
}

/// Reads what came as `reply_markup`; or says in Telegram's words what is wrong with it.
fn read(markup: Option<&Value>) -> Result<Markup, String> {
    let Some(markup) = markup else {
        return Ok(Markup::None);
    };
    if markup == "" {
        return Ok(Markup::None);
    }
    if !markup.is_object() {
        return Err("object expected as reply markup".to_owned());
    }
    if let Some(rows) = markup.get("inline_keyboard") {
        return inline(rows).map(Markup::Inline);
    }
    if let Some(rows) = markup.get("keyboard") {
        return reply(markup, rows).map(Markup::Reply);
    }
    if markup["remove_keyboard"] == true {
        return Ok(Markup::Remove);
    }
    match markup["force_reply"] == true {
        true => Ok(Markup::Reply(markup.clone())),
        false => Ok(Markup::None),
    }
}

fn inline(rows: &Value) -> Result<Keyboard, String> {
    let wrong = |words: &str| format!("can't parse inline keyboard button: {words}");
    let rows = rows.as_array();
    let rows =
        rows.ok_or("field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array")?;
    let mut keyboard = Keyboard::default();
    for row in rows {
        let row = row.as_array();
        let row = row.ok_or(
            "field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays",
        )?;
        let mut buttons = Vec::new();
        for button in row {
            if button.is_string() {
                return Err("text buttons are unallowed in the inline keyboard".to_owned());
            }
            buttons.push(checked(button).map_err(|words| match words {
                "BUTTON_DATA_INVALID" => words.to_owned(),
                other if other.starts_with("text buttons") => other.to_owned(),
                other => wrong(other),
            })?);
        }
        if !buttons.is_empty() {
            keyboard.inline_keyboard.push(buttons);
        }
    }
    Ok(keyboard)
}

const ACTIONS: [&str; 10] = [
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
];

fn checked(button: &Value) -> Result<Button, &'static str> {
    let Value::Object(fields) = button else {
        return Err("InlineKeyboardButton must be an Object");
    };
    let mut fields = fields.clone();
    let Some(Value::String(text)) = fields.remove("text") else {
        return Err("Field \"text\" must be of type String");
    };
    if text.trim().is_empty() {
        return Err("Button text must not be empty");
    }
    fields.retain(|name, value| ACTIONS.contains(&name.as_str()) && !value.is_null());
    if fields.is_empty() {
        return Err("text buttons are unallowed in the inline keyboard");
    }
    let data = fields.get("callback_data").map(|data| data.as_str().unwrap_or_default().len());
    if data.is_some_and(|length| !(1..=64).contains(&length)) {
        return Err("BUTTON_DATA_INVALID");
    }
    Ok(Button { text, action: fields })
}

/// Buttons instead of the keyboard, each as an object.
fn reply(markup: &Value, rows: &Value) -> Result<Value, String> {
    let mut whole = markup.clone();
    let mut kept = Vec::new();
    for row in rows.as_array().ok_or(UNREADABLE)? {
        let mut buttons = Vec::new();
        for button in row.as_array().ok_or(UNREADABLE)? {
            let button = match button {
                Value::String(text) => json!({ "text": text }),
                Value::Object(_) if button["text"].is_string() => button.clone(),
                _ => {
                    return Err(
                        "can't parse keyboard button: Field \"text\" must be of type String"
                            .to_owned(),
                    );
                }
            };
            buttons.push(button);
        }
        kept.push(buttons);
    }
    whole["keyboard"] = json!(kept);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(markup: &Value) -> String {
        read(Some(markup)).expect_err("it is refused")
    }

    #[test]
    fn what_a_button_carries_is_between_1_and_64_bytes() {
        let of =
            |data: &str| json!({ "inline_keyboard": [[{ "text": "a", "callback_data": data }]] });
        assert!(read(Some(&of(&"x".repeat(64)))).is_ok());
        assert_eq!(wrong(&of(&"x".repeat(65))), "BUTTON_DATA_INVALID");
        assert_eq!(wrong(&of("")), "BUTTON_DATA_INVALID");
    }

    #[test]
    fn null_is_no_markup_that_telegram_takes() {
        assert_eq!(wrong(&Value::Null), "object expected as reply markup");
    }

    #[test]
    fn what_is_no_json_is_said_so() {
        let body = bytes::Bytes::from(r#"{"reply_markup":"{oops"}"#);
        let params = Params::read("", "application/json", &body).expect("it is small");
        assert_eq!(of(&params), Err(UNREADABLE.to_owned()));
    }

    #[test]
    fn a_button_that_does_nothing_is_refused_under_a_message() {
        let markup = json!({ "inline_keyboard": [[{ "text": "a" }]] });
        assert_eq!(wrong(&markup), "text buttons are unallowed in the inline keyboard");
    }

    #[test]
    fn a_reply_keyboard_takes_plain_texts() {
        let markup = json!({ "keyboard": [["a"]], "resize_keyboard": true });
        let Ok(Markup::Reply(read)) = read(Some(&markup)) else { panic!("it is taken") };
        assert_eq!(read["keyboard"][0][0]["text"], "a");
    }
}
