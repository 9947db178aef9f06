# The engine's own words.
start = Здравствуйте! Я помню, где мы остановились: закройте меня, выключите — и мы продолжим с того же места. Что вы хотите сделать?
menu = Что вы хотите сделать?
help =
    /menu – { menu-command }
    /cancel – { cancel-command }
    /back – { back-command }
    /start – { start-command }
    /language – { language-command }
    /privacy – { privacy-command }
menu-command = Что я умею
back-command = На один вопрос назад
cancel-command = Закончить начатое
help-command = Что делают команды
start-command = Начать заново; ничего не потеряется
cancelled = Закончено: { $what }.
nothing-to-cancel = Заканчивать нечего.
no-way-back = Отсюда нет пути назад. Закончить – /cancel.
not-understood = Я этого не понял. Что я умею – /menu.
stale-button = Эта кнопка больше не действует.
not-yours = Эта кнопка для другого человека.
too-many-drafts = Вы уже отложили несколько дел ({ $count }). Сначала закончите одно из них или отмените: /cancel.
resume-offer = Продолжить с того места, где вы остановились? ({ $what })
resume-yes = Продолжить
resume-no = Не нужно
expired = Я отложил это: { $what }. Продолжить с того места, где вы остановились?
parked = Я отложил это: { $what }.
dropped = Больше не храню: { $what }.
reset = Вас освободили от вопроса, на котором всё застряло. Что я умею – /menu.
newer-state = Мы возвращаемся к прежней версии, и ваш последний вопрос подождёт. Ничего не потеряно. Закончить – /cancel, начать заново – /start.
broken-state = Я не смог продолжить с того места и отложил это. Что я умею – /menu.
apology = У нас что-то пошло не так, и ваше последнее сообщение не принято. Нам об этом сообщили. Попробуйте позже или закончите: /cancel.
apology-cleared = У нас что-то пошло не так, поэтому я закончил этот диалог. Нам об этом сообщили. Что я умею – /menu.
under-photos = 👆
refused = Это не удалось сделать: { $reason }.
stranger = Этот бот — для сотрудников компании, а мы ещё не знакомы. Попросите приглашение у руководителя: это ссылка, её достаточно открыть.
not-allowed = Это могут делать другие сотрудники. Если это должно быть доступно и вам, попросите приглашение у руководителя.
home = 🏠 Главное меню
page-before = ◀️
page-after = ▶️
page = { $page } / { $pages }

# How numbers and moments are written.
number-group = { " " }
number-point = { "," }
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
photo-hint = Я жду фотографию. Закончить – /cancel.
photo-ask-caption =
    { $count ->
        [one] Какая будет подпись? ({ $count } фотография)
        [few] Какая будет подпись? ({ $count } фотографии)
       *[many] Какая будет подпись? ({ $count } фотографий)
    }
photo-no-caption = Без подписи
photo-caption-hint = Напишите, пожалуйста, подпись или нажмите «Без подписи».
photo-caption-long = Для подписи это слишком длинно: не больше { $max } знаков, пожалуйста.
photo-remind = Я всё ещё жду вашу фотографию. Продолжим?
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
join-expired = Это приглашение устарело. Попросите новое.

# Onboarding.
onboarding-title = 👋 Рассказать о себе
onboarding-command = Познакомиться: семь вопросов
onboarding-question = ({ $at }/{ $of }) { $question }
onboarding-ask-name = Как вас зовут? Напишите полное имя.
onboarding-ask-phone = Ваш номер телефона? Напишите его или поделитесь кнопкой ниже.
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
onboarding-hint-city = Напишите, пожалуйста, название города.
onboarding-hint-trade = Нажмите кнопку или напишите, чем вы занимаетесь.
onboarding-hint-experience = Число лет, пожалуйста, например 5.
onboarding-hint-about = Напишите или нажмите «Больше ничего».
onboarding-hint-button = Пожалуйста, нажмите одну из кнопок.
onboarding-long = Это длинновато: не больше { $max } символов, пожалуйста.
onboarding-remind = Остались ещё вопросы о вас. Продолжим?
onboarding-done = Спасибо, { $name }! Теперь мы знакомы.

# Privacy.
privacy-title = 🔒 Личные данные
privacy-command = Что я о вас храню и как долго
privacy =
    Что я о вас храню и как долго:

    • На чём мы остановились и что вы отложили: пока дело не закончено или пока не истекло его время.
    • Какие ваши сообщения я уже видел, только их номера: 48 часов.
    • Имя и язык, как их показывает Telegram, то, что вы о себе рассказали, и вашу роль: пока вы с нами.
    • Вашу работу — заявки, отчёты, смены: пока это нужно компании для учёта.
    • Фотографии: не сами снимки, а их обозначения в Telegram. Фотографии и номера телефонов: обычно год; компания может выбрать другой срок.
    • То, что не удалось доставить или сделать: пока кто-нибудь не разберётся.

    Если вы хотите, чтобы вас забыли, или хотите узнать больше, обратитесь к владельцу компании. Тогда останется только то, что нужно для учёта: суммы и время, без вашего имени.
