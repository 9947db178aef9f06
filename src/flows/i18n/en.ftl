# The engine's own words.
start = Hello! I keep my place: close me, switch me off, and we go on where we stopped. What would you like to do?
menu = What would you like to do?
help =
    /menu – { menu-command }
    /cancel – { cancel-command }
    /back – { back-command }
    /start – { start-command }
menu-command = What I can do
back-command = One question back
cancel-command = End what is under way
help-command = What the commands do
start-command = Begin anew; nothing is lost
cancelled = Ended: { $what }.
nothing-to-cancel = There is nothing to end.
no-way-back = There is no way back from here. /cancel ends it.
not-understood = I did not understand that. /menu shows what I can do.
stale-button = This button is no longer active.
not-yours = This button is for someone else.
too-many-drafts = You have put { $count } things aside already. Please finish or /cancel one of them first.
resume-offer = Continue where you stopped? ({ $what })
resume-yes = Continue
resume-no = Drop it
expired = I have put this aside: { $what }. Continue where you stopped?
parked = I have put this aside: { $what }.
dropped = Dropped: { $what }.
reset = You have been freed from a question that was stuck. /menu shows what I can do.
newer-state = We are bringing things back to an earlier version, and your last question has to wait. Nothing is lost. /cancel ends it, /start begins anew.
broken-state = I could not go on where we stopped and have put it aside. /menu shows what I can do.
apology = Something went wrong on our side, and your last message was not taken in. We have been told. Please try again later, or /cancel.
apology-cleared = Something went wrong on our side, so I have ended this dialogue. We have been told. /menu shows what I can do.
under-photos = 👆
refused = That could not be done: { $reason }.
stranger = This bot is for the people of the company, and I do not know you yet. Ask whoever runs it for an invitation: it is a link, and opening it is all you have to do.
not-allowed = That is for others in the company. If you should be able to do it, ask an owner for an invitation.
home = 🏠 Main menu
page-before = ◀️
page-after = ▶️
page = { $page } / { $pages }

# How numbers and moments are written.
number-group = { "," }
number-point = { "." }
date = { $day } { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
} { $year }
time = { $hour }:{ $minute }
date-time = { $date }, { $time }

# Photo.
photo-title = 📷 Photo
photo-command = Send a photo with a caption
photo-ask = Please send me a photo.
photo-hint = I am waiting for a photo. /cancel ends it.
photo-ask-caption =
    { $count ->
        [one] What shall the caption be?
       *[other] { $count } photos. What shall the caption be?
    }
photo-no-caption = No caption
photo-caption-hint = Please type a caption, or press “No caption”.
photo-caption-long = That is too long for a caption: at most { $max } characters, please.
photo-remind = I am still here for your photo. Shall we go on?
photo-done =
    { $count ->
        [one] Thank you! A photo: “{ $caption }”.
       *[other] Thank you! { $count } photos: “{ $caption }”.
    }
photo-done-plain =
    { $count ->
        [one] Thank you! A photo without a caption.
       *[other] Thank you! { $count } photos without a caption.
    }

# Language.
language-title = 🌐 Language
language-command = Choose the language I speak
language-ask = Which language shall we speak?
language-hint = Please press a button.
language-en = English
language-ru = Русский
language-done = From now on I speak English.
