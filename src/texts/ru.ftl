# In place of what the engine says.
start = Здравствуйте! Я помню, где мы остановились: закройте меня, выключите — и мы продолжим с того же места. Что вы хотите сделать?
help =
    /menu — { $menu }
    /cancel — { $cancel }
    /back — { $back }
    /start — { $start }
    /language — { language-command }
    /privacy — { privacy-command }
stranger = Этот бот — для сотрудников компании, а мы ещё не знакомы. Попросите приглашение у руководителя: это ссылка, её достаточно открыть.
not-allowed = Это могут делать другие сотрудники. Если это должно быть доступно и вам, попросите приглашение у руководителя.

# How numbers and moments are written.
number-group = { " " }
number-point = { "," }
money = { $sign }{ $major }{ number-point }{ $minor }{ currency }
money-group = { $head }{ number-group }{ $tail }
currency = { "" }
date = { $day } { $month ->
    [1] января
    [2] февраля
    [3] марта
    [4] апреля
    [5] мая
    [6] июня
    [7] июля
    [8] августа
    [9] сентября
    [10] октября
    [11] ноября
   *[12] декабря
} { $year }
time = { $hour }:{ $minute }
date-time = { $date }, { $time }

# Photo.
photo-title = 📷 Фото
photo-command = Прислать фотографию с подписью
photo-ask = Пришлите, пожалуйста, фотографию.
photo-hint = Я жду фотографию. Отменить — /cancel.
photo-ask-caption =
    { $count ->
        [one] Какая будет подпись? ({ $count } фотография)
        [few] Какая будет подпись? ({ $count } фотографии)
       *[many] Какая будет подпись? ({ $count } фотографий)
    }
photo-no-caption = Без подписи
photo-caption-hint = Напишите, пожалуйста, подпись или нажмите «Без подписи».
photo-caption-long = Для подписи это слишком длинно: не больше { $max } знаков, пожалуйста.
photo-remind = Я всё ещё жду вашу фотографию.
photo-remind-caption = Фотографию я получил, осталась подпись.
photo-done =
    { $count ->
        [one] Спасибо! { $count } фотография: «{ $caption }».
        [few] Спасибо! { $count } фотографии: «{ $caption }».
       *[many] Спасибо! { $count } фотографий: «{ $caption }».
    }
photo-done-plain =
    { $count ->
        [one] Спасибо! { $count } фотография без подписи.
        [few] Спасибо! { $count } фотографии без подписи.
       *[many] Спасибо! { $count } фотографий без подписи.
    }

# Language.
language-title = 🌐 Язык
language-command = Выбрать язык
language-ask = На каком языке будем говорить?
language-hint = Пожалуйста, нажмите кнопку.
language-en = English
language-ru = Русский
language-done = Теперь говорю по-русски.

# Roles.
role-owner = Руководитель
role-dispatcher = Диспетчер
role-master = Мастер
role-worker = Работник

# Invitations.
invite-title = ✉️ Пригласить
invite-command = Пригласить человека в компанию
invite-ask = Кем будет новый сотрудник?
invite-remind = Приглашение ещё не готово.
invite-hint = Пожалуйста, нажмите кнопку.
invite-link =
    Отправьте эту ссылку одному человеку. Кто откроет её первым, тот с нами. Роль: { $role }. Ссылка работает один раз и действует неделю.

    https://t.me/{ $bot }?start={ $code }
invite-code =
    Пусть один человек отправит мне это. Кто отправит первым, тот с нами. Роль: { $role }. Код работает один раз и действует неделю.

    /start { $code }

# Joining.
join-title = Вступление
join-welcome = Добро пожаловать! Теперь вы с нами. Ваша роль: { $role }. Расскажете немного о себе?
join-introduce = 👋 Рассказать о себе
join-news = Ваше приглашение принято: { $who }. Роль: { $role }.
join-unknown = Такого приглашения нет. Попросите новое у того, кто его прислал.
join-used = Это приглашение уже использовано: оно на одного человека. Попросите своё.
join-again = Вы уже использовали это приглашение: вы с нами. /menu покажет, что вам доступно.
join-own = Это ваша собственная ссылка. Отправьте её тому, кого приглашаете: она ещё действует.
join-member = Вы уже с нами. Ваша роль: { $role }. Приглашение останется для другого человека.
join-expired = Это приглашение устарело. Попросите новое.

# Onboarding.
onboarding-title = 👋 Рассказать о себе
onboarding-command = Познакомиться: семь вопросов
onboarding-question = ({ $at }/{ $of }) { $question }
onboarding-ask-name = Как вас зовут? Напишите полное имя.
onboarding-ask-phone = Ваш номер телефона? Напишите его или поделитесь кнопкой ниже.
onboarding-ask-phone-typed = Ваш номер телефона? Напишите его, пожалуйста.
onboarding-share = 📱 Поделиться номером
onboarding-ask-city = В каком городе вы живёте?
onboarding-ask-trade = Чем вы занимаетесь? Нажмите кнопку или напишите.
onboarding-plumber = Сантехник
onboarding-electrician = Электрик
onboarding-appliances = Ремонт техники
onboarding-cleaner = Уборка
onboarding-ask-experience = Сколько лет вы этим занимаетесь?
onboarding-ask-car = Есть ли у вас машина?
onboarding-yes = Да
onboarding-no = Нет
onboarding-ask-about = Что ещё нам стоит о вас знать?
onboarding-skip = Больше ничего
onboarding-summary =
    Всё верно?

    { $profile }
onboarding-news =
    👋 Новое знакомство:

    { $profile }
onboarding-profile =
    👤 { $name }
    📱 { $phone }
    🏙 { $city }
    🛠 { $trade }, { $experience ->
        [one] { $experience } год
        [few] { $experience } года
       *[many] { $experience } лет
    }
    🚗 { $car }
    📝 { $about }
onboarding-confirm = ✅ Всё верно
onboarding-change = ✏️ { $field }
onboarding-field-name = Имя
onboarding-field-phone = Телефон
onboarding-field-city = Город
onboarding-field-trade = Занятие
onboarding-field-experience = Опыт
onboarding-field-car = Машина
onboarding-field-about = Прочее
onboarding-hint-name = Напишите, пожалуйста, ваше полное имя.
onboarding-hint-phone = Это не похоже на номер телефона. Напишите его так: +7 999 123-45-67, или поделитесь кнопкой.
onboarding-hint-phone-typed = Это не похоже на номер телефона. Напишите его так: +7 999 123-45-67.
onboarding-hint-own-typed = Это не ваш номер. Напишите, пожалуйста, свой.
onboarding-hint-own = Это не ваш номер. Поделитесь, пожалуйста, своим с помощью кнопки или напишите его.
onboarding-hint-city = Напишите, пожалуйста, название города.
onboarding-hint-trade = Нажмите кнопку или напишите, чем вы занимаетесь.
onboarding-hint-experience = Число лет, пожалуйста, например 5.
onboarding-hint-about = Напишите или нажмите «Больше ничего».
onboarding-hint-button = Пожалуйста, нажмите одну из кнопок.
onboarding-remind = Остались ещё вопросы о вас.
onboarding-not-kept = У нас что-то пошло не так: последний ответ не удалось сохранить. Мы уже знаем об этом. Здесь ничего не потеряно, давайте продолжим:
onboarding-done = Спасибо, { $name }! Теперь мы знакомы.
# Shift.
shift-title = 🛠 Моя смена
shift-command = Открыть смену, отметить задачи, закрыть смену
shift-no-objects = Пока нет ни одного объекта. Добавить его может руководитель.
shift-ask-object = Где вы работаете?
shift-object-hint = Нажмите на объект, где вы работаете, или /cancel.
shift-ask-slot = <b>{ $object }</b>: какой тайм-слот ваш?
shift-slot-hint = Нажмите на свой тайм-слот или /cancel.
shift-slot = 🕘 { $from }–{ $until }
shift-offer =
    <b>{ $object }</b>, { $rate } в час
    { $slot }

    { $tasks }
shift-offer-slot = 🕘 { $from }–{ $until }. Опоздание больше { $grace } мин: { $penalty }
shift-offer-no-slot = Сейчас нет тайм-слота
shift-no-tasks = Задач нет.
shift-start = ▶️ Открыть смену
shift-start-hint = Нажмите «Открыть смену» или /cancel.
shift-gone = Там больше нельзя открыть смену.
shift-slots-changed = Тайм-слоты здесь изменились, поэтому смена ещё не открыта. Посмотрите, пожалуйста, ещё раз.
shift-terms-changed = Условия изменились, поэтому смена ещё не открыта. Посмотрите новые и нажмите ещё раз.
shift-again = Выбрать снова
shift-tasks =
    🛠 <b>{ $object }</b>, с { $since }
    { $count ->
        [0] Задач нет. Закройте смену, когда будете уходить.
       *[other] Выполнено: { $done } из { $count }. Нажмите на задачу, когда она выполнена.
    }
shift-tasks-hint = Нажмите на задачу или на «Закрыть смену». Прежде чем прислать фото, нажмите на задачу, к которой оно относится.
shift-task = { $tick } { $title } · { $price }{ $media }
shift-tick = ✅
shift-no-tick = ⬜️
shift-media = { " " }📷
shift-no-media = { "" }
shift-bonus = +{ $sum }
shift-penalty = { $sum }
shift-task-with-photo =
    <b>{ $title }</b> · { $price }
    Пришлите фото, на котором видно, что всё сделано.
shift-task-plain =
    <b>{ $title }</b> · { $price }
    Нажмите «Выполнено», когда всё сделано. Можно прислать и фото.
shift-task-is-done =
    ✅ <b>{ $title }</b> — выполнено. { $count ->
        [0] Можно прислать фото.
        [one] { $count } фотография. Можно прислать ещё.
        [few] { $count } фотографии. Можно прислать ещё.
       *[many] { $count } фотографий. Можно прислать ещё.
    }
shift-done = ✅ Выполнено
shift-back = ⬅️ Все задачи
shift-photo-hint = Я жду фото к этой задаче. Вернуться можно кнопкой «Все задачи».
shift-done-hint = Нажмите «Выполнено», пришлите фото или вернитесь ко всем задачам.
shift-enough-photos = Фотографий к задаче достаточно: { $max }.
shift-close = 🏁 Закрыть смену
shift-summary =
    🏁 <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Итого: { $total }</b>
    Закрыть смену?
shift-confirm = ✅ Закрыть
shift-close-hint = Нажмите «Закрыть» или вернитесь ко всем задачам.
shift-renewed = Прошло время, и расчёт обновлён. Посмотрите его и нажмите ещё раз.
shift-closed =
    ✅ Смена закрыта. <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Итого: { $total }</b>
shift-worker = { $name } (@{ $username })
shift-told =
    🏁 { $worker }: смена закрыта. <b>{ $object }</b>
    { $from } – { $until }

    { $lines }

    <b>Итого: { $total }</b>
shift-pay-base = Время, { $rate } в час: { $sum }
shift-pay-late = Опоздание: { $sum }
shift-pay-bonus = { $title }: +{ $sum }
shift-pay-penalty = { $title }, не выполнено: { $sum }
shift-pay-completed = { $title }, выполнено: { $sum }
shift-lines =
    { $above }
    { $below }
shift-already-open = У вас уже есть открытая смена. Одновременно можно открыть только одну.
shift-changed = Пока мы говорили, что-то изменилось, поэтому ничего не записано. Посмотрите, пожалуйста, ещё раз.
shift-closed-before = Эта смена уже закрыта.
shift-remind-opening = Смена ещё не открыта.
shift-remind = Ваша смена всё ещё открыта. <b>{ $object }</b>, с { $since }
shift-still-open = Смена открыта, пока вы её не закроете. <b>{ $object }</b>, с { $since }

# Manage.
manage-title = ⚙️ Объекты и задачи
manage-command = Настроить объекты, тайм-слоты и задачи
manage-objects = Ваши объекты. Нажмите, чтобы изменить.
manage-object = 🏢 { $name } · { $rate }
manage-object-off = 💤 { $name } · { $rate }
manage-add-object = ➕ Добавить объект
manage-all-objects = 🏢 Все объекты
manage-slots = Тайм-слоты. Нажмите, чтобы изменить.
manage-slots-button = 🕘 Тайм-слоты
manage-slot = 🕘 { $days }, { $hours }
manage-slot-off = 💤 { $days }, { $hours }
manage-add-slot = ➕ Добавить тайм-слот
manage-tasks = Задачи. Нажмите, чтобы изменить.
manage-tasks-button = 📋 Задачи
manage-task = { $title } · { $price }{ $media }
manage-task-off = 💤 { $title } · { $price }{ $media }
manage-add-task = ➕ Добавить задачу
manage-list-hint = Нажмите, пожалуйста, кнопку в списке.
manage-object-card =
    🏢 <b>{ $name }</b>
    { $rate } в час
    Часовой пояс: { $zone }
manage-slot-card =
    🕘 <b>{ $days }, { $hours }</b>
    Опоздание больше { $grace } мин: { $penalty }
manage-bonus-card =
    📋 <b>{ $title }</b>
    Премия за выполнение: { $price }
    { $media }
    { $place }
manage-mandatory-card =
    📋 <b>{ $title }</b>
    Обязательная. Если не выполнена: { $price }
    { $media }
    { $place }
manage-with-photo = Нужно фото
manage-without-photo = Фото не нужно
manage-card-hint = Нажмите кнопку: изменить, сохранить или назад.
manage-change-name = ✏️ Название
manage-change-rate = ✏️ Ставка
manage-change-zone = ✏️ Часовой пояс
manage-change-days = ✏️ Дни
manage-change-hours = ✏️ Часы
manage-change-grace = ✏️ Допуск
manage-change-penalty = ✏️ Штраф
manage-change-title = ✏️ Название
manage-change-kind = ✏️ Вид
manage-change-price = ✏️ Сумма
manage-change-media = ✏️ Фото
manage-change-place = ✏️ В каких сменах
manage-save = 💾 Сохранить
manage-back = ⬅️ Назад
manage-off = 💤 Отключить
manage-on = ▶️ Включить снова
manage-is-off = Отключено. Открытых смен это не касается.
manage-is-on = Снова включено.
manage-saved = Сохранено. В открытых сменах действуют прежние условия.
manage-ask-name = Как называется объект?
manage-name-hint = Напишите, пожалуйста, название объекта.
manage-ask-rate = Сколько стоит час работы на нём? Например: 350,50
manage-ask-zone = В каком он часовом поясе? Нажмите кнопку или напишите другой, например Europe/Samara, или город по-английски.
manage-zone-hint = Я не знаю такого часового пояса. Напишите, например, Europe/Moscow или нажмите кнопку.
manage-ask-days = По каким дням? Нажмите кнопку или напишите номера: 1 — понедельник, 7 — воскресенье; например 1, 3, 5 или 1-5.
manage-days-hint = Напишите номера дней, например 1-5 или 1, 3, 5, или нажмите кнопку.
manage-every-day = Каждый день
manage-workdays = С понедельника по пятницу
manage-weekend = Суббота и воскресенье
manage-days = { $before }, { $day }
manage-day-1 = пн
manage-day-2 = вт
manage-day-3 = ср
manage-day-4 = чт
manage-day-5 = пт
manage-day-6 = сб
manage-day-7 = вс
manage-ask-hours = С какого и до какого времени? Например: 09:00–18:00
manage-hours-hint = Напишите часы, например 09:00–18:00. Можно и до следующего дня: 22:00–06:00.
manage-ask-grace = На сколько минут можно опоздать без штрафа?
manage-grace-hint = Напишите число минут от 0 до { $max }.
manage-ask-penalty = Какой штраф за опоздание? Например: 100
manage-no-penalty = Без штрафа
manage-ask-title = Что нужно сделать?
manage-title-hint = Напишите, пожалуйста, что нужно сделать.
manage-ask-kind = Это премиальная задача (платим, если выполнена) или обязательная (штраф, если не выполнена)?
manage-bonus = ➕ Премиальная
manage-mandatory = ❗ Обязательная
manage-ask-price = Сколько платим за выполнение? Например: 100
manage-ask-cost = Какой штраф, если не выполнена? Например: 33
manage-amount-hint = Напишите сумму, например 350 или 350,50.
manage-ask-media = Нужно ли фото выполненной работы?
manage-yes = 📷 Да
manage-no = Нет
manage-ask-place = В каких сменах её выполнять?
manage-every-shift = В каждой смене
manage-button-hint = Нажмите, пожалуйста, кнопку.
manage-remind = То, что вы настраивали, ещё не сохранено.
manage-not-kept = Сохранить не удалось; мы уже знаем об этом. Ничего не потеряно: вот всё ещё раз. Попробуйте позже или отмените: /cancel.
manage-not-kept-beside = Не удалось сохранить «{ $what }»; мы уже знаем об этом. Введите это, пожалуйста, позже ещё раз.
manage-unknown = Этого уже нет, поэтому ничего не записано.
manage-too-many = У объекта может быть не больше { $max } задач. Сначала отключите одну.
# Order.
order-title = 📝 Новая заявка
order-command = Создать заявку на ремонт
order-ask-equipment = Что нужно починить? Нажмите кнопку или напишите.
order-fridge = Холодильник
order-washer = Стиральная машина
order-dishwasher = Посудомоечная машина
order-stove = Плита
order-boiler = Котёл
order-conditioner = Кондиционер
order-tv = Телевизор
order-computer = Компьютер
order-equipment-hint = Нажмите, пожалуйста, кнопку или напишите, что нужно починить.
order-ask-problem = Что случилось?
order-problem-hint = Напишите, пожалуйста, в двух словах, что случилось.
order-ask-client = Как зовут клиента?
order-client-hint = Напишите, пожалуйста, имя клиента.
order-ask-address = По какому адресу?
order-address-hint = Напишите, пожалуйста, адрес.
order-ask-phone = Какой телефон у клиента? Напишите номер или прикрепите контакт (📎).
order-phone-hint = Не могу прочитать этот номер. Например: +7 912 345-67-89. Можно и прикрепить контакт.
order-ask-master = Кому поручить?
order-to-all = Предложить всем мастерам
order-master-hint = Выберите, пожалуйста, мастера или нажмите «Предложить всем мастерам».
order-no-master = Этому мастеру больше нельзя поручать заявки. Выберите, пожалуйста, другого.
order-summary =
    <b>Всё верно?</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
    🧰 { $master }
order-create = ✅ Создать заявку
order-change-equipment = ✏️ Техника
order-change-problem = ✏️ Поломка
order-change-client = ✏️ Клиент
order-change-address = ✏️ Адрес
order-change-phone = ✏️ Телефон
order-change-master = ✏️ Мастер
order-confirm-hint = Нажмите, пожалуйста, кнопку: создайте заявку или исправьте что-нибудь.
order-given = Заявка { $no } создана и поручена. Мастер: { $master }.
order-offered =
    { $count ->
        [0] Заявка { $no } создана. Предложить её пока некому: мастеров ещё нет.
        [one] Заявка { $no } создана и предложена { $count } мастеру.
       *[many] Заявка { $no } создана и предложена { $count } мастерам.
    }
order-offer =
    <b>Свободная заявка { $no }</b>

    🔧 { $equipment }
    ❗ { $problem }
    📍 { $address }
order-take = 🙋 Взять заявку
order-yours =
    <b>Заявка { $no } — ваша</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
order-report = ✅ Отчитаться
order-known = Эта заявка уже создана: /orders.
order-not-kept = Заявку не удалось сохранить; мы уже знаем об этом. Ничего не потеряно: вот она ещё раз. Попробуйте позже или отмените: /cancel.
order-not-kept-beside = Предыдущую заявку не удалось сохранить; мы уже знаем об этом. Ничего не потеряно: вот она, введите её, пожалуйста, позже ещё раз.
order-remind = Заявка ещё не готова.

# Orders.
orders-title = 📋 Открытые заявки
orders-command = Посмотреть открытые заявки
orders-none = Открытых заявок нет.
orders-list =
    { $count ->
        [one] { $count } открытая заявка
        [few] { $count } открытые заявки
       *[many] { $count } открытых заявок
    }
orders-shortened = { $words }…
orders-line = № { $no } · { $equipment } · { $address }
orders-line-new = 🆕 № { $no } · { $equipment } · { $address }
orders-details = 📋 Подробнее
orders-card =
    <b>Заявка { $no }</b>

    🔧 { $equipment }
    ❗ { $problem }
    👤 { $client }
    📍 { $address }
    📞 { $phone }
    🧰 { $status }
    📝 { $author }
orders-closed = закрыта
orders-with = { $master }
orders-free = пока никто
orders-assign = 🧰 Поручить мастеру
orders-back = ⬅️ Назад
orders-ask-master = Кому поручить заявку { $no }?
orders-given = Заявка { $no } поручена. Мастер: { $master }.
orders-withdrawn = Заявка { $no } ({ $equipment }) передана другому мастеру.
orders-taken = Заявка { $no } взята. Мастер: { $name }.
orders-offer-taken = Заявка { $no } уже взята. Мастер: { $name }.
orders-faster = Заявка { $no } уже взята, вас опередили: { $name }.
orders-somebody = другой мастер
orders-yours-already = Заявка { $no } уже ваша.
orders-gone = Заявка { $no } уже не открыта или не для вас.
orders-changed = Заявку { $no } только что кто-то изменил. Посмотрите её ещё раз: /orders.

# Report.
report-title = 🧾 Отчёт
report-command = Отчитаться о заявке и закрыть её
report-nothing = У вас нет открытых заявок.
report-ask-order = О какой заявке отчёт?
report-order-hint = Нажмите, пожалуйста, на заявку или напишите её номер.
report-not-open = Заявка { $no } уже не открыта или не ваша.
report-ask-amount = Заявка { $no }. Сколько заплатил клиент?
report-amount-hint = Напишите, пожалуйста, сумму, например 1500 или 1 499,90.
report-ask-materials = Какие материалы понадобились?
report-no-materials = Никаких
report-materials-none = нет
report-materials-hint = Напишите, пожалуйста, материалы или нажмите «Никаких».
report-ask-review = Клиент оставил отзыв?
report-yes = Да
report-no = Нет
report-review-hint = Нажмите, пожалуйста, «Да» или «Нет».
report-summary =
    <b>Всё верно?</b>

    📋 Заявка { $no }: { $equipment }
    💰 { $amount }
    🔩 Материалы: { $materials }
    ⭐ Отзыв: { $review }
report-close = ✅ Закрыть заявку
report-change-order = ✏️ Заявка
report-change-amount = ✏️ Сумма
report-change-materials = ✏️ Материалы
report-change-review = ✏️ Отзыв
report-confirm-hint = Нажмите, пожалуйста, кнопку: закройте заявку или исправьте что-нибудь.
report-done = Заявка { $no } закрыта: { $amount }. Спасибо!
report-news =
    Заявка { $no } закрыта. Мастер: { $master }.

    💰 { $amount }
    🔩 Материалы: { $materials }
    ⭐ Отзыв: { $review }
report-not-kept = Отчёт не удалось сохранить; мы уже знаем об этом. Заявка остаётся открытой, ничего не потеряно: вот ваш отчёт ещё раз. Попробуйте позже или отмените: /cancel.
report-not-kept-beside = Предыдущий отчёт не удалось сохранить; мы уже знаем об этом. Та заявка остаётся открытой; отчитайтесь о ней, пожалуйста, позже ещё раз.
report-done-not = Заявка { $no }: { $amount }; материалы: { $materials }; отзыв: { $review }.
report-remind = Отчёт ещё не готов.

# Support.
support-title = 💬 Поддержка
support-command = Написать диспетчерам
support-ask = Что вы хотите спросить? Напишите или пришлите фотографию.
support-remind = Вы ещё ничего не спросили.
support-hint = Я передаю только тексты и фотографии.
support-talking = Всё, что вы здесь пишете, я передаю диспетчерам, и ответ придёт сюда же.
support-passed = Передал.
support-end = 🏁 Закончить разговор
support-leave = ⏸ Пока отложить
support-left = Хорошо. Разговор остаётся открытым: продолжайте кнопкой под сообщением или ответом на него.
support-said = 💬 <b>{ $name }</b>: { $words }
support-reply = ↩️ Ответить
support-write = ↩️ Написать
support-answering = Вы на связи. Собеседник: { $name }. Всё, что вы сейчас напишете, я передам.
support-nobody = Отвечать пока некому. Попробуйте, пожалуйста, позже.
support-ended = Разговор окончен.
support-ended-by = Разговор окончен. Его завершил собеседник: { $name }. Спросить ещё: /support.
support-paused = Я больше не передаю всё, что вы пишете. Чтобы продолжить, нажмите кнопку.
support-somebody = другой диспетчер
support-claimed = Уже отвечает { $name }.
support-take-over = 🙋 Ответить вместо коллеги
support-taken-over = Теперь отвечает { $by }. Собеседник: { $name }.
support-not-passed = Это не удалось передать; мы уже знаем об этом. Попробуйте, пожалуйста, позже.
support-inbox =
    { $count ->
        [one] Ждёт { $count } разговор. Кому ответите?
        [few] Ждут { $count } разговора. Кому ответите?
       *[many] Ждут { $count } разговоров. Кому ответите?
    }
support-inbox-empty = Никто не ждёт ответа.
support-inbox-new = 🆕 { $name }
support-inbox-yours = 💬 { $name }
support-inbox-theirs = 👥 { $name } · отвечает { $by }
support-inbox-hint = Нажмите, пожалуйста, кнопку.
support-ask-too = ✍️ Задать вопрос
# Privacy.
privacy-title = 🔒 Личные данные
privacy-command = Что я о вас храню и как долго
privacy-photos = Фотографии: не сами снимки, а их обозначения в Telegram. Эти обозначения и подписи
privacy-photos-kept = Фотографии: их обозначения в Telegram. Снимки, которые подтверждают выполненную задачу, ещё и скачиваются: компания хранит их как доказательство работы, даже если вы попросите вас забыть. Снимки, обозначения и подписи
privacy-photos-for = { -privacy-days(days: 365) }
privacy-phones-for = { -privacy-days(days: 365) }
privacy-for-good = без ограничения срока
-privacy-days = { $days ->
    [365] год
    [one] { $days } день
    [few] { $days } дня
   *[many] { $days } дней
}
privacy =
    Что я о вас храню и как долго:

    • На чём мы остановились и что вы отложили: пока дело не закончено или пока не истекло его время.
    • Какие ваши сообщения я уже видел, только их номера: 48 часов, а если вы выбрали здесь язык, то до вашего следующего сообщения.
    • Имя и язык, как их показывает Telegram, то, что вы о себе рассказали, и вашу роль: пока вы с нами.
    • Вашу работу — заявки, отчёты, смены: пока это нужно компании для учёта.
    • { privacy-photos }: { privacy-photos-for }.
    • Номера телефонов: { privacy-phones-for }.
    • То, что не удалось доставить или сделать: пока кто-нибудь не разберётся.

    Если вы хотите, чтобы вас забыли, или хотите узнать больше, обратитесь к руководителю компании. Тогда останется только то, что нужно для учёта: суммы и время, без вашего имени.
