//! A photo, or an album, and the caption to it.

use serde_json::json;

use super::ground::Ground;

#[tokio::test]
async fn every_way_of_a_photo_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &[]).await;
    anna.sends_photo().await;
    anna.goes(&[
        ("What shall the caption be?", "/back"),
        ("Please send me a photo.", "📷"),
        ("What shall the caption be?", "Our new boiler"),
        ("A photo: “Our new boiler”.", "/photo"),
        ("Please send me a photo.", "📷"),
        ("What shall the caption be?", "[No caption]"),
        ("A photo without a caption.", "/photo"),
    ])
    .await;
    anna.hears("Please send me a photo.").await;
    let captioned = |words: &str| json!({ "photo": true, "caption": words });
    anna.sends(captioned("A receipt of today")).await;
    anna.hears("“A receipt of today”").await;
    anna.sends(captioned("A receipt of yesterday")).await;
    anna.hears("“A receipt of yesterday”").await;
    anna.says("/photo").await;
    anna.hears("Please send me a photo.").await;
    anna.sends(json!({ "album": [true, true] })).await;
    anna.goes(&[("2 photos. What shall", "Our holiday")]).await;
    anna.hears("2 photos: “Our holiday”").await;
    anna.sends(json!({ "album": [true, true, true], "caption": "Our garden" })).await;
    anna.hears("3 photos: “Our garden”").await;

    let vera = ground.meets("Вера", "ru", &[]).await;
    vera.sends_photo().await;
    vera.goes(&[("Какая будет подпись?", "Новый котёл")]).await;
    vera.hears("1 фотография: «Новый котёл»").await;
    ground.is_walked("photo").await;
}
