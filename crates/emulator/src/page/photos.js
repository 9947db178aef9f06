// Pictures on their way out: made no larger than Telegram's own clients make them, and written as base64.

/** The longest side of a photo that Telegram's clients send. */
const LONGEST = 1280;

/** The most pictures of an album. */
const MOST = 10;

/** Whether a file is a picture that can be sent as a photo. */
export const isPicture = (file) => file.type.startsWith("image/");

/** Says of files that are no pictures why they are left out, or null. */
export function noPictures(files) {
  if (files.length === 0) return null;
  return files.length === 1 ? `“${files[0].name}” is no picture that can be sent` : `${files.length} files are no pictures that can be sent`;
}

/** Of an album's pictures those that have room, and what is said of the others, or null. */
export function album(pictures) {
  const over = pictures.length - MOST;
  const words = over > 0 ? `An album has at most ${MOST} pictures: ${over === 1 ? "one was" : `${over} were`} left out` : null;
  return { kept: pictures.slice(0, MOST), words };
}

/** The picture at most 1280 pixels long, as JPEG; null if it is none, whatever its name says. */
export async function shrink(file) {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return null;
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const brush = canvas.getContext("2d");
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((done) => canvas.toBlob((blob) => done(blob ?? file), "image/jpeg", 0.87));
}

/** The bytes as base64. */
export function base64(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}
