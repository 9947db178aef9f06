# What the engine says. A bot may replace each text by one of the same key.
start = Hello! What would you like to do?
menu = What would you like to do?
help =
    /menu – { $menu }
    /cancel – { $cancel }
    /back – { $back }
    /start – { $start }
menu-command = What I can do
back-command = One question back
cancel-command = Cancel what is under way
help-command = What the commands do
start-command = Begin anew; nothing is lost
cancelled = Cancelled: { $what }.
nothing-to-cancel = There is nothing to cancel.
no-way-back = There is no way back from here. To cancel: /cancel.
not-understood = I did not understand that. /menu shows what I can do.
reply-later = I cannot see just now which message you answer. Please send it again in a little while, or write it without answering a message.
edited-hint = I do not take in changes of messages that were sent before. Please send it as a new message; /back leads to the question before.
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
newer-state = We are bringing things back to an earlier version, and your last question has to wait. Nothing is lost. /cancel cancels it, /start begins anew.
broken-state = I could not go on where we stopped and have put it aside. /menu shows what I can do.
apology = Something went wrong on our side, and your last message was not taken in. We have been told. Please try again later, or /cancel.
apology-cleared = Something went wrong on our side, so I have ended this dialogue. We have been told. /menu shows what I can do.
apology-parked = Something went wrong on our side, so I have put this aside: { $what }. Nothing of it is lost, and we have been told. Try to go on a little later.
under-photos = 👆
refused = That could not be done: { $reason }.
stranger = I do not know you yet. Please ask whoever runs this bot to let you in.
not-allowed = You are not allowed to do that. If you should be, please ask whoever runs this bot.
home = 🏠 Main menu
page-before = ◀️
page-after = ▶️
page = { $page } / { $pages }
reminder =
    { $words }

    { $question }
keys-away = I have put the key for sharing a number away.
too-long = That is too long: at most { $max } characters, please.
