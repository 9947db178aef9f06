//! The page of the emulator and the playground: a Telegram-like chat, and beside it what the bot remembers.
//!
//! Plain HTML, CSS and ES modules, embedded in the binary: there is no build step, and the page asks nothing of any other
//! host. It speaks only to `/emulator/` and, where there is one, to `/playground/`. What tests may hold on to is listed at
//! the top of `page/index.html`.
//!
//! The modules, by what they are for:
//!
//! | | |
//! |---|---|
//! | what is known | `store` (all of it), `events` (keeps it in step), `api` (the requests), `acts` (what a person does) |
//! | list | `people`, `avatar`, `dialogs`, `status`, `health` (its words), `theme`, `route` |
//! | chat | `chat`, `rows`, `bubble`, `entities`, `keyboard`, `composer`, `commands`, `photos`, `lightbox`, `toast` |
//! | inspector | `inspector`, `dialogue`, `timers`, `diagram` (where states stand), `drawing`, `walked`, `timeline`, `raw`, `days` (of both), `json`, `copy` |
//! | around | `faults` (the bar of trials), `watch` and `seen` (what they look at), `verdicts` (what is said of it), `mishaps` (all other faults), `catalogue` (their words), `coach` (the guided first dialogue), `main` |
//! | small tools | `dom`, `keyed`, `menu`, `icons`, `format`, `patience` |

use std::fmt::Write;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What the page may do: load from its own host, and show pictures that were chosen for sending.
const POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
#[derive(Debug, Clone, Copy)]
struct Asset {
    path: &'static str,
    body: &'static str,
}

/// The files of `src/page/` by their names, each under `/page/`.
macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        [$(Asset { path: concat!("/page/", $name), body: include_str!(concat!("page/", $name)) }),*]
    };
}

const INDEX: Asset = Asset { path: "/", body: include_str!("page/index.html") };

const ASSETS: &[Asset] = &assets![
    "style.css",
    "chat.css",
    "inspector.css",
    "icon.svg",
    "pattern.svg",
    "acts.js",
    "api.js",
    "avatar.js",
    "bubble.js",
    "catalogue.js",
    "chat.js",
    "coach.js",
    "commands.js",
    "composer.js",
    "copy.js",
    "days.js",
    "diagram.js",
    "dialogs.js",
    "dialogue.js",
    "dom.js",
    "drawing.js",
    "entities.js",
    "events.js",
    "faults.js",
    "format.js",
    "health.js",
    "icons.js",
    "inspector.js",
    "invitation.js",
    "json.js",
    "keyboard.js",
    "keyed.js",
    "lightbox.js",
    "log.js",
    "main.js",
    "menu.js",
    "mishaps.js",
    "patience.js",
    "people.js",
    "photos.js",
    "raw.js",
    "route.js",
    "rows.js",
    "seen.js",
    "status.js",
    "store.js",
    "theme.js",
    "timeline.js",
    "timers.js",
    "toast.js",
    "verdicts.js",
    "walked.js",
    "watch.js",
];

/// Serves the page at `/`, and its parts under `/page/`.
pub fn router() -> Router {
    let all = ASSETS.iter().copied().chain([INDEX]);
    all.fold(Router::new(), |router, asset| {
        let tag = asset.tag();
        let serve = move |headers: HeaderMap| {
            let answer = asset.answer(&tag, &headers);
            async move { answer }
        };
        router.route(asset.path, get(serve))
    })
}

/// The same where the emulator runs alone: the page asks how the bot of the playground is, and there is none.
pub fn alone() -> Router {
    router().route("/playground/bot", get(async || Json(Value::Null)))
}

impl Asset {
    /// The file, or word that the browser has it already.
    fn answer(&self, tag: &str, headers: &HeaderMap) -> Response {
        let known = headers.get_all(IF_NONE_MATCH).iter();
        let mut known = known.filter_map(|value| value.to_str().ok());
        let common: [(HeaderName, &str); 5] = [
            (ETAG, tag),
            // Asked for anew each time, and answered without a body: a newer binary is seen at once.
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
        ];
        if known.any(|tags| tags.contains(tag)) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        (common, [(CONTENT_TYPE, self.kind())], self.body).into_response()
    }

    fn kind(&self) -> &'static str {
        match self.path.rsplit_once('.') {
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        }
    }

    /// A tag that changes with the file.
    fn tag(&self) -> String {
        let hash = Sha256::digest(self.body);
        let mut tag = String::from('"');
        for byte in &hash[..12] {
            // Writing to a string cannot fail.
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        tag
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    async fn ask(path: &str, tag: Option<&str>) -> Response {
        let mut request = Request::get(path);
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let request = request.body(Body::empty()).expect("a request");
        router().oneshot(request).await.expect("an answer")
    }

    fn all() -> impl Iterator<Item = &'static Asset> {
        ASSETS.iter().chain([&INDEX])
    }

    /// What stands between each `before` and the next `"`.
    fn quoted<'a>(body: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
        let parts = body.split(before).skip(1);
        parts.filter_map(|rest| rest.split('"').next())
    }

    #[tokio::test]
    async fn every_file_is_served_as_what_it_is_under_a_strict_policy() {
        for asset in all() {
            let answer = ask(asset.path, None).await;
            assert_eq!(answer.status(), StatusCode::OK, "{}", asset.path);
            assert_eq!(answer.headers()[CONTENT_TYPE], asset.kind());
            assert_eq!(answer.headers()[CONTENT_SECURITY_POLICY], POLICY);
            assert_eq!(answer.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
            let body = answer.into_body().collect().await.expect("a body");
            assert_eq!(body.to_bytes(), asset.body);
        }
    }

    #[tokio::test]
    async fn a_file_that_the_browser_has_is_not_sent_again() {
        let first = ask("/", None).await;
        let tag = first.headers()[ETAG].to_str().expect("a tag").to_owned();
        let again = ask("/", Some(&format!("\"other\", {tag}"))).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()[ETAG], tag);
        let newer = ask("/", Some("\"other\"")).await;
        assert_eq!(newer.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        let answer = ask("/page/nothing.js", None).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page");
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_str().expect("a name");
            let elsewhere = ["tests", "index.html", "package.json"].contains(&name);
            let embedded = ASSETS.iter().any(|asset| asset.path[6..] == *name);
            assert!(elsewhere || embedded, "{name} is not embedded");
        }
    }

    #[test]
    fn every_file_that_is_asked_for_is_there() {
        let paths: Vec<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        for asset in all() {
            let modules = quoted(asset.body, "from \"./").map(|name| format!("/page/{name}"));
            let others = quoted(asset.body, "\"/page/").map(|name| format!("/page/{name}"));
            for path in modules.chain(others) {
                let asker = asset.path;
                assert!(paths.contains(&path.as_str()), "{asker} asks for {path}");
            }
        }
    }

    #[test]
    fn nothing_breaks_the_policy_or_makes_markup_of_text() {
        for asset in all() {
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                " style=\"",
                " onclick",
                "<style",
                "eval(",
            ] {
                assert!(!asset.body.contains(word), "{} has {word}", asset.path);
            }
            let scripts = asset.body.matches("<script").count();
            assert_eq!(scripts, asset.body.matches("<script type=\"module\" src=").count());
        }
    }

    #[test]
    fn nothing_is_asked_of_another_host() {
        for asset in all() {
            let mut hosts = quoted(asset.body, "\"http").filter(|rest| rest.contains("://"));
            let foreign = hosts.find(|rest| !rest.contains("://www.w3.org/"));
            assert_eq!(foreign, None, "{}", asset.path);
        }
    }

    #[test]
    fn a_browser_without_javascript_is_told_so() {
        assert!(INDEX.body.contains("<noscript>"));
        assert!(INDEX.body.contains("This page needs JavaScript."));
    }
}
