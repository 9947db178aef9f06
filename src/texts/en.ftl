# In place of what the engine says.
start = Hello! I keep my place: close me, switch me off, and we go on where we stopped. What would you like to do?
help =
    /menu – { $menu }
    /cancel – { $cancel }
    /back – { $back }
    /start – { $start }
    /language – { language-command }
    /privacy – { privacy-command }
stranger = This bot is for the people of the company, and I do not know you yet. Ask whoever runs it for an invitation: it is a link, and opening it is all you have to do.
not-allowed = That is for others in the company. If you should be able to do it, ask an owner for an invitation.

# How numbers and moments are written.
number-group = { "," }
number-point = { "." }
money = { $sign }{ $major }{ number-point }{ $minor }{ currency }
money-group = { $head }{ number-group }{ $tail }
currency = { "" }
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
photo-hint = I am waiting for a photo. To cancel: /cancel.
photo-ask-caption =
    { $count ->
        [one] What shall the caption be?
       *[other] { $count } photos. What shall the caption be?
    }
photo-no-caption = No caption
photo-caption-hint = Please type a caption, or press “No caption”.
photo-caption-long = That is too long for a caption: at most { $max } characters, please.
photo-remind = I am still here for your photo.
photo-remind-caption = I have your photo and wait for its caption.
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
invite-remind = The invitation is not made yet.
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
join-own = This is your own link. Send it to whoever you invite: it still works.
join-member = You are already with us as: { $role }. The invitation is left for somebody else.
join-expired = This invitation is too old. Please ask for a new one.

# Onboarding.
onboarding-title = 👋 Introduce yourself
onboarding-command = Tell us who you are: seven questions
onboarding-question = ({ $at }/{ $of }) { $question }
onboarding-ask-name = What is your full name?
onboarding-ask-phone = What is your phone number? Type it, or share it with the button below.
onboarding-ask-phone-typed = What is your phone number? Please type it.
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

    { $profile }
onboarding-news =
    👋 Somebody has introduced themselves:

    { $profile }
onboarding-profile =
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
onboarding-hint-phone-typed = That does not look like a phone number. Please type it like +7 999 123-45-67.
onboarding-hint-own-typed = That is somebody else’s number. Please type your own.
onboarding-hint-own = That is somebody else’s number. Please share your own with the button, or type it.
onboarding-hint-city = Please type the name of your town.
onboarding-hint-trade = Please press a button, or type what you do.
onboarding-hint-experience = A number of years, please, such as 5.
onboarding-hint-about = Please type it, or press “Nothing else”.
onboarding-hint-button = Please press one of the buttons.
onboarding-remind = A few questions about you are still open.
onboarding-not-kept = Something went wrong on our side, and your last answer could not be saved; we have been told. Nothing of it is lost here. Please go on:
onboarding-done = Thank you, { $name }! Now we know you.
# Shift.
shift-title = 🛠 My shift
shift-command = Open a shift, tick off its tasks, close it
shift-no-objects = There is no object to work at yet. An owner can add one.
shift-ask-object = Where are you working?
shift-object-hint = Please press the object where you are working, or /cancel.
shift-ask-slot = <b>{ $object }</b>: which time slot is yours?
shift-slot-hint = Please press your time slot, or /cancel.
shift-slot = 🕘 { $from }–{ $until }
shift-offer =
    <b>{ $object }</b>, { $rate } an hour
    { $slot }

    { $tasks }
shift-offer-slot = 🕘 { $from }–{ $until }. More than { $grace } min late: { $penalty }
shift-offer-no-slot = No time slot at this time
shift-no-tasks = There are no tasks.
shift-start = ▶️ Open the shift
shift-start-hint = Please press “Open the shift”, or /cancel.
shift-gone = No shift can be opened there any more.
shift-slots-changed = The time slots here have changed since I asked, so the shift is not open yet. Please look again.
shift-terms-changed = The terms have changed since I asked, so the shift is not open yet. Please look at the new ones and press again.
shift-again = Choose again
shift-tasks =
    🛠 <b>{ $object }</b>, since { $since }
    { $count ->
        [0] There are no tasks. Close the shift when you leave.
       *[other] Done: { $done } of { $count }. Press a task when it is done.
    }
shift-tasks-hint = Please press a task or “Close the shift”. Before you send a photo, press the task that it shows.
shift-task = { $tick } { $title } · { $price }{ $media }
shift-tick = ✅
shift-no-tick = ⬜️
shift-media = { " " }📷
shift-no-media = { "" }
shift-bonus = +{ $sum }
shift-penalty = { $sum }
shift-task-with-photo =
    <b>{ $title }</b> · { $price }
    Send a photo that shows it is done.
shift-task-plain =
    <b>{ $title }</b> · { $price }
    Press “Done” when it is. You may send a photo of it.
shift-task-is-done =
    ✅ <b>{ $title }</b> is done. { $count ->
        [0] You may send a photo of it.
        [one] One photo. You may send more.
       *[other] { $count } photos. You may send more.
    }
shift-done = ✅ Done
shift-back = ⬅️ All tasks
shift-photo-hint = I am waiting for a photo of this task. “All tasks” leads back.
shift-done-hint = Please press “Done”, send a photo of it, or go back to all tasks.
shift-enough-photos = { $max } photos of a task are enough.
shift-close = 🏁 Close the shift
shift-summary =
    🏁 <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Total: { $total }</b>
    Shall I close the shift?
shift-confirm = ✅ Close it
shift-close-hint = Please press “Close it”, or go back to all tasks.
shift-renewed = Some time has passed, so I have counted again. Please look at the new pay and press again.
shift-closed =
    ✅ The shift is closed. <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Total: { $total }</b>
shift-worker = { $name } (@{ $username })
shift-told =
    🏁 { $worker } has closed a shift. <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Total: { $total }</b>
shift-pay-base = Time, at { $rate } an hour: { $sum }
shift-pay-late = Late start: { $sum }
shift-pay-bonus = { $title }: +{ $sum }
shift-pay-penalty = { $title }, not done: { $sum }
shift-pay-completed = { $title }, done: { $sum }
shift-lines =
    { $above }
    { $below }
shift-already-open = You have a shift open already. One at a time, please.
shift-changed = Something has changed meanwhile, so nothing was written. Please look at it again.
shift-closed-before = This shift is closed already.
shift-remind-opening = You have not opened your shift yet.
shift-remind = Your shift is still open. <b>{ $object }</b>, since { $since }
shift-still-open = Your shift stays open until you close it. <b>{ $object }</b>, since { $since }

# Manage.
manage-title = ⚙️ Objects and tasks
manage-command = Set up objects, time slots and tasks
manage-objects = Your objects. Press one to change it.
manage-object = 🏢 { $name } · { $rate }
manage-object-off = 💤 { $name } · { $rate }
manage-add-object = ➕ Add an object
manage-all-objects = 🏢 All objects
manage-slots = Time slots. Press one to change it.
manage-slots-button = 🕘 Time slots
manage-slot = 🕘 { $days }, { $hours }
manage-slot-off = 💤 { $days }, { $hours }
manage-add-slot = ➕ Add a time slot
manage-tasks = Tasks. Press one to change it.
manage-tasks-button = 📋 Tasks
manage-task = { $title } · { $price }{ $media }
manage-task-off = 💤 { $title } · { $price }{ $media }
manage-add-task = ➕ Add a task
manage-list-hint = Please press a button of the list.
manage-object-card =
    🏢 <b>{ $name }</b>
    { $rate } an hour
    Time zone: { $zone }
manage-slot-card =
    🕘 <b>{ $days }, { $hours }</b>
    More than { $grace } min late: { $penalty }
manage-bonus-card =
    📋 <b>{ $title }</b>
    Bonus for doing it: { $price }
    { $media }
    { $place }
manage-mandatory-card =
    📋 <b>{ $title }</b>
    Mandatory. If it is not done: { $price }
    { $media }
    { $place }
manage-with-photo = A photo must show it
manage-without-photo = No photo is needed
manage-card-hint = Please press a button: change something, save, or go back.
manage-change-name = ✏️ Name
manage-change-rate = ✏️ Rate
manage-change-zone = ✏️ Time zone
manage-change-days = ✏️ Days
manage-change-hours = ✏️ Hours
manage-change-grace = ✏️ Grace
manage-change-penalty = ✏️ Penalty
manage-change-title = ✏️ Title
manage-change-kind = ✏️ Kind
manage-change-price = ✏️ Price
manage-change-media = ✏️ Photo
manage-change-place = ✏️ In which shifts
manage-save = 💾 Save
manage-back = ⬅️ Back
manage-off = 💤 Put out of use
manage-on = ▶️ Put into use again
manage-is-off = It is out of use now. Shifts that are open are not touched.
manage-is-on = It is in use again.
manage-saved = Saved. Shifts that are open keep what was agreed.
manage-ask-name = What is the object called?
manage-name-hint = Please type the name of the object.
manage-ask-rate = What does an hour earn there? For example: 350.50
manage-ask-zone = In which time zone is it? Press one, or type another, such as Europe/Samara, or the city.
manage-zone-hint = I do not know this time zone. Please type one such as Europe/Moscow, or press a button.
manage-ask-days = On which days? Press, or type numbers: 1 is Monday, 7 is Sunday; for example 1, 3, 5 or 1-5.
manage-days-hint = Please type days by their numbers, such as 1-5 or 1, 3, 5, or press a button.
manage-every-day = Every day
manage-workdays = Monday to Friday
manage-weekend = Saturday and Sunday
manage-days = { $before }, { $day }
manage-day-1 = Mon
manage-day-2 = Tue
manage-day-3 = Wed
manage-day-4 = Thu
manage-day-5 = Fri
manage-day-6 = Sat
manage-day-7 = Sun
manage-ask-hours = From when until when? For example: 09:00–18:00
manage-hours-hint = Please type hours such as 09:00–18:00. One that ends on the next day is fine: 22:00–06:00.
manage-ask-grace = How many minutes late is not late yet?
manage-grace-hint = Please type minutes: a number from 0 to { $max }.
manage-ask-penalty = What does being late cost? For example: 100
manage-no-penalty = Nothing
manage-ask-title = What is to be done?
manage-title-hint = Please type what is to be done.
manage-ask-kind = Is it a bonus task, paid when it is done, or a mandatory one, which costs something when it is not?
manage-bonus = ➕ Bonus
manage-mandatory = ❗ Mandatory
manage-ask-price = What does doing it bring? For example: 100
manage-ask-cost = What does it cost not to do it? For example: 33
manage-amount-hint = Please type an amount such as 350 or 350.50.
manage-ask-media = Must a photo show that it is done?
manage-yes = 📷 Yes
manage-no = No
manage-ask-place = In which shifts is it to be done?
manage-every-shift = In every shift
manage-button-hint = Please press a button.
manage-remind = What you were setting up is not saved yet.
manage-not-kept = It could not be saved; we have been told. Nothing is lost: here it is once more. Please try again later, or /cancel.
manage-not-kept-beside = “{ $what }” could not be saved; we have been told. Please enter it again later.
manage-unknown = It is not there any more, so nothing was written.
manage-too-many = An object can have { $max } tasks. Put one out of use first.
# Order.
order-title = 📝 New order
order-command = Create a repair order
order-ask-equipment = What is to be repaired? Press a button, or type it.
order-fridge = Fridge
order-washer = Washing machine
order-dishwasher = Dishwasher
order-stove = Stove
order-boiler = Boiler
order-conditioner = Air conditioner
order-tv = TV
order-computer = Computer
order-equipment-hint = Please press a button, or type what is to be repaired.
order-ask-problem = What is wrong with it?
order-problem-hint = Please type in a few words what is wrong.
order-ask-client = What is the client’s name?
order-client-hint = Please type the client’s name.
order-ask-address = At which address?
order-address-hint = Please type the address.
order-ask-phone = What is the client’s phone number? Type it, or attach the contact (📎).
order-phone-hint = That is not a phone number I can read. For example: +7 912 345-67-89. You may attach a contact instead.
order-ask-master = Who shall do it?
order-to-all = Offer it to all masters
order-master-hint = Please press a button: a master, or “Offer it to all masters”.
order-no-master = That master cannot be given orders any more. Please choose another.
order-summary =
    <b>Is everything right?</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
    🧰 { $master }
order-create = ✅ Create the order
order-change-equipment = ✏️ Equipment
order-change-problem = ✏️ Problem
order-change-client = ✏️ Client
order-change-address = ✏️ Address
order-change-phone = ✏️ Phone
order-change-master = ✏️ Master
order-confirm-hint = Please press a button: create the order, or change something.
order-given = Order { $no } is created and given to { $master }.
order-offered =
    { $count ->
        [0] Order { $no } is created. There is no master to offer it to yet.
        [one] Order { $no } is created and offered to one master.
       *[other] Order { $no } is created and offered to { $count } masters.
    }
order-offer =
    <b>Order { $no } is free</b>

    🔧 { $equipment }
    ❗ { $problem }
    📍 { $address }
order-take = 🙋 Take the order
order-yours =
    <b>Order { $no } is yours</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
order-report = ✅ Report
order-known = This order has been created already: /orders.
order-not-kept = The order could not be saved; we have been told. Nothing is lost: here it is once more. Please try again later, or /cancel.
order-not-kept-beside = An earlier order could not be saved; we have been told. Nothing is lost: here it is, please enter it again later.
order-remind = Your order is not finished yet.

# Orders.
orders-title = 📋 Open orders
orders-command = See the open orders
orders-none = There are no open orders.
orders-list =
    { $count ->
        [one] One open order
       *[other] { $count } open orders
    }
orders-shortened = { $words }…
orders-line = № { $no } · { $equipment } · { $address }
orders-line-new = 🆕 № { $no } · { $equipment } · { $address }
orders-details = 📋 Details
orders-card =
    <b>Order { $no }</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
    🧰 { $status }
    📝 { $author }
orders-closed = closed
orders-with = { $master }
orders-free = nobody yet
orders-assign = 🧰 Give it to a master
orders-back = ⬅️ Back
orders-ask-master = Who shall do order { $no }?
orders-given = Order { $no } is given to { $master }.
orders-withdrawn = Order { $no } ({ $equipment }) has been given to another master.
orders-taken = { $name } has taken order { $no }.
orders-offer-taken = Order { $no } has been taken by { $name }.
orders-faster = Order { $no } is taken: { $name } was faster.
orders-somebody = somebody else
orders-yours-already = Order { $no } is yours already.
orders-gone = Order { $no } is not open any more, or not for you.
orders-changed = Somebody has just changed order { $no }. Please look at it again: /orders.

# Report.
report-title = 🧾 Report
report-command = Report on an order and close it
report-nothing = You have no open orders to report on.
report-ask-order = Which order do you report on?
report-order-hint = Please press an order, or type its number.
report-not-open = Order { $no } is not open any more, or not yours.
report-ask-amount = Order { $no }. How much did the client pay?
report-amount-hint = Please type an amount, such as 1500 or 1 499.90.
report-ask-materials = Which materials did you use?
report-no-materials = None
report-materials-none = None
report-materials-hint = Please type the materials, or press “None”.
report-ask-review = Has the client written a review?
report-yes = Yes
report-no = No
report-review-hint = Please press “Yes” or “No”.
report-summary =
    <b>Is everything right?</b>

    📋 Order { $no }: { $equipment }
    💰 { $amount }
    🔩 Materials: { $materials }
    ⭐ Review: { $review }
report-close = ✅ Close the order
report-change-order = ✏️ Order
report-change-amount = ✏️ Amount
report-change-materials = ✏️ Materials
report-change-review = ✏️ Review
report-confirm-hint = Please press a button: close the order, or change something.
report-done = Order { $no } is closed: { $amount }. Thank you!
report-news =
    { $master } has closed order { $no }.

    💰 { $amount }
    🔩 Materials: { $materials }
    ⭐ Review: { $review }
report-not-kept = The report could not be saved; we have been told. The order stays open, and nothing is lost: here is your report once more. Please try again later, or /cancel.
report-not-kept-beside = An earlier report could not be saved; we have been told. The order stays open; please report on it again later.
report-done-not = Order { $no }: { $amount }; materials: { $materials }; review: { $review }.
report-remind = Your report is not finished yet.

# Support.
support-title = 💬 Support
support-command = Write to the dispatchers
support-ask = What would you like to ask? Write it, or send a photo.
support-remind = You have not asked yet.
support-hint = I pass on texts and photos only.
support-talking = What you write here I pass on to the dispatchers, and their answer comes here.
support-passed = Passed on.
support-end = 🏁 End the conversation
support-leave = ⏸ Leave it for now
support-left = All right. The conversation stays open: go on by the button under a message, or by answering it.
support-said = 💬 <b>{ $name }</b>: { $words }
support-reply = ↩️ Reply
support-write = ↩️ Write
support-answering = You are talking with { $name }. What you write now, I pass on.
support-nobody = There is nobody to answer yet. Please try again later.
support-ended = The conversation has ended.
support-ended-by = { $name } has ended the conversation. To ask something else: /support.
support-paused = I no longer pass on what you write by itself. To go on, press the button.
support-somebody = Somebody else
support-claimed = { $name } is answering already.
support-take-over = 🙋 Take over
support-taken-over = { $by } answers { $name } from now on.
support-not-passed = That could not be passed on; we have been told. Please try again later.
support-inbox =
    { $count ->
        [one] One conversation waits. Whom do you answer?
       *[other] { $count } conversations wait. Whom do you answer?
    }
support-inbox-empty = Nobody waits for an answer.
support-inbox-new = 🆕 { $name }
support-inbox-yours = 💬 { $name }
support-inbox-theirs = 👥 { $name } · { $by } is answering
support-inbox-hint = Please press a button.
support-ask-too = ✍️ Ask something yourself
# Privacy.
privacy-title = 🔒 Privacy
privacy-command = What I keep of you, and for how long
privacy-photos = Photos: not the pictures themselves, but Telegram’s name for them. These names, and the captions
privacy-photos-kept = Photos: Telegram’s name for them. Those that show a finished task are downloaded as well: the company keeps the pictures as proof of the work, also when you are forgotten. Pictures, names and captions
privacy-photos-for = { -privacy-days(days: 365) }
privacy-phones-for = { -privacy-days(days: 365) }
privacy-for-good = for good
-privacy-days = { $days ->
    [365] for a year
    [one] for a day
   *[other] for { $days } days
}
privacy =
    What I keep of you, and for how long:

    • Where we are in our conversation, and what you have put aside: until it is finished, or its time is over.
    • Which of your messages I have seen, by their numbers: for 48 hours, or until you next write if you have chosen a language here.
    • Your name and language as Telegram shows them, what you tell us of yourself, your role: as long as you are with us.
    • Your work, such as orders, reports and shifts: as long as the company needs it for its books.
    • { privacy-photos }: { privacy-photos-for }.
    • Phone numbers: { privacy-phones-for }.
    • What could not be delivered or done: until somebody has looked at it.

    If you want to be forgotten, or to know more, ask an owner of the company. Then only what the books need is left: amounts and times, without your name.
