"""A small bot written with aiogram, as anybody would write it. It knows nothing of the emulator but its address.

usage: bot.py (webhook PORT | polling) — API and TOKEN come from the environment.
"""

import asyncio
import os
import sys

from aiogram import Bot, Dispatcher, F
from aiogram.client.default import DefaultBotProperties
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramAPIError, TelegramRetryAfter
from aiogram.filters import Command, CommandObject, CommandStart
from aiogram.types import (
    BotCommand,
    BufferedInputFile,
    CallbackQuery,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    KeyboardButton,
    Message,
    ReplyKeyboardMarkup,
    ReplyKeyboardRemove,
    ReplyParameters,
)
from aiogram.webhook.aiohttp_server import SimpleRequestHandler, setup_application
from aiohttp import web

SECRET = "a-secret-of-the-foreign-bot"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)
dp = Dispatcher()


def choices() -> InlineKeyboardMarkup:
    row = [InlineKeyboardButton(text=word, callback_data=word.lower()) for word in ("One", "Two")]
    return InlineKeyboardMarkup(inline_keyboard=[row])


@dp.message(CommandStart(deep_link=True))
async def deep_link(message: Message, command: CommandObject) -> None:
    await message.answer(f"code {command.args}")


@dp.message(CommandStart())
async def start(message: Message) -> None:
    await message.answer(f"Hello <b>{message.from_user.first_name}</b>, choose", reply_markup=choices())


@dp.callback_query()
async def chosen(press: CallbackQuery) -> None:
    await press.answer(f"you chose {press.data}")
    try:
        await press.message.edit_text(f"chosen: {press.data}", reply_markup=choices())
    except TelegramAPIError as error:
        await press.message.answer(f"edit: {error.message}")


@dp.message(Command("keyboard"))
async def keyboard(message: Message) -> None:
    buttons = [[KeyboardButton(text="My number", request_contact=True), KeyboardButton(text="No")]]
    markup = ReplyKeyboardMarkup(keyboard=buttons, resize_keyboard=True)
    await message.answer("Your number?", reply_markup=markup)


@dp.message(F.contact)
async def contact(message: Message) -> None:
    own = message.contact.user_id == message.from_user.id
    await message.answer(f"number {message.contact.phone_number} own {own}", reply_markup=ReplyKeyboardRemove())


@dp.message(F.photo)
async def photo(message: Message, bot: Bot) -> None:
    largest = message.photo[-1]
    content = await bot.download(largest)
    caption = message.caption or "no caption"
    await message.answer_photo(largest.file_id, caption=f"{len(content.read())} bytes, {caption}")
    await message.answer_photo(BufferedInputFile(PNG, "dot.png"), caption="uploaded")


@dp.message(Command("album"))
async def album(message: Message) -> None:
    media = [InputMediaPhoto(media=BufferedInputFile(PNG, f"{n}.png"), caption=f"part {n}") for n in (1, 2)]
    sent = await message.answer_media_group(media)
    await message.answer(f"album of {len(sent)}, one group {len({part.media_group_id for part in sent}) == 1}")


@dp.message(Command("commands"))
async def commands(message: Message, bot: Bot) -> None:
    await bot.set_my_commands([BotCommand(command="start", description="Begin")])
    known = await bot.get_my_commands()
    await message.answer(f"commands {[c.command for c in known]}")


@dp.message(Command("typing"))
async def typing(message: Message, bot: Bot) -> None:
    await bot.send_chat_action(message.chat.id, "typing")
    await message.answer("typed")


@dp.message(Command("delete"))
async def delete(message: Message) -> None:
    gone = await message.answer("this goes away")
    await gone.delete()
    await message.answer("deleted")


@dp.message(Command("errors"))
async def errors(message: Message, bot: Bot) -> None:
    here = message.chat.id
    long = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="x", callback_data="x" * 65)]])
    attempts = [
        bot.send_message(404404, "hi"),
        bot.send_message(here, " "),
        bot.send_message(here, "x" * 4097),
        bot.send_message(here, "<b>open"),
        bot.send_message(here, "hi", reply_markup=long),
        bot.edit_message_text("x", chat_id=here, message_id=999999),
        bot.delete_message(here, 999999),
        bot.send_message(here, "hi", reply_parameters=ReplyParameters(message_id=999999)),
        bot.answer_callback_query("1"),
    ]
    for attempt in attempts:
        try:
            await attempt
            await message.answer("no error")
        except TelegramAPIError as error:
            await message.answer(f"{type(error).__name__}: {error.message}", parse_mode=None)


@dp.message(Command("busy"))
async def busy(message: Message) -> None:
    try:
        await message.answer("first")
    except TelegramRetryAfter as error:
        await asyncio.sleep(error.retry_after)
        await message.answer(f"after {error.retry_after}")


@dp.edited_message()
async def edited(message: Message) -> None:
    await message.answer(f"edited to {message.text}")


@dp.message(F.text)
async def echo(message: Message) -> None:
    await message.reply(message.text, parse_mode=None)


async def main() -> None:
    server = TelegramAPIServer.from_base(os.environ["API"])
    session = AiohttpSession(api=server)
    bot = Bot(os.environ["TOKEN"], session=session, default=DefaultBotProperties(parse_mode="HTML"))
    if sys.argv[1] == "polling":
        await bot.delete_webhook()
        await dp.start_polling(bot)
        return
    app = web.Application()
    SimpleRequestHandler(dp, bot, secret_token=SECRET).register(app, path="/hook")
    setup_application(app, dp, bot=bot)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(sys.argv[2])).start()
    await bot.set_webhook(f"http://127.0.0.1:{sys.argv[2]}/hook", secret_token=SECRET)
    await asyncio.Event().wait()


asyncio.run(main())
