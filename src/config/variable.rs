//! The one list of variables.

/// One variable of the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What holds when it is not set.
    pub default: Option<&'static str>,
    /// What it means, in a line.
    pub meaning: &'static str,
}

const fn with(name: &'static str, default: &'static str, meaning: &'static str) -> Variable {
    Variable { name, default: Some(default), meaning }
}

const fn bare(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, default: None, meaning }
}

/// Every variable there is, in the order of `.env.example`.
pub const VARIABLES: &[Variable] = &[
    bare("BOT_TOKEN", "The bot's token from @BotFather. Required. Never printed."),
    bare("BOT_TOKEN_FILE", "A file that holds BOT_TOKEN, instead of it."),
    with(
        "TELEGRAM_API_URL",
        "https://api.telegram.org",
        "Base address of the Bot API: Telegram's own, or a local Bot API server.",
    ),
    with(
        "TELEGRAM_LIMITS",
        "global=30/s,chat=1/s,group=20/m",
        "How fast all replicas together may send; off for a local Bot API server or a bench.",
    ),
    bare(
        "WEBHOOK_URL",
        "The public https address of the webhook. When set, one replica registers it with Telegram.",
    ),
    with(
        "WEBHOOK_MAX_CONNECTIONS",
        "40",
        "How many connections Telegram may open at once; registered with WEBHOOK_URL.",
    ),
    bare(
        "WEBHOOK_SECRET",
        "What Telegram sends with every update (setWebhook's secret_token). Required. Several separated by commas while rotating: all are accepted.",
    ),
    bare("WEBHOOK_SECRET_FILE", "A file that holds WEBHOOK_SECRET, instead of it."),
    with("WEBHOOK_PATH", "/webhook", "The path updates are posted to."),
    with(
        "LISTEN_ADDR",
        "0.0.0.0:8080",
        "Where the webhook listens. Port 0 takes a free one, which is logged.",
    ),
    with(
        "OPS_ADDR",
        "127.0.0.1:9100",
        "Where /health, /livez, /readyz, /servingz, /metrics and /dialogues listen.",
    ),
    bare(
        "OPS_TOKEN",
        "Opens all but /health, /livez, /readyz and /servingz (Authorization: Bearer) when OPS_ADDR is not loopback.",
    ),
    bare("OPS_TOKEN_FILE", "A file that holds OPS_TOKEN, instead of it."),
    with(
        "MAX_IN_FLIGHT",
        "512",
        "How many updates may be worked on at once; beyond it 503 and Telegram comes again.",
    ),
    with(
        "WORKER_THREADS",
        "1",
        "How many threads the server works with. One bears thousands of updates a second, each for a sixth less than with two.",
    ),
    bare(
        "STORE",
        "Where dialogues are kept: memory, embedded or redis. Not set: redis if REDIS_URL or REDIS_ENABLED says so, else embedded.",
    ),
    with(
        "DATA_DIR",
        "./data",
        "Where the embedded store keeps its file, and a replica its notes: that others were seen, which STORE_FALLBACK goes by. Must outlive the process.",
    ),
    bare(
        "DATABASE_URL",
        "Where business data is kept: postgres://user:password@host/database, or sqlite:///path/to/file. Not set: records.db in DATA_DIR.",
    ),
    bare(
        "MEDIA_DIR",
        "Where photos that show finished tasks are downloaded to. Several replicas need one that they share. Not set: nowhere.",
    ),
    bare("DATABASE_URL_FILE", "A file that holds DATABASE_URL, instead of it."),
    bare(
        "REDIS_URL",
        "redis:// or rediss://, with user, password and database where needed. Instead of the parts below.",
    ),
    bare("REDIS_ENABLED", "Use Redis, at the address made of the parts below."),
    with("REDIS_HOST", "localhost", "Part of the address."),
    with("REDIS_PORT", "6379", "Part of the address."),
    bare("REDIS_PASSWORD", "Part of the address."),
    bare("REDIS_PASSWORD_FILE", "A file that holds REDIS_PASSWORD, instead of it."),
    with("REDIS_FSM_DB", "0", "Part of the address: the database of the dialogues."),
    bare("REDIS_CACHE_DB", "Accepted and without effect: nothing is cached."),
    with("REDIS_PREFIX", "sf", "The beginning of every key in Redis; the bot's id follows it."),
    with(
        "STORE_FALLBACK",
        "fail",
        "When Redis cannot be reached at the start: fail, or memory (starts degraded and says so; refused where DATA_DIR knows of other replicas).",
    ),
    bare(
        "OWNER_IDS",
        "The Telegram numbers of the owners, separated by commas. So for the next three.",
    ),
    bare("DISPATCHER_IDS", "The numbers of the dispatchers."),
    bare("MASTER_IDS", "The numbers of the masters."),
    bare("WORKER_IDS", "The numbers of the workers."),
    bare(
        "DEFAULT_ROLE",
        "The role of those who have none: owner, dispatcher, master or worker. Not set: none.",
    ),
    with("TIMEZONE", "UTC", "The time zone of objects that name none, such as Europe/Moscow."),
    with("CURRENCY", "₽", "The sign of the money that is counted in."),
    with(
        "DIALOGUE_SCOPE",
        "chat",
        "Whether a person has one dialogue per chat or one per topic: chat, topic.",
    ),
    bare(
        "STATE_TTL",
        "How long a question waits for its answer, such as 15m. Not set: as each flow says.",
    ),
    with("DATA_TTL", "24h", "How long a draft that was left alone is kept."),
    bare("REDIS_FSM_STATE_TTL", "An older name of STATE_TTL."),
    bare("REDIS_FSM_DATA_TTL", "An older name of DATA_TTL."),
    with(
        "PHOTO_RETENTION",
        "365d",
        "How long photos are kept: Telegram's ids of them and their captions in the records, and files in MEDIA_DIR; off keeps them for good.",
    ),
    with(
        "PHONE_RETENTION",
        "365d",
        "How long phone numbers are kept in the records, a client's from when the order is closed; off keeps them for good.",
    ),
    with(
        "DRAIN_DELAY",
        "5s",
        "How long to go on serving after a stop signal, until everyone has noticed.",
    ),
    with("SHUTDOWN_DEADLINE", "45s", "The longest time from a stop signal to the exit."),
    with("LOG_FORMAT", "text", "text for people, json for programs."),
    with("RUST_LOG", "info", "What to log, such as warn or info,steadfast=debug."),
    with("LOG_TEXTS", "false", "Whether message texts may appear in the log."),
];

/// The variable of this name.
pub(super) fn find(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}

/// The text of `.env.example`.
pub fn example() -> String {
    let head = "# Every variable there is. A line in comment shows the default.\n";
    VARIABLES.iter().fold(head.to_owned(), |text, variable| {
        let default = variable.default.unwrap_or_default();
        format!("{text}\n# {}\n# {}={default}\n", variable.meaning, variable.name)
    })
}
