/** Replaces curl on machines without it, with the flags that the documents use: -X, -H, -d, -A, -i, -s, and a URL. */
const headers = new Headers();
let method: string | undefined;
let body: string | undefined;
let showsHead = false;
let address = "";

const args = process.argv.slice(2);
for (let word = args.shift(); word !== undefined; word = args.shift()) {
  if (word === "-X") method = args.shift();
  else if (word === "-d") body = args.shift();
  else if (word === "-A") headers.set("User-Agent", args.shift() ?? "");
  else if (word === "-H") setHeader(args.shift() ?? "");
  else if (/^-[is]+$/.test(word)) showsHead ||= word.includes("i");
  else if (word.startsWith("-")) throw new Error(`This curl does not know ${word}.`);
  else address = word;
}

const response = await fetch(address, {
  method: method ?? (body === undefined ? "GET" : "POST"),
  headers,
  redirect: "manual",
  ...(body === undefined ? {} : { body }),
});
const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
if (showsHead) process.stdout.write(`HTTP/1.1 ${response.status}\r\n${head}\r\n`);
process.stdout.write(await response.text());

function setHeader(line: string): void {
  const colon = line.indexOf(":");
  headers.set(line.slice(0, colon), line.slice(colon + 1).trim());
}

export {};
