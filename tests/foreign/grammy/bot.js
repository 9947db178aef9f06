// A small bot written with grammY, as anybody would write it. It knows nothing of the emulator but its address.
//
// usage: node bot.js (webhook PORT | polling); API and TOKEN come from the environment.

import { createServer } from "node:http";
import { Bot, GrammyError, InlineKeyboard, InputFile, InputMediaBuilder, Keyboard, webhookCallback } from "grammy";

const SECRET = "a-secret-of-the-foreign-bot";
const PNG = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001" +
    "a5f645400000000049454e44ae426082",
  "hex",
);
const bot = new Bot(process.env.TOKEN, { client: { apiRoot: process.env.API } });
const html = { parse_mode: "HTML" };
const choices = () => new InlineKeyboard().text("One", "one").text("Two", "two");

bot.command("start", (ctx) =>
  ctx.match
    ? ctx.reply(`code ${ctx.match}`)
    : ctx.reply(`Hello <b>${ctx.from.first_name}</b>, choose`, { ...html, reply_markup: choices() }),
);

bot.on("callback_query:data", async (ctx) => {
  const data = ctx.callbackQuery.data;
  await ctx.answerCallbackQuery(`you chose ${data}`);
  try {
    await ctx.editMessageText(`chosen: ${data}`, { reply_markup: choices() });
  } catch (error) {
    await ctx.reply(`edit: ${error.description}`);
  }
});

bot.command("keyboard", (ctx) =>
  ctx.reply("Your number?", { reply_markup: new Keyboard().requestContact("My number").text("No").resized() }),
);

bot.on("message:contact", (ctx) => {
  const { phone_number, user_id } = ctx.message.contact;
  const own = user_id === ctx.from.id ? "True" : "False";
  return ctx.reply(`number ${phone_number} own ${own}`, { reply_markup: { remove_keyboard: true } });
});

bot.on("message:photo", async (ctx) => {
  const file = await ctx.getFile();
  const answer = await fetch(`${process.env.API}/file/bot${process.env.TOKEN}/${file.file_path}`);
  const size = (await answer.arrayBuffer()).byteLength;
  const largest = ctx.message.photo.at(-1).file_id;
  await ctx.replyWithPhoto(largest, { caption: `${size} bytes, ${ctx.message.caption ?? "no caption"}` });
  await ctx.replyWithPhoto(new InputFile(PNG, "dot.png"), { caption: "uploaded" });
});

bot.command("album", async (ctx) => {
  const part = (n) => InputMediaBuilder.photo(new InputFile(PNG, `${n}.png`), { caption: `part ${n}` });
  const sent = await ctx.replyWithMediaGroup([part(1), part(2)]);
  const one = new Set(sent.map((message) => message.media_group_id)).size === 1;
  await ctx.reply(`album of ${sent.length}, one group ${one ? "True" : "False"}`);
});

bot.command("commands", async (ctx) => {
  await ctx.api.setMyCommands([{ command: "start", description: "Begin" }]);
  const known = await ctx.api.getMyCommands();
  await ctx.reply(`commands ['${known.map((it) => it.command).join("', '")}']`);
});

bot.command("typing", async (ctx) => {
  await ctx.replyWithChatAction("typing");
  await ctx.reply("typed");
});

bot.command("delete", async (ctx) => {
  const gone = await ctx.reply("this goes away");
  await ctx.api.deleteMessage(ctx.chat.id, gone.message_id);
  await ctx.reply("deleted");
});

bot.command("errors", async (ctx) => {
  const here = ctx.chat.id;
  const attempts = [
    () => ctx.api.sendMessage(404404, "hi"),
    () => ctx.reply(" "),
    () => ctx.reply("x".repeat(4097)),
    () => ctx.reply("<b>open", html),
    () => ctx.reply("hi", { reply_markup: new InlineKeyboard().text("x", "x".repeat(65)) }),
    () => ctx.api.editMessageText(here, 999999, "x"),
    () => ctx.api.deleteMessage(here, 999999),
    () => ctx.reply("hi", { reply_parameters: { message_id: 999999 } }),
    () => ctx.api.answerCallbackQuery("1"),
  ];
  for (const attempt of attempts) {
    try {
      await attempt();
      await ctx.reply("no error");
    } catch (error) {
      await ctx.reply(`${error.error_code}: ${error.description}`);
    }
  }
});

bot.command("busy", async (ctx) => {
  try {
    await ctx.reply("first");
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    const { retry_after } = error.parameters;
    await new Promise((done) => setTimeout(done, retry_after * 1000));
    await ctx.reply(`after ${retry_after}`);
  }
});

bot.on("edited_message:text", (ctx) => ctx.reply(`edited to ${ctx.editedMessage.text}`));
bot.on("message:text", (ctx) => ctx.reply(ctx.message.text, { reply_parameters: { message_id: ctx.message.message_id } }));
bot.catch((error) => console.error(error));

const [mode, port] = process.argv.slice(2);
if (mode === "polling") {
  bot.start();
} else {
  const handle = webhookCallback(bot, "http", { secretToken: SECRET });
  // A request that breaks off half-way must not end the bot.
  const serve = (request, response) => handle(request, response).catch(() => response.destroy());
  createServer(serve).listen(Number(port), "127.0.0.1", () =>
    bot.api.setWebhook(`http://127.0.0.1:${port}/hook`, { secret_token: SECRET }),
  );
}
