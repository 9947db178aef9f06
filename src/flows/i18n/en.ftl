# The engine's own words.
start = Hello! I keep my place: close me, switch me off, and we go on where we stopped. What would you like to do?
menu = What would you like to do?
help =
    /menu – { menu-command }
    /cancel – { cancel-command }
    /back – { back-command }
    /start – { start-command }
    /language – { language-command }
    /privacy – { privacy-command }
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

# Roles.
role-owner = Owner
role-dispatcher = Dispatcher
role-master = Master
role-worker = Worker

# Invitations.
invite-title = ✉️ Invite somebody
invite-command = Invite somebody to the company
invite-ask = What shall the newcomer be?
invite-hint = Please press a button.
invite-link =
    Send this link to one person. Whoever opens it first is with us as: { $role }. It works once, for a week.

    https://t.me/{ $bot }?start={ $code }
invite-code =
    Have one person send me this. Whoever sends it first is with us as: { $role }. It works once, for a week.

    /start { $code }

# Joining.
join-title = Joining
join-welcome = Welcome! From now on you are with us as: { $role }. Would you like to introduce yourself?
join-introduce = 👋 Introduce myself
join-news = { $who } has accepted your invitation: { $role }.
join-unknown = There is no such invitation. Please ask whoever sent it for a new one.
join-used = This invitation was used already: it is for one person. Please ask for one of your own.
join-again = You have used this invitation: you are already with us. /menu shows what you can do.
join-expired = This invitation is too old. Please ask for a new one.

# Onboarding.
onboarding-title = 👋 Introduce yourself
onboarding-command = Tell us who you are: seven questions
onboarding-question = ({ $at }/{ $of }) { $question }
onboarding-ask-name = What is your full name?
onboarding-ask-phone = What is your phone number? Type it, or share it with the button below.
onboarding-share = 📱 Share my number
onboarding-ask-city = Which town do you live in?
onboarding-ask-trade = What do you do? Press a button, or type it.
onboarding-plumber = Plumber
onboarding-electrician = Electrician
onboarding-appliances = Appliance repair
onboarding-cleaner = Cleaning
onboarding-ask-experience = For how many years?
onboarding-ask-car = Do you have a car?
onboarding-yes = Yes
onboarding-no = No
onboarding-ask-about = Is there anything else that we should know?
onboarding-skip = Nothing else
onboarding-summary =
    Is everything right?

    👤 { $name }
    📱 { $phone }
    🏙 { $city }
    🛠 { $trade }, { $experience ->
        [one] { $experience } year
       *[other] { $experience } years
    }
    🚗 { $car }
    📝 { $about }
onboarding-confirm = ✅ Everything is right
onboarding-change = ✏️ { $field }
onboarding-field-name = Name
onboarding-field-phone = Phone
onboarding-field-city = Town
onboarding-field-trade = Trade
onboarding-field-experience = Experience
onboarding-field-car = Car
onboarding-field-about = Anything else
onboarding-hint-name = Please type your full name.
onboarding-hint-phone = That does not look like a phone number. Please type it like +7 999 123-45-67, or share it with the button.
onboarding-hint-city = Please type the name of your town.
onboarding-hint-trade = Please press a button, or type what you do.
onboarding-hint-experience = A number of years, please, such as 5.
onboarding-hint-about = Please type it, or press “Nothing else”.
onboarding-hint-button = Please press one of the buttons.
onboarding-long = That is a little long: at most { $max } characters, please.
onboarding-remind = A few questions about you are still open. Shall we go on?
onboarding-done = Thank you, { $name }! Now we know you.

# Privacy.
privacy-title = 🔒 Privacy
privacy-command = What I keep of you, and for how long
privacy =
    What I keep of you, and for how long:

    • Where we are in our conversation, and what you have put aside: until it is finished, or its time is over.
    • Which of your messages I have seen, by their numbers: for 48 hours.
    • Your name and language as Telegram shows them, what you tell us of yourself, your role: as long as you are with us.
    • Your work, such as orders, reports and shifts: as long as the company needs it for its books.
    • Photos: not the pictures themselves, but Telegram’s name for them. Photos and phone numbers: usually for a year; the company may choose another time.
    • What could not be delivered or done: until somebody has looked at it.

    If you want to be forgotten, or to know more, ask an owner of the company. Then only what the books need is left: amounts and times, without your name.
